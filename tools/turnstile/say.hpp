// What the command says to people.
#pragma once

#include <cstdio>
#include <string>

namespace turnstile::command {

/// One to three lines on the standard error output. Nobody may be there to read them.
inline void say(const std::string& text) {
    std::fputs(("turnstile: " + text + '\n').c_str(), stderr);
}

} // namespace turnstile::command

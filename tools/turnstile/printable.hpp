#pragma once

#include <string>

namespace turnstile::command {

/// Without what could steer a terminal: others write what they like into their tickets.
inline std::string printable(std::string text) {
    for (char& each : text)
        if (static_cast<unsigned char>(each) < ' ' || each == '\x7f')
            each = '?';
    return text;
}

} // namespace turnstile::command

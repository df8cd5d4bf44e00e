// SPDX-License-Identifier: BSL-1.0
// An error that ends the command, in words for its user.
#pragma once

#include "exit_code.hpp"
#include "options/connection_options.hpp"

#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>

#include <stdexcept>
#include <string>

namespace turnstile::command {

/// Ends the command: main() says what() and returns code(). The text has one to three lines: what
/// was wrong, and what to do.
class command_failure : public std::runtime_error {
public:
    command_failure(exit_code code, const std::string& what)
        : std::runtime_error(what), code_(code) {}
    exit_code code() const noexcept { return code_; }

private:
    exit_code code_;
};

/// Puts an error of the library into words. `diag`: the library's details of it, if there are any.
/// `path`: the node that the error is about, mostly the lock path.
command_failure failure_of(const error_code& why, const diagnostics& diag,
                           const connection_options& how, const std::string& path);

} // namespace turnstile::command

// SPDX-License-Identifier: BSL-1.0
// Details of a failed operation beside its error code.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/error.hpp>

#include <boost/system/system_error.hpp>

#include <iosfwd>
#include <string>
#include <utility>

namespace turnstile {

/// An operation that takes it fills in the path at the call, and the rest if the operation fails.
/// It must live until the operation completes, and must not be read before.
struct diagnostics {
    /// The lock path, or that of the part of a `multi_lock` that failed. Empty for an operation of
    /// the session.
    std::string path{};
    /// `host:port` of the server that failed last, or else of the one that the session uses. Empty
    /// if the failure has nothing to do with a server.
    std::string server{};
    /// The cause of that server's failure, and `; SERVER: CAUSE` for each other one that has failed
    /// since a server answered. Or the fault of an option, a path or a request. Else empty.
    std::string cause{};

    void clear() { *this = {}; }
    /// All of it in one line; empty if nothing is known.
    TURNSTILE_API std::string str() const;

    bool operator==(const diagnostics&) const = default;
};

TURNSTILE_API std::ostream& operator<<(std::ostream& to, const diagnostics& what);

/// The exception of a token made by `with_diagnostics`. Its what() begins with the diagnostics.
class TURNSTILE_API error_with_diagnostics : public boost::system::system_error {
public:
    error_with_diagnostics(const error_code& code, diagnostics details)
        : system_error(details == diagnostics{} ? system_error(code)
                                                : system_error(code, details.str())),
          details_(std::move(details)) {}

    const diagnostics& details() const noexcept { return details_; }

private:
    diagnostics details_;
};

} // namespace turnstile

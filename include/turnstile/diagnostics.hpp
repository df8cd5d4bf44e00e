// SPDX-License-Identifier: BSL-1.0
// What is known of a failed operation beside its error code.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/error.hpp>

#include <boost/system/system_error.hpp>

#include <iosfwd>
#include <string>
#include <utility>

namespace turnstile {

/// Filled by an operation that takes it: with the path at the call, with the rest where the
/// operation fails. It must live until the operation completes, and is not to be read before.
struct diagnostics {
    /// The lock path; of a `multi_lock` that of the part that failed. Empty for an operation of the
    /// session.
    std::string path{};
    /// `host:port` of the server that failed last, or else of the one that the session uses; empty
    /// where no server had to do with the failure.
    std::string server{};
    /// What went wrong with that server, and `; SERVER: CAUSE` of each other one since a server
    /// answered. Or what is wrong with an option, a path or a request. Else empty.
    std::string cause{};

    void clear() { *this = {}; }
    /// One line of what is known; the empty text where nothing is.
    TURNSTILE_API std::string str() const;

    bool operator==(const diagnostics&) const = default;
};

TURNSTILE_API std::ostream& operator<<(std::ostream& to, const diagnostics& what);

/// What a token made by `with_diagnostics` throws. Its what() begins with the diagnostics.
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

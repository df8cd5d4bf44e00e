// Where a session's messages go.
#pragma once

#include <functional>
#include <string_view>

namespace turnstile {

enum class log_level { debug, info, warning, error, none };

/// Messages of the library and of the C client below it. No message carries a secret: neither the
/// session's password nor an identity's.
struct logger {
    /// What is less grave is not passed on.
    log_level level = log_level::warning;
    /// Called on the session's strand, one call at a time, and never by a function of the library
    /// that the user called; must not block and must not throw. Where it is not set, messages go to
    /// the standard error output, as far as it takes them at once.
    std::function<void(log_level, std::string_view)> sink{};
};

} // namespace turnstile

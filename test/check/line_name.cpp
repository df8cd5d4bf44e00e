// SPDX-License-Identifier: BSL-1.0
#include "line_name.hpp"

#include <limits>

namespace turnstile::check {
namespace {

/// Takes a name apart, from both ends.
class name_reader {
public:
    explicit name_reader(std::string_view text) : rest_{text} {}

    bool take_front(std::string_view what) {
        const bool is_there = rest_.substr(0, what.size()) == what;
        if (is_there)
            rest_ = rest_.substr(what.size());
        return is_there;
    }
    bool take_back(std::string_view what) {
        const bool is_there = ends_with(what);
        if (is_there)
            rest_ = rest_.substr(0, rest_.size() - what.size());
        return is_there;
    }
    [[nodiscard]] bool ends_with(std::string_view what) const {
        return rest_.size() >= what.size() && rest_.substr(rest_.size() - what.size()) == what;
    }

    /// Takes the sequence: the last ten characters, if all are digits and a counter of 31 bits can
    /// have that number.
    std::optional<std::int64_t> take_sequence() {
        constexpr std::size_t length = 10;
        if (rest_.size() < length)
            return std::nullopt;
        std::int64_t value = 0;
        for (const char c : rest_.substr(rest_.size() - length)) {
            if (c < '0' || c > '9')
                return std::nullopt;
            value = value * 10 + (c - '0');
        }
        if (value > std::numeric_limits<std::int32_t>::max())
            return std::nullopt;
        rest_ = rest_.substr(0, rest_.size() - length);
        return value;
    }

    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

/// Reads hex of at most 64 bits, in its only valid form: lower case, without a zero in front.
std::optional<std::uint64_t> plain_hex(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t longest = 16;
    if (text.empty() || text.size() > longest || (text.size() > 1 && text.front() == '0'))
        return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        const auto digit = digits.find(c);
        if (digit == std::string_view::npos)
            return std::nullopt;
        value = value << 4U | digit;
    }
    return value;
}

/// Reads the session id between "x-" and the last "-": in decimal, perhaps negative, or in hex.
bool is_session(std::string_view text) {
    name_reader session{text};
    session.take_front("-");
    return !session.rest().empty() &&
           session.rest().find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

} // namespace

std::optional<line_name> line_name::parse(std::string_view child) {
    name_reader name{child};
    const auto sequence = name.take_sequence();
    if (!sequence)
        return std::nullopt;
    line_name result{.sequence = *sequence};
    if (name.ends_with("lock-")) {
        auto ours = name;
        if (ours.take_front("turn-") || ours.take_front("open-")) {
            result.shared = name.ends_with("-read-lock-");
            result.downgraded = name.ends_with("-down-read-lock-");
            if (ours.take_back("-down-read-lock-") || ours.take_back("-read-lock-") ||
                ours.take_back("-lock-"))
                result.incarnation = plain_hex(ours.rest());
        }
        return result;
    }
    if (name.ends_with("__WRIT__") || name.ends_with("__READ__")) {
        result.shared = name.ends_with("__READ__");
        auto ours = name;
        if ((ours.take_front("turn-") || ours.take_front("open-")) &&
            (ours.take_back("-__WRIT__") || ours.take_back("-__READ__")))
            result.incarnation = plain_hex(ours.rest());
        return result;
    }
    if (name.ends_with("__lock__"))
        return result;
    if (name.ends_with("__rlock__")) {
        result.shared = true;
        return result;
    }
    if (name.take_front("x-") && name.take_back("-") && is_session(name.rest()))
        return result;
    return std::nullopt;
}

} // namespace turnstile::check

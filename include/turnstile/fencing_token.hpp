// What a store compares to refuse writes of holders that lost their lock.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile {

/// Grows strictly with each exclusive grant of one lock path, also when the path was deleted and
/// made anew, and is never reused by the ensemble: it is the czxid of the ticket. (A sequence
/// number would start again at 0 with the path.) A store keeps the largest token that it has seen
/// and refuses writes that carry a smaller one.
///
/// Compare tokens, or their strings; do not compute with them: later versions may add a component.
class fencing_token {
public:
    constexpr fencing_token() = default;
    explicit constexpr fencing_token(std::int64_t czxid) : czxid_(czxid) {}

    /// The transaction that created the ticket.
    constexpr std::int64_t czxid() const noexcept { return czxid_; }

    /// Sixteen hexadecimal digits: strings sort as the tokens do.
    std::string str() const;
    static std::optional<fencing_token> parse(std::string_view text);

    friend constexpr auto operator<=>(const fencing_token&, const fencing_token&) = default;

    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                        const fencing_token& token) {
        for (const char c : token.str())
            out.put(out.widen(c));
        return out;
    }

private:
    std::int64_t czxid_ = 0;
};

} // namespace turnstile

// SPDX-License-Identifier: BSL-1.0
// The numbers by which a store refuses writes of holders that have lost their lock.
#pragma once

#include <turnstile/detail/export.hpp>

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile {

/// A number that grows strictly with each exclusive grant of one lock path, also if the path was
/// deleted and made anew. The ensemble never reuses it. (A sequence number would start again at 0
/// with the path.) A store keeps the largest token that it has seen, and refuses operations that
/// carry a smaller one.
///
/// A store keeps either the text of `str()`, whose order as a string is the order of tokens, or the
/// two integers in two columns, compared as a pair: `(czxid, count)`. Keep and compare both,
/// although `count` is 0 today: later versions may grant several locks on one ticket.
class fencing_token {
public:
    constexpr fencing_token() = default;
    explicit constexpr fencing_token(std::uint64_t czxid, std::uint64_t count = 0)
        : czxid_(czxid), count_(count) {}

    /// ZooKeeper's id of the transaction that created the ticket. Below 2^63: a signed 64-bit
    /// column takes it.
    constexpr std::uint64_t czxid() const noexcept { return czxid_; }
    /// The number of the grant on that ticket. 0 today; below 2^63.
    constexpr std::uint64_t count() const noexcept { return count_; }

    /// Both integers as 16 lower-case hexadecimal digits each, such as
    /// `00000001000003f2-0000000000000000`. Later versions do not change this.
    TURNSTILE_API std::string str() const;
    /// Reads a text of `str`. Returns nothing for any other text.
    TURNSTILE_API static std::optional<fencing_token> parse(std::string_view text);

    friend constexpr auto operator<=>(const fencing_token&, const fencing_token&) = default;

    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                        const fencing_token& token) {
        for (const char c : token.str())
            out.put(out.widen(c));
        return out;
    }

private:
    std::uint64_t czxid_ = 0; // compared first
    std::uint64_t count_ = 0;
};

} // namespace turnstile

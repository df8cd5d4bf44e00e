#include <turnstile/fencing_token.hpp>

#include <array>
#include <charconv>
#include <cstdio>

namespace turnstile {

std::string fencing_token::str() const {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(czxid_));
    return text.data();
}

std::optional<fencing_token> fencing_token::parse(std::string_view text) {
    if (text.size() != 16)
        return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size() || value >> 63 != 0)
        return std::nullopt;
    return fencing_token{static_cast<std::int64_t>(value)};
}

} // namespace turnstile

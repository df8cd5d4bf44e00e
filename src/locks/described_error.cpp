// SPDX-License-Identifier: BSL-1.0
#include "locks/described_error.hpp"

#include "locks/error_category.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace turnstile::detail {

namespace {

constexpr std::size_t most_texts = 64;

// The id makes it equal to turnstile_category().
class described_category final : public turnstile_error_category {
public:
    described_category(error what, std::string text) : what_(what), text_(std::move(text)) {}
    std::string message(int value) const override {
        return value == static_cast<int>(what_) ? text_ : turnstile_error_category::message(value);
    }

private:
    const error what_;
    const std::string text_;
};

struct texts {
    std::mutex mutex;
    std::map<std::pair<error, std::string>, described_category> known{};
};

} // namespace

error_code described(error what, const std::string& text) noexcept {
    try {
        // Never destroyed: codes may be looked at until the very end of the program.
        static texts& all = *new texts;
        const std::lock_guard guard(all.mutex);
        std::pair key{what, text};
        if (all.known.size() >= most_texts && !all.known.contains(key))
            return what;
        const auto at = all.known.try_emplace(std::move(key), what, text).first;
        return {static_cast<int>(what), at->second};
    } catch (...) {
        return what;
    }
}

} // namespace turnstile::detail

// Hashes of what is said in a small world.
#pragma once

#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace turnstile::test {

/// 64 bits that depend on everything that was added, in order (FNV-1a, mixed).
class digest {
public:
    digest& add(std::uint64_t value) {
        state_ = (state_ ^ value) * 0x100000001b3ULL;
        state_ ^= state_ >> 29;
        state_ *= 0xbf58476d1ce4e5b9ULL;
        state_ ^= state_ >> 32;
        return *this;
    }
    digest& add(std::string_view text) {
        add(text.size());
        for (const char c : text)
            add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
        return *this;
    }
    digest& add(const protocol::request& what) {
        add(static_cast<std::uint64_t>(what.op)).add(what.path).add(what.watch ? 1 : 0);
        add(what.target).add(static_cast<std::uint64_t>(what.version));
        for (const auto& step : what.steps)
            add(static_cast<std::uint64_t>(step.what))
                .add(step.path)
                .add(step.data)
                .add(static_cast<std::uint64_t>(step.version));
        return *this;
    }
    digest& add(const protocol::reply& answer) {
        add(static_cast<std::uint64_t>(answer.code)).add(answer.path);
        add(static_cast<std::uint64_t>(answer.stat.czxid));
        add(static_cast<std::uint64_t>(answer.stat.mzxid));
        add(static_cast<std::uint64_t>(answer.stat.ephemeral_owner));
        add(static_cast<std::uint64_t>(answer.stat.children));
        add(static_cast<std::uint64_t>(answer.stat.version));
        add(static_cast<std::uint64_t>(answer.stat.child_version));
        for (const auto& child : answer.children)
            add(child);
        for (const auto& step : answer.results)
            add(static_cast<std::uint64_t>(step.code))
                .add(step.path)
                .add(static_cast<std::uint64_t>(step.stat.mzxid))
                .add(static_cast<std::uint64_t>(step.stat.children));
        return *this;
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

} // namespace turnstile::test

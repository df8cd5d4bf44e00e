// Readers stand beside each other: none waits where only readers stand before it.
#pragma once

#include "protocol/names/ticket_name.hpp"
#include "protocol/time/instant.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

/// Sees a line now and then. What it says holds only where nothing goes wrong: then a reader learns
/// within a few round trips that the last exclusive ticket before it is gone.
class reader_checker {
public:
    struct place {
        protocol::ticket_kind kind{};
        std::int32_t sequence = 0;
        std::int64_t czxid = 0;
        bool served = false;
    };

    explicit reader_checker(protocol::duration patience) : patience_(patience) {}

    /// Tells whether a reader has stood for too long without an exclusive ticket before it.
    bool finds_forgotten(const std::string& path, std::vector<place> standing,
                         protocol::instant now) {
        std::sort(standing.begin(), standing.end(),
                  [](const place& a, const place& b) { return a.sequence < b.sequence; });
        const auto before = std::exchange(waiting_[path], {});
        auto& waiting = waiting_[path];
        for (const auto& each : standing) {
            if (each.kind == protocol::ticket_kind::exclusive)
                break;
            if (each.served)
                continue;
            const auto known = before.find(each.czxid);
            waiting[each.czxid] = known == before.end() ? now : known->second;
        }
        return std::any_of(waiting.begin(), waiting.end(),
                           [&](const auto& entry) { return now - entry.second > patience_; });
    }

private:
    using since = std::map<std::int64_t, protocol::instant>; // by czxid

    protocol::duration patience_;
    std::map<std::string, since> waiting_;
};

} // namespace turnstile::test

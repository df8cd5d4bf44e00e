// SPDX-License-Identifier: BSL-1.0
// Counts what goes over a proxy for one lock path.
#pragma once

#include "support/frame_proxy.hpp"

#include <map>
#include <string>

namespace turnstile::test {

/// By rules that let everything pass: beats and what else concerns other paths does not count.
/// Of all rules, only the first that fires is carried out and counted: do not mix it with rules for
/// the same requests.
class wire_meter {
public:
    wire_meter(frame_proxy& proxy, const std::string& path) : proxy_(proxy) {
        rules_[op::remove] = proxy.add_rule( // as it is sent
            {.op = op::multi, .part = op::remove, .path = path, .times = 0});
        for (const auto what :
             {op::create2, op::exists, op::get_data, op::get_children2, op::multi, op::any})
            rules_[what] = proxy.add_rule({.op = what, .path = path, .times = 0});
    }

    /// Requests of a kind so far. The last of them may have been forwarded just now.
    int sent(op what) const { return proxy_.hits(rules_.at(what)); }
    int sent() const {
        int sum = 0;
        for (const auto& [what, rule] : rules_)
            sum += proxy_.hits(rule);
        return sum;
    }

private:
    frame_proxy& proxy_;
    std::map<op, rule_id> rules_;
};

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
#include "bare_throughput.hpp"

#include <map>

namespace turnstile::bench {

bare_throughput::bare_throughput(const target& server, const bare_api& through, std::size_t locks,
                                 std::size_t inflight)
    : client_(server.first(), through), locks_(locks), inflight_(inflight) {
    for (std::size_t i = 0; i < locks; ++i)
        client_.make_directory(directory(i));
    for (std::size_t i = 0; i < inflight; ++i)
        all_.push_back({.first = i, .at = i});
}

std::string bare_throughput::directory(std::size_t lock) const {
    return "/bench/throughput-bare-client-" + std::to_string(lock);
}

double bare_throughput::create_and_delete(std::size_t pairs) {
    left_ = pairs;
    std::map<const bare_transaction*, rounds*> whose;
    std::vector<bare_transaction*> first;
    for (auto& each : all_) {
        whose[&each.take] = whose[&each.release] = &each;
        if (auto* const what = take_next(each))
            first.push_back(what);
    }
    const auto start = clock::now();
    client_.keep_under_way(
        first, [&](bare_transaction& answered) { return go_on(*whose.at(&answered), answered); });
    return static_cast<double>(pairs) / std::chrono::duration<double>(clock::now() - start).count();
}

bare_transaction* bare_throughput::take_next(rounds& of) {
    if (left_ == 0)
        return nullptr;
    --left_;
    const auto where = directory(of.at);
    of.at = of.at + inflight_ < locks_ ? of.at + inflight_ : of.first;
    of.take = {};
    of.take.set(where, "");
    of.take.create(where + "/turn-1f-lock-");
    return &of.take;
}

bare_transaction* bare_throughput::go_on(rounds& of, const bare_transaction& answered) {
    if (&answered == &of.release)
        return take_next(of);
    const auto node = of.take.created().front();
    of.release = {};
    of.release.set(node, "released\n");
    of.release.remove(node);
    return &of.release;
}

} // namespace turnstile::bench

#include "protocol/wire/request_pipeline.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

request& request_pipeline::draft(operation op) {
    draft_.op = op;
    draft_.path.clear();
    draft_.data.clear();
    draft_.watch = false;
    draft_.version = -1;
    draft_.target.clear();
    draft_.steps.clear();
    return draft_;
}

void request_pipeline::send(const request& what, request_origin by, handler done) {
    const auto id = ++last_id_;
    const bool write = is_write(what.op) || (sync_counts_ && what.op == operation::sync);
    pending_.emplace_back(id, now_, write, by, std::move(done));
    port_.send(id, what);
}

void request_pipeline::on_reply(request_id id, const reply& answer) {
    if (distrusted_)
        return;
    // Nearly always the front; a request that the port refused itself may answer early.
    auto found = pending_.begin();
    if (found != pending_.end() && found->id != id)
        found = std::lower_bound(found, pending_.end(), id,
                                 [](const open_request& r, request_id i) { return r.id < i; });
    if (found == pending_.end() || found->id != id)
        return;
    const auto request = std::move(*found);
    if (found == pending_.begin())
        pending_.pop_front();
    else
        pending_.erase(found);
    if (answered(answer.code)) {
        lease_.answered(request.sent, now_, request.write);
        wrote_ = wrote_ || request.write;
    }
    request.done(answer);
}

void request_pipeline::fail_all() {
    connected_ = false;
    const auto failed = std::exchange(pending_, {});
    const reply lost{.code = zookeeper_code::connection_loss};
    for (const auto& request : failed)
        request.done(lost);
}

} // namespace turnstile::protocol

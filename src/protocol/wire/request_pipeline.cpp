// SPDX-License-Identifier: BSL-1.0
#include "protocol/wire/request_pipeline.hpp"

#include "protocol/lease/lease_plan.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace turnstile::protocol {

namespace {

constexpr std::uint8_t most_unclear_answers = 3; // in a row, of one kind of request

// The number of the transaction that this answers; 0: the answer does not show it.
std::int64_t zxid_of(const reply& answer) {
    auto zxid = answer.stat.mzxid;
    for (const auto& step : answer.results)
        zxid = std::max(zxid, step.stat.mzxid);
    return zxid;
}

bool takes_watch_off(operation op) {
    return op == operation::unwatch || op == operation::unwatch_children;
}

// After so many connections in a row that ended with an unwatch unanswered, none is sent any more:
// a look-alike of ZooKeeper may not know that request, and cuts the connection.
constexpr std::size_t most_cut_unwatches = 3;

// `exists` leaves a watch on a missing node, too.
bool leaves_watch(operation op, zookeeper_code code) {
    return code == zookeeper_code::ok ||
           (code == zookeeper_code::no_node && op == operation::exists);
}

} // namespace

void request_pipeline::send(const request& what, reply_handler done) {
    const auto id = ++last_id_;
    const bool write = is_write(what.op);
    const auto bytes = bytes_of(what);
    pending_.push_back(
        {id, now_, bytes, what.op, write, what.watch ? what.path : std::string(), std::move(done)});
    if (sizes_.refuses(bytes, now_))
        refused_.push_back(id);
    else
        port_.send(id, what);
}

bool request_pipeline::on_reply(request_id id, const reply& answer) {
    if (state_ == state::distrusted)
        return true; // fail_all() answers the request
    // Nearly always it is the front. A request that the port itself refused may be answered early.
    const auto found = std::ranges::find(pending_, id, &open_request::id);
    if (found == pending_.end())
        return true;
    auto& unclear = unclear_[static_cast<std::size_t>(found->op)];
    if (outcome_unknown(answer.code)) {
        ++unclear;
        return false;
    }
    unclear = 0;
    const auto request = std::move(*found);
    pending_.erase(found);
    if (answered(answer.code)) {
        lease_.answered(request.sent, now_, request.write);
        if (request.write)
            state_ = state::wrote;
    }
    if (answer.code != zookeeper_code::too_large)
        sizes_.on_answer(request.bytes);
    if (request.write && answer.code == zookeeper_code::ok)
        note_zxid(zxid_of(answer));
    if (!request.watched.empty() && leaves_watch(request.op, answer.code))
        watches_.arm(request.watched, kind_of(request.op));
    if (!request.watched.empty() && unwanted_but_kept_ > 0)
        --unwanted_but_kept_; // one watch less that may be set again
    request.done(answer);
    return true;
}

// A lower number than before: the servers were restored, or made anew.
void request_pipeline::note_zxid(std::int64_t zxid) {
    if (zxid == 0)
        return;
    has_gone_back_ = has_gone_back_ || zxid < newest_;
    newest_ = zxid;
}

// An unwanted watch is kept while an open request sets the same watch anew: the unwatch, behind
// that request, would take it off, too. To find these, a call goes through all open requests. It
// does so only if more watches are unwanted than it kept the last time (`unwanted_but_kept_`). Each
// answer to a request with a watch lowers that number by one, since one of them may go then.
void request_pipeline::unwatch(std::size_t most_unwanted) {
    unwanted_but_kept_ = std::min(unwanted_but_kept_, watches_.unwanted());
    if (!connected() || watches_.unwanted() <= unwanted_but_kept_ + most_unwanted ||
        now_ < unwatches_from_ || unwatches_cut_in_a_row_ >= most_cut_unwatches)
        return;
    std::array<std::unordered_set<std::string_view>, 2> asked;
    for (const auto& open : pending_)
        if (!open.watched.empty())
            asked.at(static_cast<std::size_t>(kind_of(open.op))).insert(open.watched);
    const auto taken = watches_.take_unwanted([&](const std::string& path, watch_kind kind) {
        return !asked.at(static_cast<std::size_t>(kind)).contains(path);
    });
    unwanted_but_kept_ = watches_.unwanted();
    for (const auto& [path, kind] : taken)
        send({.op = kind == watch_kind::data ? operation::unwatch : operation::unwatch_children,
              .path = path},
             [this, path = path, kind = kind](const reply& answer) {
                 if (!outcome_unknown(answer.code))
                     unwatches_cut_in_a_row_ = 0;
                 if (answer.code != zookeeper_code::throttled)
                     return;
                 watches_.arm(path, kind);
                 unwatches_from_ = now_ + lease_plan::asked_again(lease_.timeout());
             });
}

void request_pipeline::answer_refused() {
    while (!refused_.empty()) // a handler may send another one
        for (const auto id : std::exchange(refused_, {}))
            on_reply(id, {.code = zookeeper_code::too_large});
}

bool request_pipeline::on_cut() {
    std::size_t largest = 0;
    for (const auto& request : pending_)
        largest = std::max(largest, request.bytes);
    return sizes_.on_cut(largest, now_);
}

bool request_pipeline::gets_no_clear_answer() {
    const auto found = std::find_if(unclear_.begin(), unclear_.end(),
                                    [](auto count) { return count >= most_unclear_answers; });
    if (found == unclear_.end())
        return false;
    unclear_ = {};
    return true;
}

void request_pipeline::fail_all() {
    state_ = state::disconnected;
    if (!pending_.empty() && takes_watch_off(pending_.front().op))
        ++unwatches_cut_in_a_row_; // the server may have cut because of this unwatch
    refused_.clear();
    const auto failed = std::exchange(pending_, {});
    const reply lost{.code = zookeeper_code::connection_loss};
    for (const auto& request : failed)
        request.done(lost);
}

} // namespace turnstile::protocol

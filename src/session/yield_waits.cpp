// SPDX-License-Identifier: BSL-1.0
#include "session/yield_waits.hpp"

#include "protocol/yield/yield_text.hpp"
#include "session/failure_codes.hpp"
#include "session/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::detail {

yield_waits::watch_table::iterator yield_waits::of_lock(protocol::ticket_id lock) {
    return std::ranges::find_if(watches_,
                                [&](const auto& each) { return each.second.lock == lock; });
}

void yield_waits::await(const ticket_lock& lock, operation_id id, operation&& waiting) {
    waiting_.add(id, std::move(waiting), lock.id());
    if (const auto known = of_lock(lock.id()); known != watches_.end())
        return tell(known->second);
    const auto inquiry = of_.next_id();
    watches_.emplace(inquiry, watch{.lock = lock.id()});
    ask(inquiry);
}

void yield_waits::ask(protocol::inquiry_id inquiry) {
    const auto found = watches_.find(inquiry);
    const auto lock = found == watches_.end() ? nullptr : of_.locks_.find(found->second.lock);
    if (!lock)
        return;
    of_.driver_->drive([&](auto& machine, auto now) {
        const auto& path = lock->of()->path;
        const auto nodes = machine.kinds().nodes_of(lock->id());
        const auto own = nodes.empty() ? std::string() : nodes.front().substr(path.size() + 1);
        const auto czxid = static_cast<std::int64_t>(lock->token().czxid());
        machine.inquire(now, inquiry,
                        {.op = protocol::operation::exists,
                         .path = protocol::yield_node_of(path, own, czxid),
                         .watch = true});
    });
}

void yield_waits::on_upgraded(protocol::ticket_id lock) {
    if (const auto known = of_lock(lock); known != watches_.end())
        of_.ask_later(known->first);
}

void yield_waits::tell(const watch& which) {
    while (const auto id = which.asked ? waiting_.first_of(which.lock) : std::nullopt)
        waiting_.complete(*id, {}, *which.asked);
}

void yield_waits::end(protocol::ticket_id lock, error_code why) {
    if (const auto known = of_lock(lock); known != watches_.end()) {
        of_.stop_later(known->first);
        watches_.erase(known);
    }
    waiting_.complete_group(lock, why);
}

bool yield_waits::on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) {
    const auto found = watches_.find(inquiry);
    if (found == watches_.end())
        return false;
    if (protocol::refused(answer.code))
        return on_failed(inquiry, protocol::failure_of_read(answer.code));
    auto& which = found->second;
    const auto text = protocol::yield_text::parse(answer.data);
    which.asked.reset();
    if (text)
        which.asked = {text->reason, text->who.host, text->who.process, text->who.label};
    tell(which);
    return true;
}

bool yield_waits::on_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    const auto gone = watches_.extract(inquiry);
    if (gone)
        waiting_.complete_group(gone.mapped().lock, to_error_code(why));
    return !gone.empty();
}

} // namespace turnstile::detail

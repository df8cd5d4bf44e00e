// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/limit_node.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore.hpp"

#include <utility>

namespace turnstile::protocol {

failure permit_limit::refusal_of(const permit_acquire& who) const {
    const auto stated = who.wish.stated_limit;
    if (who.wish.incarnation != 0 && who.wish.incarnation != incarnation)
        return failure::path_renewed;
    if (who.phase == permit_phase::starting && stated && *stated != permits)
        return failure::limit_differs;
    return who.wish.permits > permits ? failure::too_many : failure::none;
}

limit_node::limit_node(semaphore& owner, session_context& shared)
    : owner_(owner),
      context_(shared),
      directory_(
          shared, owner.path(), [this] { on_path(failure::none, zookeeper_code::ok); },
          [this](failure why, zookeeper_code code) { on_path(why, code); }) {}

void limit_node::read_for_sure() {
    if (!is_resting() || !context_.requests.connected())
        return;
    caught_up_ = false;
    owner_.ask({.op = operation::transact,
                .path = owner_.path(),
                .steps = {{.what = step_kind::check, .path = owner_.limit_path()}}},
               [this](const reply& answer) { caught_up_ = answered(answer.code); });
    ask(++questions_);
}

void limit_node::watch() {
    if (!watched_)
        read();
}

void limit_node::read_again() {
    if (!watched_)
        return;
    forget_watch();
    read();
}

void limit_node::ask(std::uint64_t question) {
    if (!is_resting() || !context_.requests.connected())
        return;
    state_.enter(limit_state::reading);
    // A new limit may refuse an acquire that stands in line. All others read the limit first.
    const bool watch = owner_.acquires().any_stand_in_line();
    owner_.ask({.op = operation::get, .path = owner_.limit_path(), .watch = watch},
               [this, watch, question](const reply& answer) {
                   rest();
                   if (question > 0 && !caught_up_)
                       return owner_.go_on_later();
                   if (watch && answer.code == zookeeper_code::ok && !std::exchange(watched_, true))
                       context_.watches.add(owner_.limit_path(), lock_watcher);
                   on_read(answer, question);
               });
}

void limit_node::on_read(const reply& answer, std::uint64_t question) {
    using enum zookeeper_code;
    if (answer.code == no_node) {
        known_.reset();
        return owner_.on_no_limit(question);
    }
    if (answer.code == throttled)
        return owner_.go_on_later();
    if (answer.code != ok)
        return owner_.fail_waiting(failure_of_read(answer.code), answer.code);
    const auto permits = parse_limit(answer.data);
    // It is the limit of the doubt, so the missing node stays missing. Or the data is no limit.
    if (std::exchange(doubted_, {}) == answer.stat.czxid || !permits) {
        known_.reset();
        return owner_.fail_waiting(failure::wrong_kind);
    }
    const auto before = std::exchange(known_, permit_limit{.permits = *permits,
                                                           .version = answer.stat.version,
                                                           .incarnation = answer.stat.czxid,
                                                           .ctime = answer.stat.ctime,
                                                           .question = question});
    owner_.on_limit(!before || before->version != known_->version ||
                    before->incarnation != known_->incarnation);
}

void limit_node::doubt() {
    if (is_resting()) {
        state_.enter(limit_state::doubting);
        doubted_ = known_ ? known_->incarnation : 0;
        owner_.go_on_later();
    }
    forget();
}

void limit_node::end_doubt() {
    if (state_ == limit_state::doubting)
        rest();
}

void limit_node::make() {
    const auto* const maker = owner_.acquires().maker();
    if (!is_resting() || !maker)
        return;
    state_.enter(limit_state::making);
    making_ = semaphore_change::makes(owner_.path(), *maker->wish.stated_limit);
    if (context_.options.directories == acl::rule::creator_all)
        making_->makes_owned();
    directory_.find();
}

void limit_node::on_path(failure why, zookeeper_code code) {
    making_->on_path(why, code);
    go_on_making();
}

void limit_node::go_on_making() {
    if (making_->over()) {
        rest();
        if (making_->why() == failure::none)
            read();
        else if (making_->found_half() && doubted_ != 0)
            doubt();
        else
            owner_.fail_waiting(making_->why(), making_->code());
        return;
    }
    owner_.ask(making_->question(), [this](const reply& answer) {
        if (answer.code == zookeeper_code::throttled) {
            rest();
            return owner_.go_on_later();
        }
        making_->on_answer(answer);
        go_on_making();
    });
}

void limit_node::restart_numbers() {
    if (!known_ || !is_resting() || !context_.requests.connected() ||
        context_.now() < numbers_rest_)
        return;
    using enum step_kind;
    const auto limit = *std::exchange(known_, std::nullopt);
    state_.enter(limit_state::making);
    owner_.ask(
        {.op = operation::transact,
         .path = owner_.path(),
         .steps = {{.what = remove, .path = owner_.limit_path(), .version = limit.version},
                   {.what = remove, .path = owner_.queue_path()},
                   {.what = remove, .path = owner_.permits_path()},
                   {.what = create, .path = owner_.limit_path(), .data = limit_text(limit.permits)},
                   {.what = create, .path = owner_.queue_path()},
                   {.what = create, .path = owner_.permits_path()}}},
        [this, limit](const reply& answer) {
            rest();
            if (answer.code == zookeeper_code::not_empty) { // there are tickets or permits
                known_ = limit;
                numbers_rest_ = context_.now() + lease_plan::asked_again(context_.lease.timeout());
            }
            owner_.start_all(); // acquires that came in the meantime
        });
}

void limit_node::on_changed() {
    watched_ = false;
    end_doubt();
    read();
}

void limit_node::on_disconnected() {
    directory_.on_disconnected();
    rest();
    watched_ = false;
    doubted_.reset();
    // The next server may have older data: another limit with the same version.
    known_.reset();
}

void limit_node::forget_watch() {
    if (std::exchange(watched_, false))
        context_.watches.remove(owner_.limit_path(), lock_watcher);
}

} // namespace turnstile::protocol

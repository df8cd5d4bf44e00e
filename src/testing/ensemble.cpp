// SPDX-License-Identifier: BSL-1.0
#include <turnstile/testing.hpp>

#include "testing/ground.hpp"
#include "testing/modelled_port.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace turnstile::testing {

using namespace std::chrono_literals;
using turnstile::detail::set_backend;

namespace {

// Longer than any test: another program's node goes only when the test deletes it.
constexpr auto for_ever = std::chrono::hours{24 * 365};

// The ensemble waits in steps of this length until a session has noticed a loss.
constexpr auto short_step = 10ms;

std::string sequence_of(const std::string& name) {
    return name.substr(name.size() - std::min<std::size_t>(name.size(), 10));
}

} // namespace

ensemble::ensemble(boost::asio::io_context& context, const ensemble_options& options)
    : ground_(std::make_shared<detail::ground>(context, options)) {
    set_backend(context, ground_.get());
}

ensemble::~ensemble() { set_backend(ground_->context(), nullptr); }

lease_clock::time_point ensemble::now() const { return ground_->now(); }

void ensemble::settle() { ground_->settle(); }

void ensemble::advance(std::chrono::nanoseconds by) { ground_->advance(by); }

std::vector<std::string> ensemble::nodes_of(const held_lock& lock) const {
    auto nodes =
        ground_->model().truth().made_by(static_cast<std::int64_t>(lock.fencing_token().czxid()));
    if (nodes.empty())
        throw std::invalid_argument("turnstile::testing: this lock has no ticket at the ensemble");
    return nodes;
}

// A session watches its own ticket from a moment after the grant on. The program may destroy its
// lock meanwhile.
void ensemble::until_lost(const held_lock& lock) {
    const auto same = lock.share();
    settle();
    while (same.is_held())
        advance(short_step);
}

void ensemble::delete_ticket(const held_lock& lock) {
    const auto nodes = nodes_of(lock);
    for (const auto& node : nodes)
        ground_->model().remove(node);
    until_lost(lock);
}

std::string ensemble::hand_over(const held_lock& lock) {
    const auto nodes = nodes_of(lock);
    for (const auto& node : nodes) {
        ground_->model().remove(node);
        ground_->model().twin(node, for_ever, [](auto) {});
    }
    until_lost(lock);
    return nodes.front();
}

void ensemble::expire(const session& which) {
    const auto id = which.id();
    auto& link = ground_->port_of(id).link();
    link.lock_out_until(ground_->now() + for_ever);
    link.cut();
    settle();
    while (which.usage().locks.held() != 0 && ground_->model().truth().alive(id))
        advance(short_step);
    link.lock_out_until(ground_->now());
    end_session(which);
}

void ensemble::end_session(const session& which) {
    const auto id = which.id();
    ground_->port_of(id);
    ground_->model().end_session(id);
    settle();
    while (which.id() == id && which.state() != session_state::closed)
        advance(short_step);
}

void ensemble::cut(const session& which) {
    ground_->port_of(which.id()).link().cut();
    settle();
}

void ensemble::cut_off(const session& which, std::chrono::nanoseconds span) {
    auto& link = ground_->port_of(which.id()).link();
    link.lock_out_until(ground_->now() + span);
    link.cut();
    settle();
}

void ensemble::hold_answers(const session& which) { ground_->port_of(which.id()).hold_answers(); }

void ensemble::let_answers_through(const session& which) {
    ground_->port_of(which.id()).let_answers_through();
    settle();
}

void ensemble::stop_server() {
    ground_->model().server(0).crash();
    settle();
}

void ensemble::start_server() {
    ground_->model().server(0).start();
    settle();
}

std::vector<std::string> ensemble::children(const std::string& path) const {
    auto names = ground_->model().truth().children(path);
    std::ranges::sort(names, {},
                      [](const std::string& name) { return std::pair(sequence_of(name), name); });
    return names;
}

std::string ensemble::stranger(const std::string& lock_path) {
    const auto before = children(lock_path);
    ground_->model().make_path(lock_path);
    ground_->model().foreign_ticket(lock_path + "/_c_stranger-lock-", for_ever, for_ever);
    settle();
    for (const auto& each : children(lock_path))
        if (std::ranges::find(before, each) == before.end())
            return lock_path + '/' + each;
    throw std::logic_error("turnstile::testing: the server is stopped: no ticket can be made");
}

void ensemble::delete_node(const std::string& node) {
    ground_->model().remove(node);
    settle();
}

} // namespace turnstile::testing

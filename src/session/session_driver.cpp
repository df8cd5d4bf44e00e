// SPDX-License-Identifier: BSL-1.0
#include "session/session_driver.hpp"

#include "protocol/lease/lease_plan.hpp"
#include "session/option_check.hpp"
#include "session/values/access.hpp"
#include "session/values/boottime_timer.hpp"
#include "zookeeper/client.hpp"

#include <turnstile/detail/pause.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <unistd.h>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

protocol::random_source seeded_random(const session_driver::strand_type& strand) {
    const auto word = [&] { return random_word(context_of(strand)); };
    std::seed_seq seed{word(), word(), word(), word()};
    return [draw = std::mt19937_64(seed)]() mutable { return draw(); };
}

// Limits a span to a year, which can be added to any instant.
protocol::duration bounded(std::chrono::milliseconds span) {
    return std::min<std::chrono::milliseconds>(span, std::chrono::hours{24 * 365});
}

protocol::ticket_data ticket_data_of(const session_options& options) {
    return protocol::ticket_data(
        {.host = host_name(), .process = std::to_string(::getpid()), .label = options.label});
}

protocol::settings settings_of(const session_options& options,
                               const protocol::server_list& servers) {
    return {.servers = servers.servers.size(),
            .timeout = options.timeout,
            .connect_timeout = bounded(options.connect_timeout),
            .unreachable_limit = bounded(options.unreachable_limit),
            .shortest_backoff = bounded(options.shortest_backoff),
            .longest_backoff = bounded(options.longest_backoff),
            .tick = options.tick ? std::optional(bounded(*options.tick)) : std::nullopt,
            .margin = options.margin,
            .ticket_bytes = options.ticket_bytes,
            .chroot_bytes = servers.chroot.size(),
            .acl_bytes = bytes_of(options.acl.tickets),
            .tells_places = static_cast<bool>(options.observer),
            .directories = options.acl.directories,
            .protects_tickets = options.protect_tickets,
            .watches_own_data = options.watch_own_data,
            .refuses_own_waits = options.own_wait == own_wait::refused,
            .who = ticket_data_of(options)};
}

/// Has the backend that the test kit has set for an execution context.
class backend_service final : public asio::execution_context::service {
public:
    using key_type = backend_service;

    explicit backend_service(asio::execution_context& context)
        : asio::execution_context::service(context) {}

    static inline asio::execution_context::id id;
    session_backend* backend = nullptr;

private:
    void shutdown() override {}
};

// Null if the C client is used: only the test kit sets another backend.
session_backend* backend_below(asio::execution_context& context) {
    return asio::has_service<backend_service>(context)
               ? asio::use_service<backend_service>(context).backend
               : nullptr;
}

std::shared_ptr<zookeeper::session_port> make_port(const session_driver::strand_type& strand,
                                                   const session_options& options,
                                                   const protocol::server_list& servers,
                                                   zookeeper::client_events& events) {
    if (const auto backend = backend_below(context_of(strand)))
        return backend->make_port(strand, events);
    // The C client logs several lines for each attempt, which are of use to its authors alone. So
    // it logs everything (level 4) for the level `debug`, and nothing otherwise.
    zookeeper::client_options how{.servers = servers,
                                  .rights = access_of(options),
                                  .tls = options.tls,
                                  .log_level = options.log.level == log_level::debug ? 4 : 0};
    std::string wrong; // stays empty: the options were checked
    if (options.sasl)
        how.identity = zookeeper::make_sasl(*options.sasl, wrong);
    return std::make_shared<zookeeper::client>(strand, std::move(how), events);
}

std::unique_ptr<session_timer> make_timer(const session_driver::strand_type& strand,
                                          std::function<void()> due) {
    if (const auto backend = backend_below(context_of(strand)))
        return backend->make_timer(strand, std::move(due));
    return std::make_unique<boottime_timer>(strand, std::move(due));
}

} // namespace

bool await_test_time(asio::execution_context& context, std::chrono::nanoseconds span,
                     std::function<void()> due) {
    const auto backend = backend_below(context);
    if (backend)
        backend->after(span, std::move(due));
    return backend != nullptr;
}

std::uint64_t random_word(asio::execution_context& context) {
    if (const auto backend = backend_below(context))
        return backend->draw();
    std::random_device device; // it gives 32 bits at a time
    return std::uint64_t{device()} << 32U | device();
}

bool has_backend(asio::execution_context& context) { return backend_below(context) != nullptr; }

void set_backend(asio::execution_context& context, session_backend* backend) {
    asio::use_service<backend_service>(context).backend = backend;
}

session_driver::session_driver(const strand_type& executor, const session_options& options,
                               const protocol::server_list& servers, driver_events& events,
                               protocol::lock_listener& lock_events)
    : strand_(executor),
      events_(events),
      client_(make_port(strand_, options, servers, *this)),
      machine_(settings_of(options, servers), seeded_random(strand_), *client_, events_,
               lock_events),
      timer_(make_timer(strand_, [this] { on_timer(); })) {}

session_driver::~session_driver() {
    if (!stopped_) // this may be off the strand, while handlers of the client end on it
        client_->abandon();
}

void session_driver::begin_input() {
    input_began_ = lease_clock::now();
    // This comes before the machine gets the time: the missed beats are no fault of a server.
    if (!armed_ || machine_.session().session_id == 0)
        return;
    const auto late = input_began_ - *armed_;
    if (late < protocol::lease_plan::beat(machine_.timeout()))
        return;
    armed_.reset(); // reported once
    events_.on_stall(late);
}

void session_driver::stop() {
    if (abandoned_)
        return;
    input_began_ = lease_clock::now();
    machine_.stop(input_began_);
    client_->abandon();
    stopped_ = true;
    timer_->cancel();
    armed_.reset();
}

void session_driver::abandon() noexcept {
    abandoned_ = stopped_ = true;
    client_->abandon();
    timer_->cancel();
    armed_.reset();
}

void session_driver::set_servers(protocol::server_list list) {
    if (stopped_)
        return;
    client_->set_servers(std::move(list));
    arm();
}

void session_driver::arm() {
    if (machine_.session().session_id == 0 || machine_.phase() == session_state::idle)
        client_->stop_trying_servers();
    const auto next = machine_.next_timer();
    if (!next && std::exchange(armed_, std::nullopt))
        timer_->cancel(); // nothing to wait for: no work of the context's
    if (!next || (armed_ && *armed_ <= *next))
        return; // the timer may be early, but not late
    armed_ = *next;
    timer_->start(*next, weak_from_this());
}

void session_driver::on_timer() {
    if (!process_.is_here())
        return; // a forked child's: the session is the parent's
    try {
        drive([this](auto& machine, auto now) {
            armed_.reset();
            machine.on_time(now);
        });
    } catch (...) {
        events_.on_failure();
        throw;
    }
}

void session_driver::on_connected(const protocol::credentials& session,
                                  protocol::duration timeout) {
    drive([&](auto& machine, auto now) { machine.on_connected(now, session, timeout); });
}

void session_driver::on_disconnected(protocol::disconnect_reason why) {
    drive([&](auto& machine, auto now) { machine.on_disconnected(now, why); });
}

void session_driver::on_servers(std::size_t count, std::size_t first, bool stays) {
    events_.on_servers();
    drive([&](auto& machine, auto now) { machine.set_servers(now, count, first, stays); });
}

void session_driver::on_servers_failed(const std::string& causes) {
    events_.on_note(log_level::warning,
                    "no server of the new list can be reached (" + causes +
                        "): the list before stays in use, and the new one is tried again");
}

void session_driver::on_reply(protocol::request_id id, const protocol::reply& answer) {
    drive([&](auto& machine, auto now) { machine.on_reply(now, id, answer); });
}

void session_driver::on_watch(protocol::watch_event what, const std::string& node) {
    drive([&](auto& machine, auto now) { machine.on_watch(now, what, node); });
}

} // namespace turnstile::detail

// SPDX-License-Identifier: BSL-1.0
// One session machine between a scripted port and a recording listener, in virtual time.
#pragma once

#include "recording_listener.hpp"
#include "scripted_port.hpp"
#include "support/replies.hpp"

#include "protocol/session/session_machine.hpp"

#include "support/pch.hpp"

namespace turnstile::test {

using namespace std::chrono_literals;
using texts = std::vector<std::string>;

/// A question of one request. It notes each answer, and is over with the first answer that leaves
/// no watch.
class plain_question : public protocol::path_question {
public:
    plain_question(protocol::request what, std::vector<protocol::reply>& answers)
        : what_(std::move(what)), answers_(answers) {}

    protocol::request question() const override { return what_; }
    bool awaits() const override { return answered_; }
    bool has_news() override { return true; }
    bool waits_anew() const override { return true; }
    void on_answer(const protocol::reply& answer) override {
        answers_.push_back(answer);
        answered_ = true;
        const bool found = answer.code == protocol::zookeeper_code::ok;
        if (!what_.watch || (!found && what_.op != protocol::operation::exists))
            end(protocol::failure::none);
    }

private:
    protocol::request what_;
    std::vector<protocol::reply>& answers_;
    bool answered_ = false;
};

/// Drives one session machine by hand. `wire` has the requests that are open, and `told` what the
/// machine has told its listener, as one line for each call. `now` is the time, which only pass(),
/// live() and reconnect() move. Requests and events are compared as texts, such as "enqueue
/// /l/turn-5-lock-" and "granted 1 token 100".
/// The session timeout T is 16 s, so a beat comes each 2 s, and 3T/8 is 6 s. All random numbers are
/// 0.
class machine_fixture {
public:
    static protocol::settings defaults() {
        protocol::settings result;
        result.timeout = 16s;
        result.who = protocol::ticket_data({.host = "h", .process = "1"});
        return result;
    }

    /// With these settings each reader has a ticket of its own.
    static protocol::settings unshared() {
        auto result = defaults();
        result.joins = 0;
        return result;
    }

    static protocol::settings three_servers() {
        auto result = defaults();
        result.servers = 3;
        return result;
    }

    explicit machine_fixture(protocol::settings options = defaults())
        : machine(
              std::move(options), [] { return std::uint64_t{0}; }, wire, told, told) {}

    // ---- time ------------------------------------------------------------------------------

    /// Lets time pass with every timer at its instant, and answers nothing. A connection that the
    /// machine drops ends at once.
    void pass(protocol::duration span) {
        const auto end = now + span;
        while (machine.next_timer() && *machine.next_timer() <= end) {
            now = std::max(now, *machine.next_timer());
            const auto drops = wire.drops;
            machine.on_time(now);
            if (wire.drops != drops)
                cut();
        }
        now = end;
    }

    /// Lets time pass, and answers beats and own watches at once, as a connection that works.
    void live(protocol::duration span) {
        const auto end = now + span;
        answer_beats();
        while (machine.next_timer() && *machine.next_timer() <= end) {
            now = std::max(now, *machine.next_timer());
            machine.on_time(now);
            answer_beats();
        }
        now = end;
    }

    // ---- the connection ------------------------------------------------------------------------

    void accept(std::int64_t session = our_session, protocol::duration timeout = 16s) {
        machine.on_connected(now, {.session_id = session}, timeout);
    }
    /// Connects a new session, and answers its first beat.
    void connect() {
        machine.connect(now);
        accept();
        reply("exists /", replies::ok());
    }
    /// The connection ends; all that is open on it stays unanswered.
    void cut(protocol::disconnect_reason why = protocol::disconnect_reason::lost) {
        wire.open.clear();
        machine.on_disconnected(now, why);
    }
    /// Comes back with the same session.
    void reconnect() {
        pass(3s); // past any back-off
        accept();
    }

    /// Answers the oldest open request, which must be `expected`.
    void reply(const std::string& expected, const protocol::reply& answer) {
        answer_own_watches(expected);
        REQUIRE_FALSE(wire.open.empty());
        REQUIRE(text_of(wire.open.front().what) == expected);
        const auto id = wire.open.front().id;
        last_request = wire.open.front().what;
        wire.open.pop_front();
        machine.on_reply(now, id, answer);
    }
    void changed(const std::string& node) {
        machine.on_watch(now, protocol::watch_event::changed, node);
    }
    void deleted(const std::string& node) {
        machine.on_watch(now, protocol::watch_event::deleted, node);
    }
    texts open() {
        answer_own_watches();
        return wire.texts();
    }
    texts events() { return told.take(); }

    // ---- tickets -------------------------------------------------------------------------------

    void acquire(protocol::ticket_id id, const std::string& path = "/l") {
        machine.acquire(now, id, wish(path));
    }
    void acquire_shared(protocol::ticket_id id) {
        auto what = wish("/l");
        what.kind = protocol::ticket_kind::shared;
        machine.acquire(now, id, what);
    }
    void try_acquire(protocol::ticket_id id) {
        auto what = wish("/l");
        what.patient = false;
        machine.acquire(now, id, what);
    }
    void acquire_for(protocol::ticket_id id, protocol::duration limit) {
        auto what = wish("/l");
        what.limit = limit;
        machine.acquire(now, id, what);
    }
    void inquire(protocol::inquiry_id id, const protocol::request& what,
                 std::optional<protocol::instant> end = {}) {
        machine.inquire(now, id, std::make_shared<plain_question>(what, told.answers), end);
    }
    /// Begins the question, and returns it: it has its answers once it is over.
    template <class Question>
    std::shared_ptr<Question> ask_all(protocol::inquiry_id id, Question what,
                                      std::optional<protocol::instant> end = {}) {
        auto asked = std::make_shared<Question>(std::move(what));
        machine.inquire(now, id, asked, end);
        return asked;
    }
    void cancel(protocol::ticket_id id) { machine.cancel(now, id); }
    void downgrade(protocol::ticket_id id) { machine.downgrade(now, id); }
    void upgrade(protocol::ticket_id id, protocol::ticket_id writer) {
        machine.upgrade(now, id, writer);
    }
    void share(protocol::ticket_id id, protocol::ticket_id further) {
        machine.share(now, id, further);
    }
    void release(protocol::ticket_id id) { machine.release(now, id); }

    /// Answers an enqueue; `others` stood there before.
    void enqueued(std::int32_t sequence, std::int32_t others) {
        reply("enqueue /l/turn-5-lock-",
              replies::placed(ticket_path(sequence), 100 + sequence, others));
    }
    void reader_enqueued(std::int32_t sequence, std::int32_t others) {
        reply("enqueue /l/turn-5-read-lock-",
              replies::placed(reader_path(sequence), 100 + sequence, others));
    }

    /// Connects, and has ticket 1 know the path "/l": its create is open.
    void begin_acquire() {
        connect();
        acquire(1);
        reply("get /l", replies::folder(5));
    }
    void begin_shared_acquire() {
        connect();
        acquire_shared(1);
        reply("get /l", replies::folder(5));
    }

    /// Connects, and has ticket 1 hold "/l" with the given sequence.
    void hold(std::int32_t sequence = 0) {
        begin_acquire();
        enqueued(sequence, 0);
        REQUIRE(told.take() == texts{"granted 1 token " + std::to_string(100 + sequence)});
    }

    /// The text of a release that hands the lock over to a ticket of this session.
    static std::string hand_over(std::int32_t from, std::int32_t to) {
        return "transact " + ticket_path(from) + "check " + ticket_path(to) + "; set " +
               ticket_path(from) + "; delete " + ticket_path(from);
    }
    /// The text of a beat that checks a waiting ticket and its predecessor.
    static std::string waiting_beat(std::int32_t own, std::int32_t before) {
        return "transact " + ticket_path(own) + "check " + ticket_path(own) + "; check " +
               ticket_path(before);
    }

    /// While connected: has ticket `id` hold "/m", and proves the lease by a beat.
    void hold_another(protocol::ticket_id id) {
        acquire(id, "/m");
        reply("get /m", replies::folder(5));
        reply("enqueue /m/turn-5-lock-", replies::placed("/m/turn-5-lock-0000000000", 200, 0));
        REQUIRE(told.take() == texts{"granted " + std::to_string(id) + " token 200"});
        live(2100ms);
    }

    /// Connects, and has ticket 1 wait behind another session's exclusive ticket.
    void wait(std::int32_t sequence = 1) {
        begin_acquire();
        enqueued(sequence, 1);
        reply("watch " + ticket_path(sequence - 1),
              replies::node(100 + sequence - 1, other_session));
        REQUIRE(told.take().empty());
        REQUIRE(open().empty());
    }

    protocol::instant now{1000s};
    scripted_port wire;
    recording_listener told;
    protocol::session_machine machine;
    protocol::request last_request;
    /// Each waiting ticket watches its own node. The fixture answers these watches, unless a test
    /// sets this to answer them itself.
    bool own_watches_by_hand = false;

private:
    static bool is_own_watch(const protocol::request& what) {
        const auto name = what.path.substr(what.path.rfind('/') + 1);
        return what.op == protocol::operation::get_children && what.watch &&
               (name.starts_with("turn-") || name.starts_with("open-"));
    }
    static bool is_beat(const protocol::request& what) {
        return what.op == protocol::operation::check || what.path == "/" ||
               (what.op == protocol::operation::transact &&
                std::ranges::all_of(what.steps, [](const auto& step) {
                    return step.what == protocol::step_kind::check;
                }));
    }
    /// Answers the own watches that are open first, up to the request `expected`.
    void answer_own_watches(const std::string& expected = {}) {
        while (!own_watches_by_hand && !wire.open.empty() && is_own_watch(wire.open.front().what) &&
               text_of(wire.open.front().what) != expected)
            answer_front(replies::node(1, our_session));
    }
    void answer_front(const protocol::reply& answer) {
        const auto id = wire.open.front().id;
        wire.open.pop_front();
        machine.on_reply(now, id, answer);
    }
    static protocol::acquire_request wish(const std::string& path) { return {.path = path}; }

    void answer_beats() {
        for (bool more = true; more;) {
            more = false;
            if (wire.open.empty())
                return;
            const auto& what = wire.open.front().what;
            const bool beat = is_beat(what);
            const bool own_watch =
                is_own_watch(what) || (what.op == protocol::operation::get && what.watch &&
                                       !what.path.ends_with("/limit"));
            if (beat || own_watch) {
                answer_front(own_watch ? replies::node(1, our_session) : replies::ok());
                more = true;
            }
        }
    }
};

} // namespace turnstile::test

// The names that each test of the machines uses.
using namespace turnstile::protocol;
using namespace turnstile::test;

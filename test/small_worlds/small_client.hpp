// A process of a small world: one session machine and its connections.
#pragma once

#include "small_server.hpp"
#include "state_words.hpp"

#include "promises/judge.hpp"
#include "protocol/session/session_machine.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace turnstile::test {

class small_client : private protocol::port, private protocol::listener {
public:
    /// The judge knows acquires by their tickets' ids, and locks by their paths.
    small_client(std::size_t number, promises::judge& judge, protocol::settings options);
    small_client(const small_client&) = delete;
    small_client& operator=(const small_client&) = delete;

    /// What somebody hears of parts, and of look-ups, while the machine is at work.
    struct ear {
        std::function<void(protocol::ticket_id, promises::happening, protocol::failure)> part{};
        std::function<void(protocol::inquiry_id, protocol::failure, const protocol::lock_key&)>
            key{};
    };
    void tell(ear whom) { ear_ = std::move(whom); }

    // Choices. Each takes the instant at which it is made.
    void connect(protocol::instant now);
    void acquire(protocol::instant now, protocol::ticket_id id,
                 const protocol::acquire_request& what);
    /// Parts of several locks taken as one; more than one are acquired together.
    void acquire_parts(protocol::instant now,
                       const std::vector<protocol::session_machine::one_of_several>& parts);
    void look_up(protocol::instant now, protocol::inquiry_id id,
                 const protocol::acquire_request& what);
    void cancel_look_up(protocol::instant now, protocol::inquiry_id id);
    void cancel(protocol::instant now, protocol::ticket_id id);
    void release(protocol::instant now, protocol::ticket_id id);
    void downgrade(protocol::instant now, protocol::ticket_id id);
    /// The ticket by which it is to hold the lock to write has no acquire of its own.
    void upgrade(protocol::instant now, protocol::ticket_id id, protocol::ticket_id writer);
    void close(protocol::instant now);
    void cut(protocol::instant now);
    void hear(protocol::instant now); // the first message under way to it
    void tick(protocol::instant now);

    /// The connection in use, or none.
    const small_server::connection_ptr& connection() const { return connection_; }
    /// Those that the client has left, and the server may still read from.
    const std::vector<small_server::connection_ptr>& old_connections() const { return old_; }
    /// That of the machine.
    model_session session() const { return machine_.session().session_id; }
    std::optional<protocol::instant> next_timer() const { return machine_.next_timer(); }
    bool closed() const { return closed_; }
    /// Those of its acquires, and of parts that are not over.
    std::vector<protocol::ticket_id> tickets() const;
    /// Those that were asked to become readers.
    bool has_downgraded(protocol::ticket_id id) const { return downgraded_.contains(id); }
    bool has_upgraded(protocol::ticket_id id) const { return upgraded_.contains(id); }
    bool has_any(promises::stage which) const;
    promises::stage stage_of(protocol::ticket_id id) const { return judge_.stage_of(id); }
    /// An operator ended its session: what it holds is lost before it can know.
    void forsake();

    /// All that it will do depends on this.
    void describe(state_words& to) const;
    /// Which inputs it has had, in order: all that its state depends on.
    void add_past_to(digest& sum) const;

private:
    void connect(const protocol::connect_request& to) override;
    void send(protocol::request_id id, const protocol::request& what) override;
    void drop() override;
    void close_session() override;

    void on_phase(protocol::session_phase) override;
    void on_connect_result(protocol::failure) override;
    void on_closed() override;
    void on_granted(protocol::ticket_id id, std::int64_t czxid) override;
    void on_acquire_failed(protocol::ticket_id id, protocol::failure why,
                           protocol::zookeeper_code code) override;
    void on_lost(protocol::ticket_id id, protocol::failure why) override;
    void on_released(protocol::ticket_id id, protocol::failure why,
                     protocol::zookeeper_code code) override;
    void on_downgraded(protocol::ticket_id id, protocol::failure why,
                       protocol::zookeeper_code code) override;
    void on_upgraded(protocol::ticket_id id, protocol::failure why, protocol::zookeeper_code code,
                     std::int64_t czxid) override;
    void on_deadline(const protocol::lease_instants&) override {}
    void on_risk(bool) override {}
    void on_looked_up(protocol::inquiry_id id, protocol::failure why, protocol::zookeeper_code code,
                      const protocol::lock_key& key) override;
    void on_answer(protocol::inquiry_id, const protocol::reply&) override {}
    void on_inquiry_failed(protocol::inquiry_id, protocol::failure) override {}
    void on_note(protocol::note_level, std::string_view) override {}

    enum class input : std::uint64_t {
        acquire,
        cancel,
        release,
        cut,
        hear,
        tick,
        downgrade,
        upgrade,
        connect,
        close,
        look_up,
    };
    digest& note(protocol::instant now, input what);
    template <class Input>
    void give(protocol::instant now, Input what);
    void leave_connection();
    void see(protocol::ticket_id id, promises::event what);
    void ask(protocol::ticket_id id, const protocol::acquire_request& what);
    void tell_part(protocol::ticket_id id, promises::happening what, protocol::failure why);
    void describe_connection(const small_connection& on, state_words& to) const;

    const std::size_t number_;
    promises::judge& judge_;
    protocol::session_machine machine_;
    small_server::connection_ptr connection_;
    std::vector<small_server::connection_ptr> old_;
    std::uint64_t connections_ = 0;
    std::map<protocol::request_id, protocol::request> open_; // sent on the connection in use
    bool drop_asked_ = false;
    bool closed_ = false;
    std::vector<protocol::ticket_id> tickets_;
    std::set<protocol::ticket_id> parts_; // those of them that are
    ear ear_;
    std::set<protocol::ticket_id> may_fail_; // cancelled, or with a limit, or of a closed session
    std::set<protocol::ticket_id> downgraded_;
    std::set<protocol::ticket_id> upgraded_; // those that were asked to become writers
    std::optional<model_session> forsaken_;
    digest history_;
};

} // namespace turnstile::test

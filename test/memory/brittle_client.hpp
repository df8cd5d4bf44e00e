// A process of a small world that runs out of memory once.
#pragma once

#include "allocation_fault.hpp"

#include "small_worlds/small_server.hpp"

#include "promises/judge.hpp"
#include "protocol/session/session_machine.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// One session machine whose allocations may fail, and so may whatever it asks of its port and
/// tells its listener, before and after the fact. Once an input has thrown, the machine is only
/// destroyed, and the session ended: as the engine does.
class brittle_client : private protocol::port, private protocol::listener {
public:
    brittle_client(small_server& server, promises::judge& judge, allocation_fault& fault);
    brittle_client(const brittle_client&) = delete;
    brittle_client& operator=(const brittle_client&) = delete;

    void connect(protocol::instant now);
    void acquire(protocol::instant now, protocol::ticket_id id, const std::string& path,
                 std::optional<protocol::duration> limit = {});
    void cancel(protocol::instant now, protocol::ticket_id id);
    void release(protocol::instant now, protocol::ticket_id id);
    void close(protocol::instant now);
    void cut(protocol::instant now);
    void expire(protocol::instant now); // by an operator's hand
    void hear(protocol::instant now);   // the first message under way to it
    void tick(protocol::instant now);

    bool broken() const { return !machine_; }
    bool closed() const { return closed_; }
    const small_server::connection_ptr& connection() const { return connection_; }
    std::optional<protocol::instant> next_timer() const;

private:
    using machine = protocol::session_machine;
    using input = std::function<void(machine&)>;
    void give(protocol::instant now, const input& what);
    template <class Effect>
    void fallible(Effect effect);
    void break_down();
    void leave_connection();
    void see(protocol::ticket_id id, promises::event what);

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
    void on_downgraded(protocol::ticket_id, protocol::failure, protocol::zookeeper_code) override {}
    void on_deadline(const protocol::lease_instants&) override {}
    void on_risk(bool) override {}
    void on_answer(protocol::inquiry_id, const protocol::reply&) override {}
    void on_inquiry_failed(protocol::inquiry_id, protocol::failure) override {}
    void on_note(protocol::note_level, std::string_view) override;

    small_server& server_;
    promises::judge& judge_;
    allocation_fault& fault_;
    std::optional<machine> machine_;
    small_server::connection_ptr connection_;
    model_session session_ = 0;
    bool drop_asked_ = false;
    bool closed_ = false;
    std::vector<protocol::ticket_id> tickets_;
};

} // namespace turnstile::test

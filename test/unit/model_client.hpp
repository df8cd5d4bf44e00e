// A process of the simulation: one session machine, its link, and what its callers were told.
#pragma once

#include "belief_checker.hpp"
#include "model_network.hpp"

#include "protocol/session_machine.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace turnstile::test {

class model_client : private protocol::listener {
public:
    enum class state { acquiring, held, releasing, over };
    struct acquire {
        protocol::acquire_request what;
        state now = state::acquiring;
        bool cancelled = false;
    };
    struct surroundings {
        model_network& network;
        belief_checker& beliefs;
        bool check_beliefs; // off where an operator deletes tickets
        std::function<void(const std::string&)> report;
        std::function<void(const std::string&)> trace;
        std::function<void(model_client&, protocol::ticket_id)> on_held;
    };

    model_client(std::string name, const surroundings& around, protocol::settings options,
                 std::uint64_t seed);

    void connect();
    void begin(protocol::ticket_id id, const protocol::acquire_request& what);
    /// These do nothing where the ticket has moved on.
    void cancel(protocol::ticket_id id);
    void release(protocol::ticket_id id);
    void close();
    /// The process dies: nothing that it believed counts, nothing more is told.
    void crash();
    /// An operator is about to end the session: what it holds is lost before it can know.
    void forsake();

    model_link& link() { return link_; }
    std::int64_t session() const { return machine_.session().session_id; }
    const std::string& name() const { return name_; }
    bool dead() const { return dead_; }
    bool closed() const { return closed_; }
    std::size_t acquiring() const { return count(state::acquiring); }
    std::size_t unsettled() const { return acquires_.size() - count(state::over); }
    std::vector<std::string> unsettled_texts() const;

private:
    void on_phase(protocol::session_phase phase) override;
    void on_connect_result(protocol::failure) override {}
    void on_closed() override;
    void on_granted(protocol::ticket_id id, std::int64_t czxid) override;
    void on_acquire_failed(protocol::ticket_id id, protocol::failure why,
                           protocol::zookeeper_code code) override;
    void on_lost(protocol::ticket_id id, protocol::failure why) override;
    void on_released(protocol::ticket_id id, protocol::failure why) override;
    void on_deadline(protocol::instant deadline, protocol::instant told) override;
    void on_note(protocol::note_level level, std::string_view text) override;

    template <class Function>
    void input(Function function);
    void arm();
    std::size_t count(state which) const;
    bool is_expected(const acquire& which, protocol::failure why) const;
    bool is_doomed() const; // the session is over, and the machine cannot know yet
    void wrong(protocol::ticket_id id, const std::string& text);
    void note(const std::string& text) { around_.trace(name_ + ' ' + text); }

    std::string name_;
    surroundings around_;
    model_link link_;
    protocol::session_machine machine_;
    std::map<protocol::ticket_id, acquire> acquires_;
    std::optional<protocol::instant> armed_;
    std::optional<std::int64_t> forsaken_; // a session that an operator ended
    bool small_budget_;
    bool dead_ = false;
    bool closing_ = false;
    bool closed_ = false;
};

} // namespace turnstile::test

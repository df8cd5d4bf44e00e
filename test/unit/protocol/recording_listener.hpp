// SPDX-License-Identifier: BSL-1.0
// A listener that writes down what it is told, one line an event.
#pragma once

#include "support/names.hpp"

#include "protocol/listener.hpp"
#include "protocol/wire/path_question.hpp"
#include "support/pch.hpp"

namespace turnstile::test {

class recording_listener : public protocol::listener, public protocol::lock_listener {
public:
    void on_phase(session_state phase) override { phases.push_back(name_of(phase)); }
    void on_connect_result(protocol::failure why) override {
        connect_results.push_back(name_of(why));
    }
    void on_closed() override { add("closed"); }

    void on_queued(protocol::ticket_id ticket, std::int32_t ahead) override {
        queued.push_back(std::to_string(ticket) + " behind " + std::to_string(ahead));
    }
    void on_moved_up(protocol::ticket_id ticket, std::int32_t ahead) override {
        queued.push_back(std::to_string(ticket) + " up behind " + std::to_string(ahead));
    }
    void on_granted(protocol::ticket_id ticket, std::int64_t czxid) override {
        deadline_at_grant = deadline;
        add("granted " + std::to_string(ticket) + " token " + std::to_string(czxid));
    }
    void on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                           protocol::zookeeper_code code) override {
        add("failed " + std::to_string(ticket) + ' ' + name_of(why));
        last_code = code;
    }
    void on_lost(protocol::ticket_id ticket, protocol::failure why) override {
        if (why == protocol::failure::lease_lost && (risks.empty() || risks.back() != "at risk"))
            add("no warning");
        add("lost " + std::to_string(ticket) + ' ' + name_of(why));
    }
    void on_limit_near(protocol::ticket_id ticket) override {
        add("near " + std::to_string(ticket));
    }
    void on_released(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code) override {
        add("released " + std::to_string(ticket) + ' ' + name_of(why));
        last_code = code;
    }
    void on_deadline(const protocol::lease_instants& in_force) override {
        deadline = in_force.deadline;
        told = in_force.loss_at;
    }
    void on_answer(protocol::inquiry_id id, const protocol::path_question& what) override {
        const bool failed = what.why() != protocol::failure::none;
        add((failed ? "unanswered " : "answered ") + std::to_string(id) +
            (failed ? ' ' + name_of(what.why()) : ""));
    }
    void on_written(protocol::inquiry_id id, const protocol::guarded_write&, protocol::failure why,
                    const protocol::reply& answer) override {
        const bool failed = why != protocol::failure::none;
        add((failed ? "unanswered " : "answered ") + std::to_string(id) +
            (failed ? ' ' + name_of(why) : ""));
        if (!failed)
            answers.push_back(answer);
    }
    void on_looked_up(protocol::inquiry_id id, protocol::failure why, protocol::zookeeper_code code,
                      const protocol::lock_key& key) override {
        last_code = code;
        if (why == protocol::failure::none)
            add("looked up " + std::to_string(id) + ": " + std::to_string(key.czxid) + ' ' +
                std::to_string(key.ctime));
        else
            add("not looked up " + std::to_string(id) + ' ' + name_of(why));
    }
    void on_risk(bool at_risk) override {
        risks.emplace_back(at_risk ? "at risk" : "out of danger");
    }
    void on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                       protocol::zookeeper_code code) override {
        add("downgraded " + std::to_string(ticket) + ' ' + name_of(why));
        last_code = code;
    }
    void on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code, std::int64_t czxid) override {
        add("upgraded " + std::to_string(ticket) + ' ' + name_of(why) +
            (why == protocol::failure::none ? " token " + std::to_string(czxid) : ""));
        last_code = code;
    }
    void on_missed_event(const std::string& node) override { events.push_back("missed " + node); }
    void on_note(log_level, std::string_view text) override { notes.emplace_back(text); }

    /// What came since the last call.
    std::vector<std::string> take() { return std::exchange(events, {}); }

    std::vector<std::string> events;
    std::vector<std::string> phases;
    std::vector<std::string> connect_results;
    std::vector<std::string> notes;
    std::vector<std::string> risks;
    std::vector<std::string> queued;
    std::optional<protocol::instant> deadline;
    std::optional<protocol::instant> told;
    std::optional<protocol::instant> deadline_at_grant;
    protocol::zookeeper_code last_code{};
    std::vector<protocol::reply> answers;

private:
    void add(std::string event) { events.push_back(std::move(event)); }
};

} // namespace turnstile::test

// What a machine asks, on its way to the link.
#pragma once

#include "protocol/port.hpp"

#include <cstddef>
#include <set>

namespace turnstile::test {

class asked_requests : public protocol::port {
public:
    explicit asked_requests(protocol::port& to) : to_(to) {}

    void connect(const protocol::connect_request& to) override {
        listings_.clear(); // what was open is lost
        to_.connect(to);
    }
    void send(protocol::request_id id, const protocol::request& what) override {
        if (what.op == protocol::operation::get && what.watch)
            ++watches_;
        syncs_ += what.op == protocol::operation::sync ? 1 : 0;
        checks_ += what.op == protocol::operation::check ? 1 : 0;
        if (what.op == protocol::operation::get_children)
            listings_.insert(id);
        to_.send(id, what);
    }
    void drop() override { to_.drop(); }
    void close_session() override { to_.close_session(); }

    /// Reads that were to leave a watch behind.
    std::size_t watches() const { return watches_; }
    /// Beats by `sync`; nothing else is one.
    std::size_t syncs() const { return syncs_; }
    /// Beats by writes, and the first word on a connection.
    std::size_t checks() const { return checks_; }
    /// Whether this asked for the children of a node. Tells it once.
    bool take_listing(protocol::request_id id) { return listings_.erase(id) > 0; }

private:
    protocol::port& to_;
    std::set<protocol::request_id> listings_;
    std::size_t watches_ = 0;
    std::size_t syncs_ = 0;
    std::size_t checks_ = 0;
};

} // namespace turnstile::test

// A session on which parts of several locks taken as one are acquired.
#pragma once

#include "promises/event.hpp"
#include "protocol/listener.hpp"
#include "protocol/session/acquire_request.hpp"

#include <functional>
#include <string>
#include <vector>

namespace turnstile::test {

/// That of a process of the simulation, or of a small world.
class part_session {
public:
    /// Hears of a part that it was granted, failed or was lost: at that instant, and not while the
    /// machine is at work.
    using part_listener = std::function<void(promises::happening what, protocol::failure why)>;
    struct part {
        protocol::ticket_id id = 0;
        protocol::acquire_request what{};
        part_listener told{};
    };
    /// In the same way.
    using key_listener = std::function<void(protocol::failure, const protocol::lock_key&)>;

    virtual ~part_session() = default;

    virtual const std::string& name() const = 0;
    /// Nobody would answer.
    virtual bool dead() const = 0;
    /// All that may be are made in one transaction.
    virtual void begin(const std::vector<part>& together) = 0;
    /// Asks for the key of a lock path.
    virtual protocol::inquiry_id look_up(const protocol::acquire_request& what,
                                         key_listener then) = 0;
    // These do nothing where the part, or the look-up, has moved on.
    virtual void give_up(protocol::ticket_id id) = 0;
    virtual void give_up_look_up(protocol::inquiry_id id) = 0;
    virtual void release(protocol::ticket_id id) = 0;
};

} // namespace turnstile::test

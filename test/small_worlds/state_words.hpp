// A state of a small world as a row of words, and its digest.
#pragma once

#include "model/model_txn.hpp"

#include "protocol/listener.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/time/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// Numbers whose value says nothing are told by what can be seen of them: a transaction or a
/// session by its rank among those that are spoken of, an instant by how far it is from now, a
/// client and its tickets by their place among clients that are alike. So states that differ in
/// names alone have one digest.
class state_words {
public:
    /// `groups`: clients with the same number are alike. Tickets are dealt to the clients in turn.
    state_words(protocol::instant now, const std::vector<std::size_t>& groups);

    /// What follows belongs to a client, until the next call; before the first, to none.
    void of_client(std::size_t client);
    /// What follows is left out where its name is `forgotten`: how a test shows that it is needed.
    void part(std::string_view name);
    void forget(std::string_view name) { forgotten_ = name; }

    void number(std::uint64_t value) { add(kind::number, value); }
    template <class Enum>
    void choice(Enum value) {
        number(static_cast<std::uint64_t>(value));
    }
    void flag(bool value) { number(value ? 1 : 0); }
    void text(std::string_view value);
    /// A path: its last part may be the name of a ticket, or of a lease.
    void node(std::string_view path);
    /// Of a node: what marks an acquire, or a limit.
    void data(std::string_view of_node);
    /// What marks an acquire: it ends in its ticket's number.
    void marked(std::string_view request);
    /// The next number that a child of a node gets. Of leases it says nothing.
    void children_made(std::string_view path, std::int32_t count);
    /// Of a node's data: all that matters is which others it equals. -1 is any.
    void version(std::string_view path, std::int32_t value);
    /// Which leases have lower numbers.
    void lease_bound(std::int32_t number) {
        add(kind::lease_number_beside, std::uint64_t{1} + static_cast<std::uint32_t>(number));
    }
    /// One of the client's attempts to take leases: it matters where a lease is, or may come to be.
    void attempt(std::uint64_t number) { add(kind::attempt_beside, of_row(number)); }
    void at(protocol::instant when);
    bool is_never(protocol::instant when) const;
    /// What is longer ago than that is all the same.
    void since(protocol::instant when, protocol::duration longest);
    void span(protocol::duration length) { number(static_cast<std::uint64_t>(length.count())); }
    void zxid(std::int64_t value) { add(kind::zxid, static_cast<std::uint64_t>(value)); }
    /// Only how it stands to the others matters.
    void zxid_beside(std::int64_t value) {
        add(kind::zxid_beside, static_cast<std::uint64_t>(value));
    }
    /// Only which of the others are later matters.
    void zxid_before(std::int64_t value) {
        add(kind::zxid_before, static_cast<std::uint64_t>(value));
    }
    void session(model_session value) { add(kind::session, static_cast<std::uint64_t>(value)); }
    void connection(std::uint64_t number) { add(kind::connection, number); }
    /// An acquire, a part of one, a look-up, a place in the line of a semaphore, or the semaphore
    /// that watches.
    void ticket(protocol::ticket_id id);
    template <class Ids>
    void tickets(const Ids& ids) {
        number(ids.size());
        for (const auto id : ids)
            ticket(id);
    }

    /// The smallest over all ways to exchange clients that are alike.
    std::uint64_t digest();

private:
    enum class kind : std::uint8_t {
        number,
        zxid,
        zxid_beside,
        zxid_before,
        session,
        connection,
        ticket,
        further,
        place,
        version,
        lease_number,
        lease_number_beside,
        attempt,
        attempt_beside,
    };
    struct word {
        kind what;
        std::uint64_t value;
    };
    struct rank_list { // of one client
        std::vector<std::uint64_t> sessions;
        std::vector<std::uint64_t> connections;
        std::vector<std::uint64_t> further;
        std::vector<std::uint64_t> places;
        std::vector<std::uint64_t> attempts;
    };
    static constexpr unsigned client_bits = 32; // from which on a value tells its client

    /// A value of the client whose row this is.
    std::uint64_t of_row(std::uint64_t value) const {
        return (std::uint64_t{row_} << client_bits) | value;
    }
    static std::size_t client_of(std::uint64_t value) { return (value >> client_bits) - 1; }
    void add_lease(const protocol::lease_name& name, bool has_number);
    std::uint64_t renamed_of_client(const word& which, const std::vector<std::size_t>& place) const;

    void add(kind what, std::uint64_t value) {
        if (!left_out_)
            rows_[row_].push_back({what, value});
    }
    void rank();
    std::uint64_t renamed(const word& which, const std::vector<std::size_t>& place) const;
    std::uint64_t digest_of(const std::vector<std::size_t>& order) const;

    const protocol::instant now_;
    const std::vector<std::size_t>& groups_;
    std::vector<std::vector<word>> rows_; // the first is of none, then one for each client
    std::size_t row_ = 0;
    std::string_view forgotten_;
    bool left_out_ = false;
    std::vector<std::uint64_t> zxids_;
    std::vector<std::uint64_t> versions_; // each with its path
    std::vector<std::uint64_t> lease_numbers_;
    std::vector<rank_list> ranks_;
};

} // namespace turnstile::test

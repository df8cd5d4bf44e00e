// SPDX-License-Identifier: BSL-1.0
// The two-write rule, instant by instant. T is 16 s: 3T/8 is 6 s.
#include "lease_terms.hpp"

#include "protocol/lease/lease.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test::lease_terms;
using namespace std::chrono_literals;

namespace {

constexpr bool a_read = false;
constexpr bool a_write = true;

// A session that began its handshake at 0, and got the first write answered: T from 0 is proved.
lease proved_lease() {
    lease proof;
    proof.connected(at(0s), at(1ms), T);
    proof.answered(at(1ms), at(2ms), a_write);
    return proof;
}

} // namespace

TEST_CASE("a connection alone proves nothing") {
    lease proof;
    CHECK_FALSE(proof.deadline());
    proof.connected(at(0s), at(1ms), T);
    CHECK_FALSE(proof.deadline());
    CHECK(proof.left(at(1ms)) == 0s);
}

TEST_CASE("reads alone prove nothing, however many and however long") {
    lease proof;
    proof.connected(at(0s), at(1ms), T);
    for (auto t = 1s; t < 100s; t += 1s)
        proof.answered(at(t), at(t + 1ms), a_read);
    CHECK_FALSE(proof.deadline());
}

TEST_CASE("one write on a new connection proves the instant before its handshake") {
    lease proof;
    proof.connected(at(3s), at(4s), T);
    proof.answered(at(5s), at(6s), a_write);
    CHECK(proof.deadline() == at(3s + T));
    CHECK(proof.left(at(5s)) == T - 2s);
}

TEST_CASE("a second write proves a request that was answered 3T/8 before the first") {
    auto proof = proved_lease();
    proof.answered(at(1s), at(1500ms), a_read);  // r
    proof.answered(at(7500ms), at(8s), a_write); // w1, 6 s after r's answer
    CHECK(proof.deadline() == at(T));            // one write is not enough
    proof.answered(at(8s), at(8100ms), a_write); // w2
    CHECK(proof.deadline() == at(1s + T));
}

TEST_CASE("with a stated tick the first write may follow after three quarters of it") {
    const auto early = GENERATE(0ns, 1ns);
    lease proof{2s};
    proof.connected(at(0s), at(1ms), T);
    proof.answered(at(1ms), at(2ms), a_write);
    proof.answered(at(3s), at(3100ms), a_read);          // r
    proof.answered(at(4600ms) - early, at(5s), a_write); // w1
    CHECK(proof.deadline() == at(T));
    proof.answered(at(5s), at(5100ms), a_write); // w2
    CHECK(proof.deadline() == (early == 0ns ? at(3s + T) : at(1ms + T)));
}

TEST_CASE("where T shrinks the gap of a stated tick does not exceed 3T/8") {
    lease proof{4s};
    proof.connected(at(0s), at(1ms), T);
    CHECK(proof.gap() == 3s);
    proof.connected(at(2s), at(2s), 8s);
    CHECK(proof.gap() == 3s);
    proof.connected(at(3s), at(3s), 4s);
    CHECK(proof.gap() == 1500ms);
}

TEST_CASE("a first write a nanosecond too early proves nothing newer") {
    auto proof = proved_lease();
    proof.answered(at(1s), at(1500ms), a_read);
    proof.answered(at(7500ms - 1ns), at(8s), a_write);
    proof.answered(at(8s), at(8100ms), a_write);
    CHECK(proof.deadline() == at(1ms + T)); // by the first write
}

TEST_CASE("a second write that was sent before the first one's answer proves nothing newer") {
    auto proof = proved_lease();
    proof.answered(at(1s), at(1500ms), a_read);
    proof.answered(at(7500ms), at(8s), a_write);
    proof.answered(at(8s - 1ns), at(8100ms), a_write);
    CHECK(proof.deadline() == at(T));
    proof.answered(at(8200ms), at(8300ms), a_read); // a read in its place neither
    CHECK(proof.deadline() == at(T));
    proof.answered(at(8400ms), at(8500ms), a_write);
    CHECK(proof.deadline() == at(1s + T));
}

TEST_CASE("a connection's end drops the candidates and keeps what is proved") {
    auto proof = proved_lease();
    proof.answered(at(1s), at(1500ms), a_read);
    proof.answered(at(8s), at(8100ms), a_write);
    proof.disconnected();
    CHECK(proof.deadline() == at(T));
    proof.answered(at(8200ms), at(8300ms), a_write); // whoever sends this: no connection, no proof
    CHECK(proof.deadline() == at(T));

    proof.connected(at(9s), at(9100ms), T);
    CHECK(proof.deadline() == at(T));
    proof.answered(at(9200ms), at(9300ms), a_read);
    CHECK(proof.deadline() == at(T));
    proof.answered(at(9400ms), at(9500ms), a_write);
    CHECK(proof.deadline() == at(9s + T));
}

TEST_CASE("when T shrinks the deadline in force shrinks with it, and does not grow again") {
    auto proof = proved_lease();
    CHECK(proof.deadline() == at(16s));
    proof.connected(at(5s), at(5100ms), 8s);
    CHECK(proof.timeout() == 8s);
    CHECK(proof.deadline() == at(8s));
    proof.connected(at(6s), at(6100ms), 20s);
    CHECK(proof.timeout() == 8s);
    CHECK(proof.deadline() == at(8s));
    proof.answered(at(6200ms), at(6300ms), a_write);
    CHECK(proof.deadline() == at(6s + 8s));
}

TEST_CASE("a new session starts with nothing, not even with the old T") {
    auto proof = proved_lease();
    proof.connected(at(1s), at(2s), 4s);
    proof.reset();
    CHECK_FALSE(proof.deadline());
    proof.connected(at(20s), at(20100ms), T);
    CHECK(proof.timeout() == T);
    CHECK_FALSE(proof.deadline());
    proof.answered(at(21s), at(21100ms), a_write);
    CHECK(proof.deadline() == at(20s + T));
}

TEST_CASE("the log of a session that asks without a pause does not grow either") {
    auto proof = proved_lease();
    for (auto t = 1ms; t < 100s; t += 1ms)
        proof.answered(at(t), at(t + 1ms), a_read);
    CHECK(proof.log_size() <= 2 * 64 + 2);
}

TEST_CASE("of what a hung connection answers at once the newest is to be proved") {
    auto proof = proved_lease();
    const auto deadline = proof.deadline();
    for (auto sent = 1000ms; sent <= 5s; sent += 1s)
        proof.answered(at(sent), at(8s + sent / 1000), a_read);
    CHECK(proof.next_proof(at(8100ms)) == at(8005ms + 6s)); // the newest answer, and 3T/8
    proof.answered(at(14005ms), at(14100ms), a_write);
    CHECK(proof.deadline() == deadline);
    proof.answered(at(14100ms), at(14200ms), a_write);
    CHECK(proof.deadline() == at(5s + T));
}

TEST_CASE("the next proof begins 3T/8 after an answer that is not proved yet") {
    lease proof;
    CHECK(proof.next_proof(at(0s)) == at(0s));
    proof.connected(at(0s), at(1ms), T);
    CHECK(proof.next_proof(at(5s)) == at(5s)); // one write will do
    proof.answered(at(5s), at(6s), a_write);
    CHECK(proof.next_proof(at(6s)) == at(12s));
    CHECK(proof.next_proof(at(7s)) == at(12s));
    CHECK(proof.next_proof(at(13s)) == at(13s));
    proof.answered(at(12s), at(12500ms), a_write); // w1 of that one
    CHECK(proof.next_proof(at(12500ms)) == at(12500ms));
    proof.answered(at(12500ms), at(13s), a_write); // w2
    CHECK(proof.deadline() == at(5s + T));
    CHECK(proof.next_proof(at(13s)) == at(18500ms));
    proof.disconnected();
    CHECK(proof.next_proof(at(13s)) == at(13s));
}

TEST_CASE(
    "where nothing is answered that would count, the next proof waits for a request to come") {
    lease proof{2s};
    proof.connected(at(0s), at(1ms), T);
    proof.answered(at(1ms), at(2ms), a_write);          // 0 is proved
    CHECK(proof.next_proof(at(1s)) == at(2s + 1500ms)); // asked at 2 s at the earliest
    CHECK(proof.next_proof(at(2500ms)) == at(4s));      // or now
    proof.answered(at(2s), at(2100ms), a_read);
    CHECK(proof.next_proof(at(2500ms)) == at(2100ms + 1500ms));
}

TEST_CASE("an answer that would prove hardly more is no next proof") {
    auto proof = proved_lease(); // 0 is proved
    proof.answered(at(1s), at(5s), a_write);
    proof.answered(at(2s - 1ns), at(5500ms), a_write); // of a server that hung, and answers at last
    CHECK(proof.next_proof(at(6s)) == at(12s));        // whatever is sent now
    proof.answered(at(2s), at(6s), a_write);
    CHECK(proof.next_proof(at(7s)) == at(12s));
    proof.answered(at(11500ms), at(12s), a_write); // w1, and its r is one of the first
    CHECK(proof.next_proof(at(12500ms)) == at(12500ms));
    proof.answered(at(12s), at(12500ms), a_write); // w2
    CHECK(proof.deadline() == at(2s - 1ns + T));
}

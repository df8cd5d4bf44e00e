// SPDX-License-Identifier: BSL-1.0
// What changes something is cancelled by total and partial types only where nothing has happened.
#include "integration/semaphore/semaphore_calls.hpp"
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"

using asio::cancellation_type;

namespace {

/// Of a cancellable, for each signature that begins with an error.
auto token_of(cancellable& of) {
    return asio::bind_cancellation_slot(
        of.signal.slot(), [done = of.make()](error_code why, auto&&...) mutable { done(why); });
}

/// All that can be changed, by a session behind a proxy.
struct change_stage : fixture {
    change_stage() {
        held = acquire_now(*this, writers);
        several = acquire_now(*this, both);
        leads = acquire_now(*this, reports.candidate("first"));
        victim = acquire_now(*this, theirs);
        static_cast<void>(acquire_now(*this, permits));
        to_evict = line_of(*this, ours).front();
        settle(*this, here);
    }

    static constexpr std::size_t changes = 9;
    struct change {
        const char* name;
        std::function<void(cancellable&)> start;
        op sent_as; // and it can be taken back until then; any: in no case

        bool waits_to_be_sent() const { return sent_as != op::any; }
    };
    std::vector<change> all() {
        return {
            {"release", [&](auto& c) { held.release(token_of(c)); }, op::any},
            {"release of several", [&](auto& c) { several.release(token_of(c)); }, op::any},
            {"downgrade", [&](auto& c) { held.downgrade(token_of(c)); }, op::any},
            {"close", [&](auto& c) { here.close(token_of(c)); }, op::any},
            {"guarded",
             [&](auto& c) { held.write_guarded(node_writes().create(made, ""), token_of(c)); },
             op::multi},
            {"proclaim", [&](auto& c) { leads.proclaim("second", token_of(c)); }, op::multi},
            {"evict", [&](auto& c) { ours.evict(to_evict, token_of(c)); }, op::multi},
            {"set_limit", [&](auto& c) { permits.set_limit(5, token_of(c)); }, op::multi},
            {"remove", [&](auto& c) { permits.remove(token_of(c)); }, op::multi},
        };
    }
    void poll() {
        context.restart();
        context.poll();
    }
    bool is_made() {
        const auto beside = children_of("/locks");
        return std::ranges::find(beside, made.substr(7)) != beside.end();
    }
    error_code limit_now() {
        return result_of(*this, [&](auto t) {
            permits.get_limit([t = std::move(t)](error_code why, std::uint32_t limit) mutable {
                CHECK(limit == 3);
                t(why);
            });
        });
    }

    const std::string path = fresh_path("types");
    const std::string made = path + ".made";
    frame_proxy proxy{shared_server().port()};
    session here{context, long_session(proxy.address())};
    session there{context, options_for()};
    shared_mutex writers{here, path};
    mutex first{here, path + "-first"};
    mutex second{here, path + "-second"};
    multi_lock both{first, second};
    election reports{here, path + "-reports"};
    semaphore permits{here, path + "-permits", 3};
    mutex ours{here, path + "-evict"};
    mutex theirs{there, path + "-evict"};
    held_lock held;
    held_lock several;
    held_lock leads;
    held_lock victim;
    participant to_evict;
};

} // namespace

TEST_CASE("what was sent is cancelled by the terminal type alone") {
    const auto which = GENERATE(range(std::size_t{0}, change_stage::changes));
    const auto type = GENERATE(every_cancellation_type());
    change_stage f;
    const auto all = f.all();
    REQUIRE(all.size() == change_stage::changes);
    CAPTURE(all[which].name, type);
    const auto rule = f.proxy.add_rule({.direction = direction::to_client,
                                        .op = all[which].sent_as, // and no read
                                        .times = 0,
                                        .action = action::hold});
    cancellable change;
    all[which].start(change);
    run_until_hit(f, f.proxy, rule);
    change.cancel(type);
    f.poll();
    CHECK(change.done() == (type == cancellation_type::terminal));
    f.proxy.clear_rules();
    f.proxy.release_held();
    CHECK(end_of(f, change) == (type == cancellation_type::terminal ? aborted : error_code{}));
}

TEST_CASE("what was not sent is cancelled by each type, and changes nothing") {
    const auto which = GENERATE(range(std::size_t{0}, change_stage::changes));
    const auto type = GENERATE(every_cancellation_type());
    change_stage f;
    const auto all = f.all();
    CAPTURE(all[which].name, type);
    f.proxy.set_outage(true);
    f.proxy.cut_all();
    f.run_until([&] { return f.here.state() == session_state::suspended; });
    cancellable change;
    all[which].start(change);
    f.poll();
    change.cancel(type);
    f.poll();
    if (all[which].name == std::string("close")) { // it waits for no connection
        CHECK(change.code() == error_code{});
        return;
    }
    const bool taken = type == cancellation_type::terminal || all[which].waits_to_be_sent();
    CHECK(change.done() == taken);
    f.proxy.set_outage(false);
    CHECK(end_of(f, change) == (taken ? aborted : error_code{}));
    if (!all[which].waits_to_be_sent())
        return; // it happens all the same
    settle(f, f.here);
    CHECK_FALSE(f.is_made());
    CHECK(f.limit_now() == error_code{});
    CHECK(f.victim.is_held());
    CHECK(children_of(f.path + "-evict").size() == 1);
    std::string leads_with;
    CHECK(result_of(f, [&](auto t) {
              f.reports.get_leader([&, t = std::move(t)](error_code why, leader_info now) mutable {
                  leads_with = now.value;
                  t(why);
              });
          }) == error_code{});
    CHECK(leads_with == "first");
}

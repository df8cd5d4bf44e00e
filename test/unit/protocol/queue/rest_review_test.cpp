// SPDX-License-Identifier: BSL-1.0
// Something is forgotten where two reviews in a row find it at rest, with no use in between.
#include "unit/protocol/machine_fixture.hpp"

#include "protocol/queue/rest_review.hpp"

#include <memory>
#include <optional>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct review_rig {
    void pass_one_rest() {
        now += context.options.queue_rest;
        context.requests.set_now(now);
        while (const auto due = context.clock.pop(now))
            (*due)();
    }
    bool is_forgotten() const { return !review; }

    scripted_port wire;
    recording_listener told;
    session_context context{machine_fixture::defaults(), [] { return std::uint64_t{0}; }, wire,
                            told};
    instant now{};
    std::optional<std::uint64_t> uses = 1;
    std::unique_ptr<rest_review> review = std::make_unique<rest_review>(
        context, [this] { return uses; }, [this] { review.reset(); });
};

} // namespace

TEST_CASE("what two reviews find at rest is forgotten") {
    review_rig f;
    f.pass_one_rest();
    CHECK_FALSE(f.is_forgotten());
    f.pass_one_rest();
    CHECK(f.is_forgotten());
    CHECK_FALSE(f.context.clock.next());
}

TEST_CASE("what is used is kept for two more reviews") {
    review_rig f;
    f.pass_one_rest();
    SECTION("and rests again") { f.uses = 2; }
    SECTION("and is in use still") { f.uses = std::nullopt; }
    f.pass_one_rest();
    CHECK_FALSE(f.is_forgotten());
    f.uses = 2;
    f.pass_one_rest();
    if (!f.is_forgotten()) // it was in use at the last review
        f.pass_one_rest();
    CHECK(f.is_forgotten());
}

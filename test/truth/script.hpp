// SPDX-License-Identifier: BSL-1.0
// Draws what happens next.
#pragma once

#include "model_side.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace turnstile::test {

using protocol::operation;

// Containers with tickets. The last may get a permission less for a while, and is never deleted: a
// real node's rights would go with it.
inline constexpr std::array folders{"/a", "/b/c", "/d"};

inline constexpr auto restricted = "/d";

/// Requests that the library sends, in any order and at any path, by sessions that come, lose their
/// connection, go and are ended; and other hands. Drawn from a seed and from the modelled world as
/// it stands, so that most requests meet what is there.
class script {
public:
    /// Without patience, no session is left to expire.
    script(std::uint64_t seed, const model_side& world, bool patient)
        : random_(seed), world_(world), patient_(patient) {}

    step next() {
        const auto who = below(world_.sessions());
        if (world_.connected(who)) {
            if (one_in(20))
                return {.what = step::kind::cut, .who = who};
            if (one_in(25))
                return end_a_session(who);
            return one_in(15) ? by_hand(who) : ask(who);
        }
        if (world_.tree().alive(world_.session(who)) && one_in(4))
            return {.what = may_expire(who) ? step::kind::expire : step::kind::session_end,
                    .who = who};
        return {.what = step::kind::connect, .who = who};
    }

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    // Time passes for all in the model, and a real server grants longer timeouts to the others.
    bool may_expire(std::size_t who) const {
        for (std::size_t other = 0; other < world_.sessions(); ++other)
            if (other != who && !world_.connected(other) && world_.session(other) != 0)
                return false;
        return patient_;
    }
    step ask(std::size_t who) {
        step result{.what = step::kind::ask, .who = who};
        for (auto burst = 1 + below(4); burst > 0; --burst)
            result.asked.push_back({++ids_[who], any_request()});
        return result;
    }
    step end_a_session(std::size_t who) {
        return {.what = one_in(2) ? step::kind::close : step::kind::session_end, .who = who};
    }
    step by_hand(std::size_t who) {
        if (denied_ && one_in(3))
            return {.what = step::kind::allow,
                    .path = restricted,
                    .right = *std::exchange(denied_, std::nullopt)};
        if (!denied_ && world_.tree().has(restricted)) {
            denied_ = static_cast<model_right>(below(4));
            return {.what = step::kind::deny, .path = restricted, .right = *denied_};
        }
        const auto path = any_node();
        if (path.starts_with(restricted)) // the model's other hand is not held by rights
            return ask(who);
        return {.what = one_in(2) ? step::kind::set : step::kind::remove, .path = path};
    }
    protocol::request any_request() {
        constexpr std::array prefixes{"/turn-5-lock-", "/turn-5-read-lock-", "/x-lock-"};
        constexpr std::array sizes{0, 1, 40, 3000};
        const auto size = static_cast<std::size_t>(sizes.at(below(sizes.size())));
        switch (below(20)) {
        case 19:
            return {.op = one_in(2) ? operation::unwatch : operation::unwatch_children,
                    .path = one_in(3) ? any_folder() : any_node()};
        case 15:
        case 16:
        case 17:
        case 18:
            return any_transaction(std::string(size, 'q'));
        case 14: {
            const auto path = one_in(2) ? any_node() : any_folder() + "/holder";
            return {.op = operation::delete_holder,
                    .path = path == restricted ? path + "/holder" : path,
                    .version = one_in(2) ? static_cast<std::int32_t>(below(20)) : -1};
        }
        case 12:
        case 13:
            return {.op = operation::create_holder,
                    .path = (one_in(12) ? any_node() : any_folder()) + "/holder",
                    .data = std::string(size, 'q')};
        case 0:
            return {.op = operation::create_container,
                    .path = one_in(5)   ? any_node() + "/below"
                            : one_in(4) ? "/b"
                                        : any_folder()};
        case 1:
        case 2:
        case 3:
            return {.op = operation::enqueue,
                    .path = (one_in(12) ? any_node() : any_folder()) +
                            prefixes.at(below(prefixes.size())),
                    .data = std::string(size, 'q')};
        case 4:
        case 5:
        case 6:
            return {.op = operation::get, .path = any_node(), .watch = !one_in(3)};
        case 7:
            return {.op = operation::get_children,
                    .path = one_in(6) ? any_node() : any_folder(),
                    .watch = one_in(3)};
        case 8:
            return {.op = operation::check, .path = any_node()};
        case 9:
            return {.op = operation::exists, .path = one_in(3) ? "/" : any_node()};
        default:
            break;
        }
        const auto path = any_node();
        const bool releases = one_in(2);
        if (path == restricted)
            return {.op = operation::get_children, .path = path};
        const auto kind = path.rfind("-lock-");
        if (releases && one_in(3) && kind != path.npos)
            return {.op = operation::downgrade,
                    .path = path,
                    .data = "q",
                    .target = std::string(path).insert(kind, "-down-read")};
        return {.op = releases ? operation::release : operation::remove,
                .path = path,
                .data = releases ? "released\n" : ""};
    }
    // Of nodes that have all their rights: which of several refusals is told first is not modelled.
    protocol::request any_transaction(const std::string& data) {
        using enum protocol::step_kind;
        protocol::request result{.op = operation::transact};
        for (auto steps = 1 + below(4); steps > 0; --steps) {
            const auto what = static_cast<protocol::step_kind>(below(6));
            auto path = any_node();
            while (path.starts_with(restricted))
                path = any_node();
            if (what == create_sequential)
                path = (one_in(2) ? "/a" : path) + "/turn-5-lock-";
            else if (what >= create)
                path = (one_in(2) ? "/a" : path) + "/" + std::string(one_in(2) ? "one" : "two");
            result.steps.push_back(
                {.what = what,
                 .path = path,
                 .data = data,
                 .version = what < create && one_in(3) ? static_cast<std::int32_t>(below(4)) : -1});
        }
        return result;
    }
    std::string any_folder() { return folders.at(below(folders.size())); }
    std::string any_node() {
        if (one_in(12))
            return one_in(2) ? "/nowhere" : any_folder() + "/turn-5-lock-0000000999";
        const auto folder = any_folder();
        const auto children = world_.tree().children(folder);
        if (children.empty() || one_in(6))
            return one_in(8) ? "/b" : folder;
        return folder + '/' + children[below(children.size())];
    }

    std::mt19937_64 random_;
    const model_side& world_;
    const bool patient_;
    std::optional<model_right> denied_{};
    std::map<std::size_t, protocol::request_id> ids_;
};

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
// A change of a semaphore, question by question: each must be the one expected, and is answered.
#pragma once

#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::test {

/// What is asked first, and where something is missing.
inline const std::string asks = "get /s/limit";
inline const std::string lists = "list /s";

struct change_run {
    protocol::semaphore_change what;
    protocol::request last{};

    std::string asked() const { return what.needs_path() ? "path" : text_of(what.question()); }
    /// Its question must be this one.
    void answer(const std::string& expected, const protocol::reply& with) {
        REQUIRE_FALSE(what.over());
        REQUIRE(asked() == expected);
        last = what.question();
        what.on_answer(with);
    }
    void answer(const std::string& expected, protocol::zookeeper_code with) {
        answer(expected, replies::code(with));
    }
    void path_made() {
        REQUIRE(asked() == "path");
        what.on_path(protocol::failure::none, protocol::zookeeper_code::ok);
    }
    /// "none", or how it has failed.
    std::string outcome() const {
        REQUIRE(what.over());
        return name_of(what.why());
    }
};

inline change_run setting(std::uint32_t limit) {
    return {protocol::semaphore_change::sets("/s", limit)};
}
inline change_run removing() { return {protocol::semaphore_change::removes("/s")}; }
inline change_run reading() { return {protocol::semaphore_change::reads("/s")}; }

inline protocol::reply limit_is(std::uint32_t limit, std::int32_t version = 4) {
    return {.stat = {.czxid = 7, .version = version}, .data = protocol::limit_text(limit)};
}
inline protocol::reply below_path(std::vector<std::string> children) {
    return {.stat = {.czxid = 5, .version = 2}, .children = std::move(children)};
}
inline std::string sets(std::int32_t version = 4) {
    return "transact /sset /s/limit@" + std::to_string(version);
}
/// The step of this number was denied.
inline protocol::reply denied(std::size_t step, std::size_t steps) {
    protocol::reply answer{.code = protocol::zookeeper_code::no_auth};
    answer.results.resize(steps, {.code = protocol::zookeeper_code::runtime_inconsistency});
    for (std::size_t i = 0; i < step; ++i)
        answer.results[i].code = protocol::zookeeper_code::ok;
    answer.results[step].code = protocol::zookeeper_code::no_auth;
    return answer;
}

} // namespace turnstile::test

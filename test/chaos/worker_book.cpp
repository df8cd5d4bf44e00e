// SPDX-License-Identifier: BSL-1.0
#include "worker_book.hpp"

#include <boost/json/object.hpp>

#include <unistd.h>

#include <utility>

namespace turnstile::chaos {
namespace {

std::string text_of(const error_code& code) {
    return std::string{code.category().name()} + ":" + std::to_string(code.value()) + " " +
           code.message();
}

} // namespace

void worker_book::start(std::chrono::milliseconds timeout) {
    writer_.write("start", {{"pid", ::getpid()}, {"timeout_ms", timeout.count()}});
}

void worker_book::session(std::int64_t id) {
    writer_.write("session", {{"session", test::history_hex(id)}});
}

void worker_book::ask(const wish& what, bool several) {
    const auto& lock = what.lock;
    boost::json::object line{
        {"id", what.id}, {"lock", lock.path()}, {"kind", word_of(lock.sort(), what.reads)}};
    if (lock.sort() == lock_sort::semaphore) {
        line["takes"] = what.takes;
        line["places"] = lock.limit();
    }
    if (several)
        line["several"] = true;
    writer_.write("ask", std::move(line));
}

void worker_book::grant(const wish& what, fencing_token token, lease_clock::time_point deadline,
                        std::int64_t session, bool several) {
    boost::json::object line{{"id", what.id},
                             {"lock", what.lock.path()},
                             {"kind", word_of(what.lock.sort(), what.reads)},
                             {"token", token.str()},
                             {"session", test::history_hex(session)},
                             {"deadline", deadline.time_since_epoch().count()}};
    if (several)
        line["several"] = true;
    writer_.write("grant", std::move(line));
}

void worker_book::lost(std::uint64_t id, const error_code& why) {
    writer_.write("lost", {{"id", id}, {"why", text_of(why)}});
}

void worker_book::release(std::uint64_t id, bool in_background) {
    if (in_background)
        writer_.write("release", {{"id", id}, {"background", true}});
    else
        writer_.write("release", {{"id", id}});
}

void worker_book::released(std::uint64_t id, const error_code& result) {
    writer_.write("released", {{"id", id}, {"code", text_of(result)}});
}

void worker_book::yielded(std::uint64_t id) { writer_.write("yielded", {{"id", id}}); }

void worker_book::downgrade(std::uint64_t id) { writer_.write("downgrade", {{"id", id}}); }

void worker_book::downgraded(std::uint64_t id, const error_code& result) {
    writer_.write("downgraded", {{"id", id}, {"code", text_of(result)}});
}

void worker_book::upgrade(std::uint64_t id) { writer_.write("upgrade", {{"id", id}}); }

void worker_book::upgraded(std::uint64_t id, const error_code& result, fencing_token token) {
    boost::json::object line{{"id", id}, {"code", text_of(result)}};
    if (!result)
        line["token"] = token.str();
    writer_.write("upgraded", std::move(line));
}

void worker_book::count(std::uint64_t id, std::uint64_t value) {
    writer_.write("count", {{"id", id}, {"value", value}});
}

void worker_book::counted(std::uint64_t id, const error_code& result, std::int32_t version) {
    writer_.write("counted", {{"id", id}, {"code", text_of(result)}, {"version", version}});
}

void worker_book::observed(std::uint64_t id, const std::string& lock, const leader_info& last,
                           std::size_t went_back) {
    writer_.write("observed", {{"id", id},
                               {"lock", lock},
                               {"token", last.fencing_token.str()},
                               {"session", test::history_hex(last.session_id)},
                               {"value", last.value},
                               {"went_back", went_back}});
}

void worker_book::fail(std::uint64_t id, const error_code& why) {
    writer_.write("fail", {{"id", id}, {"code", text_of(why)}});
}

void worker_book::stop(std::size_t not_served) {
    writer_.write("stop", {{"outstanding", not_served}});
}

} // namespace turnstile::chaos

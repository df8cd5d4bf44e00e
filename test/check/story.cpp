// SPDX-License-Identifier: BSL-1.0
#include "story.hpp"

#include "support/history_writer.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace turnstile::check {
namespace {

/// Stands in a transaction that a client asked for. The servers' own have cxid 0.
constexpr std::string_view asked_for = " cxid 0x1 ";

/// A transaction begins with this, in each log.
constexpr std::string_view date = "11/21/26";

/// Whether the line is of this writer and kind, and has this id, unless `id` is 0.
bool is(const boost::json::object& line, const std::string& who, const std::string& kind, int id) {
    const auto has = [&](const char* field, const std::string& text) {
        return std::string_view{line.at(field).as_string()} == text;
    };
    return has("p", who) && has("k", kind) && (id == 0 || line.at("id").to_number<int>() == id);
}

/// Writes the record of a path as a multi shows it: four bytes of length, and the path.
std::string record(const std::string& path) {
    return std::string(3, '\0') + static_cast<char>(path.size()) + path;
}

std::string hex(std::int64_t value) { return "0x" + test::history_hex(value); }

} // namespace

void story::say(std::int64_t ms, const std::string& who, const std::string& kind,
                boost::json::object fields) {
    fields["t"] = ms * millisecond;
    fields["p"] = who;
    fields["k"] = kind;
    lines.push_back(std::move(fields));
}

boost::json::object& story::line(const std::string& who, const std::string& kind, int id) {
    for (auto& l : lines)
        if (is(l, who, kind, id))
            return l;
    throw std::logic_error{"the story has no such line"};
}

void story::forget(const std::string& who, const std::string& kind, int id) {
    auto& forgotten = line(who, kind, id);
    lines.erase(lines.begin() + (&forgotten - lines.data()));
    if (kind == "release")
        std::erase_if(lines, [&](const auto& l) { return is(l, who, "released", id); });
}

void story::at(std::int64_t ms, const std::string& who, const std::string& kind, int id) {
    line(who, kind, id)["t"] = ms * millisecond;
    for (auto& l : lines)
        if (kind == "release" && is(l, who, "released", id))
            l["t"] = (ms + 10) * millisecond;
}

void story::in_background(const std::string& who, int id) {
    line(who, "release", id)["background"] = true;
    std::erase_if(lines, [&](const auto& l) { return is(l, who, "released", id); });
}

void story::serve(std::int64_t ms) {
    const std::string who = "worker-3";
    const std::string lock = "/l/z";
    if (served_ == 0) {
        say(ms, who, "start", {{"pid", 1}, {"timeout_ms", 1000}});
        say(ms, who, "session", {{"session", "33"}});
        say(5000, who, "stop", {{"outstanding", 0}});
    }
    const int id = ++served_;
    const auto made = 0x100 + 2 * id; // a zxid behind those of good()
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%016x-%016x", made, 0);
    const std::string token = text.data();
    std::snprintf(text.data(), text.size(), "/turn-3-lock-%010d", id);
    const std::string path = lock + text.data();
    say(ms, who, "ask", {{"id", id}, {"lock", lock}, {"kind", "exclusive"}});
    say(ms, who, "grant", {{"id", id}, {"lock", lock}, {"token", token}, {"session", "33"}});
    say(ms, who, "release", {{"id", id}});
    say(ms, who, "released", {{"id", id}, {"code", "system:0 Success"}});
    create(made, 0x33, path, "z-" + std::to_string(id));
    hand_off(made + 1, 0x33, path);
}

void story::log(std::int64_t zxid, std::int64_t session, const std::string& text) {
    for (auto& all : logs) {
        all += date;
        all += ", 6:44:51 AM UTC session " + hex(session);
        all += asked_for;
        all += "zxid " + hex(zxid) + ' ' + text + '\n';
    }
}

void story::create(std::int64_t zxid, std::int64_t session, const std::string& path,
                   const std::string& request) {
    log(zxid, session,
        "create2 " + path + ",turnstile=1\nrequest=" + request +
            "\nhost=here\npid=1\n,[31,s{'world,'anyone}\n],true,1");
}

void story::hand_off(std::int64_t zxid, std::int64_t session, const std::string& path) {
    log(zxid, session,
        "multi setData:" + record(path) + std::string("\0\0\0\treleased\n\0\0\0\1", 17) +
            ";delete:" + record(path));
}

void story::transact(std::int64_t zxid, std::int64_t session, const std::vector<part>& parts) {
    std::string text = "multi ";
    for (const auto& each : parts) {
        text += text.ends_with(' ') ? "" : ";";
        text += each.operation + ':' + record(each.path);
        text +=
            each.request.empty() ? "" : "turnstile=1\nrequest=" + each.request + "\nhost=here\n";
    }
    log(zxid, session, text);
}

void story::remove(std::int64_t zxid, std::int64_t session, const std::string& path) {
    log(zxid, session, "delete '" + path);
}

void story::set(std::int64_t zxid, std::int64_t session, const std::string& path,
                const std::string& data) {
    log(zxid, session, "setData " + path + ',' + data + ",1");
}

void story::close(std::int64_t zxid, std::int64_t session) {
    log(zxid, session, "closeSession v{}");
}

void story::expire(std::int64_t zxid, std::int64_t session) {
    close(zxid, session);
    for (auto& text : logs) {
        const auto last = text.rfind(date);
        text.replace(text.find(asked_for, last), asked_for.size(), " cxid 0x0 ");
    }
}

void story::unlog(std::initializer_list<std::int64_t> zxids) {
    for (const auto zxid : zxids) {
        for (auto& text : logs) {
            const auto label = text.find(" zxid " + hex(zxid) + ' ');
            if (label == std::string::npos)
                throw std::logic_error{"the story has no such transaction"};
            const auto begin = text.rfind(date, label);
            const auto next = text.find(date, label);
            text.erase(begin, next == std::string::npos ? next : next - begin);
        }
    }
}

verdict story::check(const check_options& how) const {
    auto in_time = lines;
    std::stable_sort(in_time.begin(), in_time.end(), [](const auto& a, const auto& b) {
        return a.at("t").template to_number<std::int64_t>() <
               b.at("t").template to_number<std::int64_t>();
    });
    std::string text;
    for (const auto& l : in_time)
        text += boost::json::serialize(l) + '\n';
    std::istringstream in{text};
    history told;
    read_history(in, "story", told);
    transaction_log transactions;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        std::istringstream log_in{"ZooKeeper Transactional Log File with dbid 0 txnlog format "
                                  "version 2\n" +
                                  logs[i] + "EOF reached after 9 txns.\n"};
        const auto own = snapshots.find(i);
        transactions.read(log_in, "server-" + std::to_string(i + 1),
                          own != snapshots.end() ? own->second : std::vector<std::int64_t>{});
    }
    return check_run(told, transactions, how);
}

std::string story::ticket(int sequence) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "/l/a/turn-3-lock-%010d", sequence);
    return text.data();
}

story story::good() {
    story s;
    s.say(0, "schedule", "settings", {{"timeout_ms", 1000}});
    for (const std::string n : {"1", "2"}) {
        s.say(10, "worker-" + n, "start", {{"pid", 1}, {"timeout_ms", 1000}});
        s.say(20, "worker-" + n, "session", {{"session", n + n}});
        s.say(30, "worker-" + n, "ask", {{"id", 1}, {"lock", "/l/a"}, {"kind", "exclusive"}});
    }
    const auto grant = [&](std::int64_t ms, const std::string& n, const char* token) {
        s.say(ms, "worker-" + n, "grant",
              {{"id", 1},
               {"lock", "/l/a"},
               {"kind", "exclusive"},
               {"token", token},
               {"session", n + n},
               {"deadline", 0}});
        s.say(ms + 10, "store", "write",
              {{"worker", "worker-" + n},
               {"id", "1"},
               {"lock", "/l/a"},
               {"token", token},
               {"accepted", true}});
        s.say(ms + 100, "worker-" + n, "release", {{"id", 1}});
        s.say(ms + 110, "worker-" + n, "released", {{"id", 1}, {"code", "system:0 Success"}});
    };
    grant(100, "1", "0000000000000010-0000000000000000");
    grant(205, "2", "0000000000000011-0000000000000000");
    s.say(350, "worker-1", "ask", {{"id", 2}, {"lock", "/l/a"}, {"kind", "exclusive"}});
    s.say(360, "worker-1", "fail", {{"id", 2}, {"code", "timeout"}});
    s.say(5000, "worker-1", "stop");
    s.say(5000, "worker-2", "stop", {{"outstanding", 0}});
    s.say(4900, "schedule", "heal");
    s.say(5100, "schedule", "served", {{"outstanding", 0}});
    s.say(5200, "schedule", "left",
          {{"lock", "/l/a"}, {"children", boost::json::value(boost::json::array_kind)}});
    s.say(5300, "schedule", "counters", {{"events", 0}});
    s.say(5300, "schedule", "end");

    s.create(0x10, 0x11, ticket(0), "a-1");
    s.create(0x11, 0x22, ticket(1), "b-1");
    s.hand_off(0x12, 0x11, ticket(0));
    s.hand_off(0x13, 0x22, ticket(1));
    s.create(0x14, 0x11, ticket(2), "a-2");
    s.remove(0x15, 0x11, ticket(2));
    s.close(0x16, 0x11);
    s.close(0x17, 0x22);
    return s;
}

words rules_of(const verdict& v) {
    words result;
    for (const auto& d : v.details)
        result.insert(d.rule);
    return result;
}

bool says(const verdict& v, const std::string& rule, const std::string& text) {
    return std::any_of(v.details.begin(), v.details.end(), [&](const auto& d) {
        return d.rule == rule && d.text.find(text) != std::string::npos;
    });
}

bool breaks_only(const story& s, const std::string& rule, const std::string& text) {
    const auto v = s.check();
    for (const auto& d : v.details)
        UNSCOPED_INFO(d.rule << ": " << d.text);
    return rules_of(v) == words{rule} && says(v, rule, text);
}

} // namespace turnstile::check

// SPDX-License-Identifier: BSL-1.0
#include "history.hpp"

#include "line_fields.hpp"
#include "proxy_lines.hpp"

#include <turnstile/error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <exception>
#include <istream>
#include <stdexcept>
#include <utility>

namespace turnstile::check {
namespace {

namespace json = boost::json;
using namespace line_fields;
using promises::happening;

constexpr instant millisecond = 1'000'000;

std::string key_of(const std::string& worker, const std::string& id) { return worker + ' ' + id; }

/// Takes in lines, each a JSON object: `p` says who wrote it, `k` of which kind it is, `t` when.
class reader {
public:
    explicit reader(history& out) : out_{out}, of_proxies_{out} {}

    void line(const json::object& it) {
        t_ = it.at("t").to_number<std::int64_t>();
        out_.first = std::min(out_.first, t_);
        out_.last = std::max(out_.last, t_);
        const auto writer = text(it, "p");
        const auto kind = text(it, "k");
        if (writer == "store") {
            store(kind, it);
        } else if (writer == "schedule") {
            schedule(kind, it);
        } else if (writer.starts_with("proxy-")) {
            out_.proxies_heard.insert(writer);
            of_proxies_.line(t_, writer, kind, it);
        } else {
            of_worker(writer, kind, it);
        }
    }

private:
    worker& who(const std::string& name) {
        const auto [at, is_new] = out_.worker_index.try_emplace(name, out_.workers.size());
        if (is_new)
            out_.workers.emplace_back().name = name;
        return out_.workers[at->second];
    }

    void of_worker(const std::string& name, const std::string& kind, const json::object& it) {
        auto& speaker = who(name);
        if (kind == "start") {
            speaker.timeout = number(it, "timeout_ms", 0) * millisecond;
        } else if (kind == "session") {
            speaker.sessions.insert(hex(it, "session"));
        } else if (kind == "stop") {
            speaker.stopped = t_;
            speaker.outstanding = static_cast<std::uint64_t>(number(it, "outstanding", 0));
        } else if (kind == "ask") {
            ask(name, it);
        } else if (kind == "observed") {
            out_.observations.push_back({name + "'s observer " + text(it, "id"), text(it, "lock"),
                                         token(it, "token"), hex(it, "session"), text(it, "value"),
                                         number(it, "went_back", 0)});
            out_.elections.insert(text(it, "lock"));
        } else {
            of_acquire(name, kind, it);
        }
    }

    void ask(const std::string& name, const json::object& it) {
        acquire a;
        a.worker = out_.worker_index.at(name);
        a.id = text(it, "id");
        a.lock = text(it, "lock");
        claims(a, it);
        a.several = it.contains("several");
        if (it.contains("kind") && text(it, "kind") == "election")
            out_.elections.insert(a.lock);
        a.asked = t_;
        live_on(a, happening::asks);
        if (!out_.acquire_index.emplace(key_of(name, a.id), out_.acquires.size()).second)
            throw std::runtime_error{"asked twice"};
        out_.acquires.push_back(std::move(a));
    }

    static void claims(acquire& a, const json::object& it) {
        const auto what = claim_of(text(it, "kind"));
        if (!what)
            throw std::runtime_error{"asks for no kind of lock"};
        a.what = *what;
        a.takes = taken_by(a.what == claim::exclusive);
        if (a.what == claim::permits) {
            a.takes = static_cast<promises::units>(number(it, "takes", 1));
            a.places = static_cast<promises::units>(number(it, "places", 0));
        } else if (a.what == claim::node) {
            a.takes = promises::single_node_mutex.all();
        }
    }

    void of_acquire(const std::string& name, const std::string& kind, const json::object& it) {
        static const std::set<std::string_view> known{
            "grant",   "fail",     "lost",     "release", "downgrade", "downgraded",
            "upgrade", "upgraded", "released", "count",   "counted"};
        if (known.count(kind) == 0)
            return; // it is a remark for people
        const auto at = out_.acquire_index.find(key_of(name, text(it, "id")));
        if (at == out_.acquire_index.end())
            throw std::runtime_error{"never asked for"};
        auto& a = out_.acquires[at->second];
        if (kind == "grant") {
            live_on(a, happening::granted);
            grant(a, it);
        } else if (kind == "fail") {
            live_on(a, happening::failed);
            a.failed = true;
            a.failed_at = t_;
        } else if (kind == "lost") {
            live_on(a, happening::lost);
            a.lost = t_;
            a.why = text(it, "why");
        } else if (kind == "release") {
            a.awaited = !it.contains("background");
            live_on(a, happening::releases);
            a.released = t_;
        } else if (kind == "downgrade" || kind == "upgrade") {
            begin_change(a, kind == "upgrade");
        } else if (kind == "downgraded" || kind == "upgraded") {
            end_change(a, kind == "upgraded", it);
        } else if (kind == "count") {
            if (!a.has_lock() || a.released != never)
                throw std::runtime_error{"counts under what it does not hold"};
            a.increments.push_back({.value = number(it, "value", 0)});
        } else if (kind == "counted") {
            if (a.increments.empty() || !a.increments.back().answer.empty())
                throw std::runtime_error{"told of a write that nobody had asked for"};
            a.increments.back().answer = text(it, "code");
            a.increments.back().version = number(it, "version", -1);
        } else {
            live_on(a, happening::released);
            a.answered = t_;
            a.answer = text(it, "code");
            if (a.was_released())
                out_.answers.push_back(t_);
        }
    }

    /// Takes an acquire's lines in their order. A line that cannot be true is left out.
    static void live_on(acquire& a, happening what) {
        const promises::event next{.what = what, .awaited = a.awaited};
        if (const auto wrong = promises::live_on(a.life, next); !wrong.empty())
            throw std::runtime_error{std::string{wrong}};
    }

    void begin_change(acquire& a, bool to_write) const {
        if (!a.has_lock() || a.released != never)
            throw std::runtime_error{"changes what it does not hold"};
        if (!a.changes.empty() && a.changes.back().answered == never)
            throw std::runtime_error{"asks for two changes at once"};
        a.changes.push_back({.to_write = to_write, .asked = t_, .answer = {}});
    }

    void end_change(acquire& a, bool to_write, const json::object& it) const {
        if (a.changes.empty() || a.changes.back().answered != never ||
            a.changes.back().to_write != to_write)
            throw std::runtime_error{"told of a change that nobody had asked for"};
        auto& its = a.changes.back();
        its.answer = text(it, "code");
        its.answered = t_;
        its.token = to_write && its.succeeded() ? token(it, "token") : 0;
    }

    void grant(acquire& a, const json::object& it) {
        if (text(it, "lock") != a.lock)
            throw std::runtime_error{"granted another lock than the one asked for"};
        a.granted = t_;
        a.token = token(it, "token");
        a.session = hex(it, "session");
    }

    void store(const std::string& kind, const json::object& it) {
        if (kind == "write") {
            out_.writes.push_back({text(it, "worker"), text(it, "id"), text(it, "lock"),
                                   token(it, "token"), it.at("accepted").as_bool()});
        }
    }

    void schedule(const std::string& kind, const json::object& it) {
        out_.schedule_lines.insert(kind);
        if (kind == "settings") {
            out_.timeout = number(it, "timeout_ms", 0) * millisecond;
            out_.servers = static_cast<std::uint64_t>(number(it, "servers", 1));
            out_.proxies = static_cast<std::uint64_t>(number(it, "proxies", 0));
        } else if (kind == "fault") {
            ++out_.faults;
            fault(text(it, "what"), it);
        } else if (kind == "pause") {
            pause(text(it, "target"), number(it, "until", never));
        } else if (kind == "resume") {
            const auto target = text(it, "target");
            if (!is_server(target) && !who(target).pauses.empty())
                who(target).pauses.back().to = t_;
        } else if (kind == "kill") {
            kill(it);
        } else if (kind == "deleted") {
            out_.outside_acts.push_back({t_, text(it, "path"), 0, number(it, "since", never)});
        } else if (kind == "left") {
            auto& nodes = out_.left[text(it, "lock")];
            for (const auto& child : it.at("children").as_array())
                nodes.emplace_back(child.as_string());
        } else if (kind == "counter") {
            out_.counters[text(it, "lock")] = {number(it, "value", 0), number(it, "version", -1)};
        } else if (kind == "leads") {
            out_.leaders[text(it, "lock")] = {token(it, "token"), hex(it, "session")};
        } else if (kind == "served") {
            out_.outstanding = static_cast<std::uint64_t>(number(it, "outstanding", 0));
        } else if (kind == "harm") { // from now on this server may not serve
            out_.server_faults.push_back({number_of_server(text(it, "target")), true, {t_, never}});
        } else if (kind == "whole") { // all servers serve again
            for (auto& f : out_.server_faults)
                f.when.to = f.of_server ? std::min(f.when.to, t_) : f.when.to;
        } else if (kind == "failure") {
            out_.failures.push_back(text(it, "text"));
        } else if (kind == "counters") {
            out_.events += static_cast<std::uint64_t>(number(it, "events", 0));
        } else if (kind == "remark" && text(it, "text").find(" ended b") != std::string::npos) {
            throw std::runtime_error{text(it, "text")}; // says that a worker crashed
        }
    }

    void fault(const std::string& what, const json::object& it) {
        const auto target = text(it, "target");
        if (what == "session end") {
            out_.outside_acts.push_back({t_, {}, hex(it, "target"), number(it, "since", never)});
        } else if (target.starts_with("proxy-")) {
            // A fault of one connection is over when the client has given that connection up.
            const bool lasts = what.find(" all") != std::string::npos;
            const auto seconds = lasts ? it.at("seconds").to_number<double>() : 0;
            out_.server_faults.push_back(
                {number_of_server(target), false, {t_, t_ + static_cast<instant>(seconds * 1e9)}});
        }
    }

    void pause(const std::string& target, instant until) {
        if (!is_server(target))
            who(target).pauses.push_back({t_, until});
        // A short pause of a server makes a follower lag, which is a kind of fault by itself.
        if (!is_server(target) || until - t_ > out_.timeout) {
            ++out_.process_faults;
            ++out_.faults;
        }
    }

    void kill(const json::object& it) {
        const auto target = text(it, "target");
        ++out_.faults;
        if (is_server(target)) {
            out_.leader_crashes += it.contains("role") && it.at("role") == "leader" ? 1 : 0;
        } else {
            ++out_.process_faults;
            who(target).killed = t_;
        }
    }

    history& out_;
    proxy_lines of_proxies_;
    instant t_ = 0;
};

} // namespace

bool increment::is_open() const {
    static const std::string unknown = make_error_code(error::outcome_unknown).message();
    return answer.empty() || answer.find(unknown) != std::string::npos;
}

std::int64_t acquire::last_token() const {
    std::int64_t result = token;
    for (const auto& each : changes)
        result = each.token != 0 ? each.token : result;
    return result;
}

instant history::timeout_of(const acquire& a) const {
    constexpr instant by_default = 15'000'000'000;
    const auto own = workers[a.worker].timeout;
    return own != 0 ? own : timeout != 0 ? timeout : by_default;
}

std::optional<std::size_t> history::find(const std::string& worker_name,
                                         const std::string& id) const {
    const auto at = acquire_index.find(key_of(worker_name, id));
    return at == acquire_index.end() ? std::nullopt : std::optional{at->second};
}

void read_history(std::istream& in, const std::string& name, history& out) {
    reader to{out};
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) {
        ++count;
        try {
            to.line(json::parse(line).as_object());
        } catch (const std::exception& e) {
            out.complaints.push_back(name + ':' + std::to_string(count) + ": " + e.what());
        }
    }
}

} // namespace turnstile::check

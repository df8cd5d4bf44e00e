#include "fault_rig.hpp"

#include "support/four_letter_word.hpp"
#include "support/pch.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;

void journal::granted(const contender& who) {
    for (const auto other : holding)
        overlaps += other->lock.is_held() ? 1 : 0;
    holding.insert(&who);
    grants.push_back({&who, who.token});
}

bool journal::tokens_grow() const {
    return std::ranges::adjacent_find(grants, [](const entry& a, const entry& b) {
               return a.token >= b.token;
           }) == grants.end();
}

bool journal::in_order(const std::vector<const contender*>& expected) const {
    auto next = expected.begin();
    for (const auto& grant : grants)
        if (next != expected.end() && grant.who == *next)
            ++next;
    return next == expected.end();
}

contender::contender(session& owner, const std::string& path, journal* book)
    : where(owner, path), book_(book), rest_(owner.get_executor()) {}

contender::~contender() {
    if (book_)
        book_->holding.erase(this);
}

void contender::start() {
    ++started;
    failure = {};
    loss.reset();
    release_result.reset();
}

std::function<void(error_code, held_lock)> contender::on_acquire() {
    start();
    return [this](const error_code& result, held_lock granted) {
        on_acquired(result, std::move(granted));
    };
}

void contender::acquire() {
    where.acquire(asio::bind_cancellation_slot(cancellation_.slot(), on_acquire()));
}

void contender::acquire_for(std::chrono::milliseconds limit) {
    where.acquire_for(limit, asio::bind_cancellation_slot(cancellation_.slot(), on_acquire()));
}

void contender::try_acquire() {
    where.try_acquire(asio::bind_cancellation_slot(cancellation_.slot(), on_acquire()));
}

void contender::cancel() { cancellation_.emit(asio::cancellation_type::terminal); }

void contender::on_acquired(const error_code& result, held_lock granted) {
    ++completed;
    failure = result;
    if (result)
        return;
    ++grants;
    token = granted.fencing_token();
    granted_at = lease_clock::now();
    if (book_)
        book_->granted(*this);
    lock = std::move(granted);
    if (release_when_granted && hold_for.count() == 0)
        return release();
    lock.lost([this, of = token](const error_code& why) {
        if (why == asio::error::operation_aborted || of != token)
            return;
        loss = why;
        lost_at = lease_clock::now();
    });
    lock.at_risk([this, of = token](const error_code& why) {
        if (why == asio::error::operation_aborted || of != token)
            return;
        risk = why;
        at_risk_at = lease_clock::now();
    });
    if (release_when_granted)
        release_soon();
}

void contender::release_soon() {
    rest_.expires_after(hold_for);
    rest_.async_wait([this, of = token](const error_code& aborted) {
        if (!aborted && holds() && of == token)
            release();
    });
}

void contender::release() {
    ++started;
    if (book_)
        book_->holding.erase(this);
    lock.release([this](const error_code& result) {
        ++completed;
        release_result = result;
    });
}

crowd::crowd(const std::vector<session*>& sessions, const std::string& path, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(std::make_unique<contender>(*sessions[i % sessions.size()], path, &book));
}

void crowd::line_up() {
    for (const auto& each : all)
        each->acquire();
}

void crowd::line_up_in_order(fixture& f, onlooker& eyes) {
    for (const auto& each : all) {
        const auto& path = each->where.path();
        const auto before = eyes.count(path);
        each->acquire();
        await_children(f, eyes, path, before + 1);
    }
}

void crowd::release_when_granted(std::chrono::milliseconds hold_for) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& each = all[i];
        each->release_when_granted = true;
        if (i % 3 == 0)
            each->hold_for = hold_for;
        if (each->holds())
            each->release();
    }
}

bool crowd::all_done() const {
    return std::ranges::all_of(all, [](const auto& c) { return c->started == c->completed; });
}

std::size_t crowd::failures() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const auto& c) { return c->failed(); }));
}

std::vector<const contender*> crowd::in_line() const {
    std::vector<const contender*> result;
    for (const auto& each : all)
        result.push_back(each.get());
    return result;
}

onlooker::onlooker(std::string address) : address_(std::move(address)) {}

foreign_client& onlooker::client() {
    if (!client_ || client_->exists("/") != 0)
        client_.emplace(address_);
    return *client_;
}

std::size_t onlooker::count(const std::string& path) {
    node_info info;
    const int rc = client().exists(path, &info);
    return rc == 0 ? static_cast<std::size_t>(info.children) : 0;
}

std::vector<std::string> onlooker::children(const std::string& path) {
    std::vector<std::string> names;
    client().children(path, &names);
    std::ranges::sort(names, {}, [](const std::string& name) {
        return name.size() < 10 ? name : name.substr(name.size() - 10);
    });
    return names;
}

node_info onlooker::info(const std::string& node) {
    node_info result;
    if (const int rc = client().exists(node, &result); rc != 0)
        throw std::runtime_error("exists " + node + ": " + std::to_string(rc));
    return result;
}

namespace {

// Asking the server after each handler would slow down what is waited for.
template <class Question>
fixture::predicate now_and_then(Question ask) {
    using clock = std::chrono::steady_clock;
    return [ask, next = clock::time_point{}]() mutable {
        if (clock::now() < next)
            return false;
        const bool yes = ask();
        next = clock::now() + std::chrono::milliseconds{2};
        return yes;
    };
}

} // namespace

void await_children(fixture& f, onlooker& eyes, const std::string& path, std::size_t count,
                    std::chrono::milliseconds limit, std::source_location where) {
    std::size_t seen = 0;
    INFO("children of " << path << " expected: " << count);
    f.run_until(now_and_then([&] { return (seen = eyes.count(path)) == count; }), limit, where);
}

std::size_t watches_of(std::uint16_t port) {
    const auto text = four_letter_word(port, "wchs");
    constexpr std::string_view key = "Total watches:";
    const auto found = text.find(key);
    if (found == std::string::npos)
        throw std::runtime_error("wchs: " + text);
    return static_cast<std::size_t>(std::strtoul(text.c_str() + found + key.size(), nullptr, 10));
}

void await_watches(fixture& f, std::uint16_t port, std::size_t count, std::source_location where) {
    INFO("watches expected: " << count);
    f.run_until(now_and_then([&] { return watches_of(port) == count; }), fixture::default_limit,
                where);
}

session_options impatient(const std::string& servers) {
    auto options = options_for(servers);
    options.shortest_backoff = std::chrono::milliseconds{5};
    options.longest_backoff = std::chrono::milliseconds{50};
    options.log.level = log_level::none; // faults are on purpose here
    return options;
}

void expire(const session_tap& tap, const std::string& server, const session& which) {
    const auto credentials = tap.credentials(which.id());
    // The library may take its session back before the thief has closed it; or the thief may miss
    // the answer, and finds the session gone at the next try.
    for (int i = 0;; ++i) {
        try {
            return expire_session(server, credentials);
        } catch (const std::runtime_error& e) {
            if (i > 0 && std::string_view(e.what()).find("expired") != std::string_view::npos)
                return;
            if (i == 5)
                throw;
        }
    }
}

void settle(fixture& f, session& which, std::source_location where) {
    // Requests of one connection are answered in order; a look may take a few, one after another.
    for (int i = 0; i < 4; ++i) {
        contender user{which, fresh_path("settle")};
        user.release_when_granted = true;
        user.acquire();
        f.run_until([&] { return user.completed == 2; }, fixture::default_limit, where);
    }
}

void connect(fixture& f, session& which, std::source_location where) {
    std::optional<error_code> result;
    which.connect([&](const error_code& code) { result = code; });
    f.run_until([&] { return result.has_value(); }, fixture::default_limit, where);
    REQUIRE(*result == error_code{});
}

} // namespace turnstile::test

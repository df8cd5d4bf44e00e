// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/connection.hpp"

#include "zookeeper/c_client_lock.hpp"
#include "zookeeper/callbacks.hpp"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

namespace {

constexpr std::chrono::milliseconds idle_patience{1000};

// Packets under one lock of the C client: other sessions of the process have their turn in between.
constexpr int most_packets = 64;

} // namespace

// The same for a transaction of any steps: one of each for each step.
struct step_results {
    explicit step_results(std::size_t steps) : results(steps), stats(steps), created(steps) {}

    std::vector<zoo_op_result_t> results;
    std::vector<Stat> stats;
    std::vector<std::string> created;
};

// What a multi needs to live until its answer: the C client writes into it.
struct connection::transaction {
    std::array<zoo_op_result_t, 2> results{};
    Stat stat{};
    std::string lock_path{};
    std::string created = std::string(1, '\0'); // room for the path of the node made, and a zero
    std::unique_ptr<step_results> steps{};      // of a transaction of any steps

    void make_room(std::size_t size) {
        if (created.size() < size)
            created.resize(size);
    }
};

// The C client's form of the lists. It wants pointers to what it may change, and changes nothing.
struct connection::acl_lists {
    explicit acl_lists(const node_acls& from) : texts(from) {
        fill(directory_entries, texts.directories);
        fill(ticket_entries, texts.tickets);
        directories = vector_of(directory_entries);
        tickets = vector_of(ticket_entries);
    }
    acl_lists(const acl_lists&) = delete;
    acl_lists& operator=(const acl_lists&) = delete;

    node_acls texts;
    std::vector<ACL> directory_entries;
    std::vector<ACL> ticket_entries;
    ACL_vector directories{};
    ACL_vector tickets{};

private:
    static void fill(std::vector<ACL>& entries, std::vector<acl_entry>& from) {
        for (auto& entry : from)
            entries.push_back(
                {.perms = entry.permissions, .id = {entry.scheme.data(), entry.id.data()}});
    }
    static ACL_vector vector_of(std::vector<ACL>& entries) {
        if (entries.empty())
            return ZOO_OPEN_ACL_UNSAFE;
        return {.count = static_cast<std::int32_t>(entries.size()), .data = entries.data()};
    }
};

void connection::handle_closer::operator()(_zhandle* handle) const noexcept {
    const c_client_lock entry(log_level);
    zookeeper_close(handle);
}

connection::connection(connection_options options)
    : options_(std::move(options)),
      socket_(options_.session.session_id),
      acls_(make_acls(options_.rights->acls)),
      handle_(nullptr, handle_closer{options_.log_level}) {
    open();
}

// Closing the handle only frees it: where its frames would go nobody looks any more.
connection::~connection() = default;

void connection::open() {
    const c_client_lock entry(options_.log_level);
    const callbacks::scope scope(*this);
    clientid_t session{};
    session.client_id = options_.session.session_id;
    std::memcpy(session.passwd, options_.session.password.data(), sizeof(session.passwd));
    handle_.reset(zookeeper_init2(options_.server.c_str(), callbacks::watcher,
                                  static_cast<int>(options_.timeout.count()),
                                  session.client_id == 0 ? nullptr : &session, nullptr,
                                  ZOO_NO_LOG_CLIENTENV, callbacks::log));
    explicit_bzero(&session, sizeof(session));
    if (!handle_) {
        status_ = status::lost;
        return;
    }
    zoo_set_servers_resolution_delay(handle_.get(), -1);
    for (const auto& who : options_.rights->identities)
        zoo_add_auth(handle_.get(), who.scheme.c_str(), who.secret.data(),
                     static_cast<int>(who.secret.size()), nullptr, nullptr);
    interest();
}

void connection::interest() {
    int fd = -1;
    int wanted = 0;
    timeval patience{};
    const int rc = zookeeper_interest(handle_.get(), &fd, &wanted, &patience);
    patience_ = std::chrono::seconds{patience.tv_sec} +
                std::chrono::milliseconds{patience.tv_usec / 1000 + 1};
    if (patience_ > idle_patience && status_ == status::connecting)
        patience_ = idle_patience;
    check_state();
    if (rc != ZOK && is_live())
        status_ = status::lost;
}

void connection::check_state() {
    const int state = zoo_state(handle_.get());
    if (state == ZOO_EXPIRED_SESSION_STATE)
        status_ = status::expired;
    else if (state == ZOO_AUTH_FAILED_STATE)
        status_ = status::auth_failed;
    else if (state != ZOO_CONNECTED_STATE && status_ == status::connected)
        status_ = status::lost; // 999 after a failed send, 0 after a failed read
    else if ((state == ZOO_NOTCONNECTED_STATE || state == 0) && status_ == status::connecting)
        status_ = status::lost; // the attempt failed
}

bool connection::is_live() const {
    return status_ == status::connecting || status_ == status::connected;
}

void connection::receive(std::string_view bytes) {
    if (!socket_.receive(bytes) && is_live() && !sent_close_)
        refused_frame_ = true;
}

void connection::pump(occasion why) {
    if (!handle_ || !is_live() || sent_close_)
        return;
    const bool established = status_ == status::connected;
    // Before interest(), which would cut a connection whose replies were not read for long.
    while (is_live() && socket_.has_input())
        process();
    if (is_live() && refused_frame_) {
        const bool other_session = socket_.guard().granted_another();
        status_ = other_session ? status::not_restored : status::lost;
        events_.emplace_back(trouble_event{
            std::string(socket_.refusal()) +
            (other_session ? "" : "; is this the client port of a ZooKeeper server?")});
        return;
    }
    // Where all is answered the C client's timers have a turn of their own.
    const bool at_rest = established && open_requests_ == 0;
    if (is_live() && (why == occasion::patience_over || !at_rest)) {
        const c_client_lock entry(options_.log_level);
        const callbacks::scope scope(*this);
        interest();
    }
}

void connection::process() {
    const c_client_lock entry(options_.log_level);
    const callbacks::scope scope(*this);
    for (int i = 0; i < most_packets && is_live() && socket_.has_input(); ++i) {
        unclear_.reset();
        const int rc = zookeeper_process(handle_.get(), ZOOKEEPER_READ);
        check_state();
        if (is_live() && unclear_)
            tell_unclear();
        if (rc != ZOK && is_live()) // ZNOTHING: there was no memory for a frame that is there
            status_ = status::lost;
    }
}

void connection::tell_unclear() {
    const auto [id, code] = *unclear_;
    std::string cause = std::string("it answered a request with '") + zerror(code) + '\'';
    if (code == ZSESSIONEXPIRED)
        cause += "; if it does so again, the servers make local sessions only "
                 "(localSessionsUpgradingEnabled)";
    events_.emplace_back(trouble_event{std::move(cause)});
    events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(code)}});
}

bool connection::send_close() {
    if (status_ != status::connected || sent_close_)
        return false;
    // Length 8, an xid that nobody waits for, and the type of closeSession, -11.
    constexpr std::string_view frame{"\0\0\0\x08\x7f\xff\xff\xff\xff\xff\xff\xf5", 12};
    socket_.write(frame);
    sent_close_ = true;
    return true;
}

void connection::send(protocol::request_id id, const protocol::request& what) {
    if (status_ != status::connected || sent_close_)
        return; // answered by the end of the connection
    const c_client_lock entry(options_.log_level);
    const callbacks::scope scope(*this);
    if (is_unrecoverable(handle_.get())) { // a transaction would free an uninitialised pointer
        check_state();
        return;
    }
    ++open_requests_;
    socket_.guard().expect(reply_expected_to(what));
    const int rc = issue(id, what);
    if (rc != ZOK) {
        --open_requests_;
        socket_.guard().expect_no_more();
        events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(rc)}});
    }
    check_state(); // a failed send closes the socket without a word
}

bool connection::write(std::string_view bytes) noexcept {
    try {
        socket_.write(bytes);
    } catch (...) {
        missed_event_ = true;
    }
    return !missed_event_;
}

void connection::opened(const connected_event& how) noexcept {
    status_ = status::connected;
    keep<connected_event>([&](connected_event& event) { event = how; });
}

void connection::refused() noexcept {
    refused_ = true;
    keep<trouble_event>([](trouble_event& event) {
        event.cause = "the server enforces an authentication that this session lacks";
    });
}

bool connection::gives_more(const ACL_vector& found) const {
    const auto& own = acls_->texts.directories;
    const auto exceeds = [&](const ACL& entry) {
        std::int32_t rest = entry.perms;
        for (const auto& [scheme, id, permissions] : own) {
            // Who lacks ADMIN is told "x" for a digest.
            const bool same =
                scheme == entry.id.scheme &&
                (id == entry.id.id ||
                 (scheme == "digest" && id.substr(0, id.find(':')) + ":x" == entry.id.id));
            if (same || scheme == "world")
                rest &= ~permissions;
        }
        return rest != 0;
    };
    return !own.empty() && std::any_of(found.data, found.data + found.count, exceeds);
}

std::shared_ptr<const connection::acl_lists> connection::make_acls(const node_acls& from) {
    return std::make_shared<const acl_lists>(from);
}

reply_shape connection::shape_of(protocol::operation op) {
    using enum protocol::operation;
    switch (op) {
    case create_container:
        return reply_shape::path_and_stat;
    case exists:
    case set:
        return reply_shape::stat;
    case get:
        return reply_shape::data_and_stat;
    case get_children:
        return reply_shape::names_and_stat;
    case get_acl:
        return reply_shape::acl_and_stat;
    case sync:
        return reply_shape::path;
    case enqueue:
    case create_holder: // a set and a create as well
        return reply_shape::enqueue;
    case delete_holder:
        return reply_shape::delete_holder;
    case release:
        return reply_shape::release;
    case downgrade:
        return reply_shape::downgrade;
    case check:
        return reply_shape::check;
    case transact:
        return reply_shape::transaction;
    case remove:
        break;
    }
    return reply_shape::nothing;
}

expected_reply connection::reply_expected_to(const protocol::request& what) {
    expected_reply result{.shape = shape_of(what.op)};
    for (const auto& step : what.steps)
        result.steps.push_back(step.what);
    return result;
}

int connection::issue(protocol::request_id id, const protocol::request& what) {
    const auto handle = handle_.get();
    const auto path = what.path.c_str();
    const auto context = callbacks::context_of(id);
    const auto length = static_cast<int>(what.data.size());
    const auto watcher = what.watch ? callbacks::watcher : nullptr;
    using enum protocol::operation;
    switch (what.op) {
    case create_container:
        return zoo_acreate2(handle, path, nullptr, -1, &acls_->directories, ZOO_CONTAINER,
                            callbacks::on_create, context);
    case exists:
        return zoo_awexists(handle, path, watcher, nullptr, callbacks::on_stat, context);
    case get:
        return zoo_awget(handle, path, watcher, nullptr, callbacks::on_data, context);
    case get_children:
        return zoo_awget_children2(handle, path, watcher, nullptr, callbacks::on_children, context);
    case get_acl:
        return zoo_aget_acl(handle, path, callbacks::on_acl, context);
    case set:
        return zoo_aset(handle, path, what.data.data(), length, -1, callbacks::on_stat, context);
    case remove:
        return zoo_adelete(handle, path, -1, callbacks::on_void, context);
    case sync:
        return zoo_async(handle, path, callbacks::on_string, context);
    case enqueue:
    case release:
    case downgrade:
    case check:
    case create_holder:
    case delete_holder:
        return issue_transaction(id, what);
    case transact:
        return issue_steps(id, what);
    }
    return ZUNIMPLEMENTED;
}

int connection::issue_transaction(protocol::request_id id, const protocol::request& what) {
    auto& kept = *transactions_.emplace_back(new_transaction());
    std::array<zoo_op_t, 2> ops{};
    int count = 2;
    const auto length = static_cast<int>(what.data.size());
    using enum protocol::operation;
    if (what.op == enqueue || what.op == create_holder) {
        kept.lock_path.assign(what.path, 0, what.path.rfind('/'));
        // The server tells the whole path, with the chroot.
        kept.make_room(options_.server.size() + what.path.size() + 16);
        zoo_set_op_init(&ops[0], kept.lock_path.c_str(), "", 0, -1, &kept.stat);
        zoo_create_op_init(&ops[1], what.path.c_str(), what.data.data(), length, &acls_->tickets,
                           what.op == enqueue ? ZOO_EPHEMERAL_SEQUENTIAL : ZOO_EPHEMERAL,
                           kept.created.data(), static_cast<int>(kept.created.size()));
    } else if (what.op == delete_holder) {
        kept.lock_path.assign(what.path, 0, what.path.rfind('/'));
        zoo_check_op_init(&ops[0], kept.lock_path.c_str(), what.version);
        zoo_delete_op_init(&ops[1], what.path.c_str(), -1);
    } else if (what.op == release) {
        zoo_set_op_init(&ops[0], what.path.c_str(), what.data.data(), length, -1, &kept.stat);
        zoo_delete_op_init(&ops[1], what.path.c_str(), -1);
    } else if (what.op == protocol::operation::downgrade) {
        kept.make_room(options_.server.size() + what.target.size() + 1);
        zoo_create_op_init(&ops[0], what.target.c_str(), what.data.data(), length, &acls_->tickets,
                           ZOO_EPHEMERAL, kept.created.data(),
                           static_cast<int>(kept.created.size()));
        zoo_delete_op_init(&ops[1], what.path.c_str(), -1);
    } else {
        zoo_check_op_init(&ops[0], what.path.c_str(), -1);
        count = 1;
    }
    const int rc = zoo_amulti(handle_.get(), count, ops.data(), kept.results.data(),
                              callbacks::on_transaction, callbacks::context_of(id));
    if (rc != ZOK)
        transactions_.pop_back();
    return rc;
}

int connection::issue_steps(protocol::request_id id, const protocol::request& what) {
    auto& all = *transactions_.emplace_back(new_transaction());
    all.steps = std::make_unique<step_results>(what.steps.size());
    auto& kept = *all.steps;
    std::vector<zoo_op_t> ops(what.steps.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const auto& step = what.steps[i]; // the C client writes its text down at once
        const auto path = step.path.c_str();
        const auto length = static_cast<int>(step.data.size());
        auto& made = kept.created[i];
        switch (step.what) {
        case protocol::step_kind::check:
            zoo_check_op_init(&ops[i], path, step.version);
            break;
        case protocol::step_kind::set:
            zoo_set_op_init(&ops[i], path, step.data.data(), length, step.version, &kept.stats[i]);
            break;
        case protocol::step_kind::remove:
            zoo_delete_op_init(&ops[i], path, step.version);
            break;
        case protocol::step_kind::create:
        case protocol::step_kind::create_ephemeral:
        case protocol::step_kind::create_sequential:
            const bool persistent = step.what == protocol::step_kind::create;
            const bool sequential = step.what == protocol::step_kind::create_sequential;
            made.assign(options_.server.size() + step.path.size() + 16, '\0');
            zoo_create_op_init(&ops[i], path, step.data.data(), length,
                               persistent ? &acls_->directories : &acls_->tickets,
                               persistent   ? ZOO_PERSISTENT
                               : sequential ? ZOO_EPHEMERAL_SEQUENTIAL
                                            : ZOO_EPHEMERAL,
                               made.data(), static_cast<int>(made.size()));
            break;
        }
    }
    const int rc =
        zoo_amulti(handle_.get(), static_cast<int>(ops.size()), ops.data(), kept.results.data(),
                   callbacks::on_transaction, callbacks::context_of(id));
    if (rc != ZOK)
        transactions_.pop_back();
    return rc;
}

std::unique_ptr<connection::transaction> connection::new_transaction() {
    if (!answered_transaction_)
        return std::make_unique<transaction>();
    answered_transaction_->results = {};
    answered_transaction_->stat = {};
    answered_transaction_->created.front() = '\0';
    answered_transaction_->steps.reset();
    return std::move(answered_transaction_);
}

const connection::transaction* connection::take_transaction() noexcept {
    if (transactions_.empty())
        return nullptr;
    answered_transaction_ = std::move(transactions_.front());
    transactions_.pop_front();
    return answered_transaction_.get();
}

void connection::read_transaction(const transaction& done, protocol::reply& answer) {
    if (const auto steps = done.steps.get()) {
        for (std::size_t i = 0; i < steps->results.size(); ++i)
            answer.results.push_back(
                {.code = static_cast<protocol::zookeeper_code>(steps->results[i].err),
                 .path = steps->created[i].c_str(),
                 .stat = callbacks::convert(&steps->stats[i])});
        return;
    }
    if (done.created.front() != '\0')
        answer.path = done.created.c_str();
    answer.stat = callbacks::convert(&done.stat);
    answer.set_denied = done.results.front().err == ZNOAUTH;
}

} // namespace turnstile::zookeeper

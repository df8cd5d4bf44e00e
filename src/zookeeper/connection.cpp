// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/connection.hpp"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace turnstile::zookeeper {

namespace {

// The C client's mutex is released after this many packets, so that other sessions of the process
// get it.
constexpr int most_packets = 64;

// All of these are constant-initialised and trivially destroyed, so that sessions of static
// lifetime may use them.
constinit std::mutex c_client_mutex;
constinit int log_level_in_force = -1; // not set yet
// The connection that calls the C client now. The C client's callbacks get no context, and so find
// their connection here.
constinit connection* running = nullptr;

// Stands around every call of the C client, in every session of the process, and never while a
// user's handler runs: the C client has one state (request numbers, log level, format buffers) for
// the whole process.
class c_client_call {
public:
    explicit c_client_call(int log_level, connection* caller = nullptr) : guard_(c_client_mutex) {
        if (log_level_in_force != log_level)
            zoo_set_debug_level(static_cast<ZooLogLevel>(log_level));
        log_level_in_force = log_level;
        running = caller;
    }
    ~c_client_call() { running = nullptr; }
    c_client_call(const c_client_call&) = delete;
    c_client_call& operator=(const c_client_call&) = delete;

private:
    std::lock_guard<std::mutex> guard_;
};

protocol::node_stat convert(const Stat* stat) {
    if (!stat)
        return {};
    return {.czxid = stat->czxid,
            .mzxid = stat->mzxid,
            .mtime = stat->mtime,
            .ctime = stat->ctime,
            .ephemeral_owner = stat->ephemeralOwner,
            .data_bytes = stat->dataLength,
            .children = stat->numChildren,
            .version = stat->version,
            .child_version = stat->cversion};
}

std::optional<protocol::watch_event> event_of(int type) {
    if (type == ZOO_CHANGED_EVENT)
        return protocol::watch_event::changed;
    if (type == ZOO_DELETED_EVENT)
        return protocol::watch_event::deleted;
    if (type == ZOO_CREATED_EVENT)
        return protocol::watch_event::created;
    if (type == ZOO_CHILD_EVENT)
        return protocol::watch_event::children;
    return std::nullopt; // the type says that a watch was taken off
}

// A request has its id where the C client expects a pointer to a context.
const void* context_of(protocol::request_id id) {
    static_assert(sizeof(id) <= sizeof(std::uintptr_t));
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(id)); // NOLINT: a number
}

// The number of the transaction's steps: issue_transaction() adds them.
std::size_t steps_in(const protocol::request& what) {
    using enum protocol::operation;
    if (what.op == transact)
        return what.steps.size();
    return what.op == check || what.op == set || what.op == remove ? 1 : 2;
}

int size_of(const std::string& data) { return static_cast<int>(data.size()); }

} // namespace

// One transaction: its steps, and the memory that the C client writes the results into. So it lives
// until the answer has come. Then it is used again, for its memory.
struct connection::transaction {
    protocol::operation op{};
    std::string parent{}; // of the node of the request

    void begin(protocol::operation the_op, std::size_t steps) {
        op = the_op;
        steps_.clear();
        results_.assign(steps, {});
        stats_.assign(steps, {});
        created_.resize(steps);
        for (auto& each : created_)
            each.clear();
    }
    void check(const std::string& path, std::int32_t version) {
        zoo_check_op_init(&steps_.emplace_back(), path.c_str(), version);
    }
    void set(const std::string& path, const std::string& data, std::int32_t version) {
        auto& stat = stats_[steps_.size()];
        zoo_set_op_init(&steps_.emplace_back(), path.c_str(), data.data(), size_of(data), version,
                        &stat);
    }
    void remove(const std::string& path, std::int32_t version) {
        zoo_delete_op_init(&steps_.emplace_back(), path.c_str(), version);
    }
    void create(const std::string& path, const std::string& data, const ACL_vector& acl, int flags,
                std::size_t chroot) {
        auto& made = created_[steps_.size()]; // has room for the chroot, the path and a number
        made.assign(chroot + path.size() + 16, '\0');
        zoo_create_op_init(&steps_.emplace_back(), path.c_str(), data.data(), size_of(data), &acl,
                           flags, made.data(), size_of(made));
    }
    int send(_zhandle* handle, void_completion_t done, const void* context) {
        return zoo_amulti(handle, static_cast<int>(steps_.size()), steps_.data(), results_.data(),
                          done, context);
    }
    void read(protocol::reply& answer) const {
        if (op != protocol::operation::transact) {
            for (const auto& made : created_) // at most one is not empty
                answer.path += made.c_str();
            answer.stat = convert(&stats_.front());
            answer.first_step_denied = results_.front().err == ZNOAUTH;
            return;
        }
        for (std::size_t i = 0; i < results_.size(); ++i)
            answer.results.push_back(
                {.code = static_cast<protocol::zookeeper_code>(results_[i].err),
                 .path = created_[i].c_str(),
                 .stat = convert(&stats_[i])});
    }

private:
    std::vector<zoo_op_t> steps_{};
    std::vector<zoo_op_result_t> results_{};
    std::vector<Stat> stats_{};
    std::vector<std::string> created_{};
};

// The access lists in the C client's form. It asks for pointers to non-const, but changes nothing.
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

    // Whether the list that was found gives more rights than this session gives to its directories:
    // then another program made that node.
    bool gives_more(const ACL_vector& found) const {
        const auto& own = texts.directories;
        const auto exceeds = [&](const ACL& entry) {
            std::int32_t rest = entry.perms;
            for (const auto& [scheme, id, permissions] : own) {
                // A server shows "x" in place of a digest to sessions without the right ADMIN.
                const bool same =
                    scheme == entry.id.scheme &&
                    (id == entry.id.id ||
                     (scheme == "digest" && id.substr(0, id.find(':')) + ":x" == entry.id.id));
                if (same || scheme == "world")
                    rest &= ~static_cast<std::int32_t>(permissions);
            }
            return rest != 0;
        };
        return !own.empty() && std::any_of(found.data, found.data + found.count, exceeds);
    }

private:
    static void fill(std::vector<ACL>& entries, std::vector<acl_entry>& from) {
        for (auto& entry : from)
            entries.push_back({.perms = static_cast<std::int32_t>(entry.permissions),
                               .id = {entry.scheme.data(), entry.id.data()}});
    }
    static ACL_vector vector_of(std::vector<ACL>& entries) {
        if (entries.empty())
            return ZOO_OPEN_ACL_UNSAFE;
        return {.count = static_cast<std::int32_t>(entries.size()), .data = entries.data()};
    }
};

// Adds an event that `fill` fills in. If there is no memory for it, the owner ends the connection,
// and that answers all open requests.
template <class Event, class Fill>
void connection::add_event(Fill fill) noexcept {
    if (missed_event_)
        return;
    const auto before = events_.size();
    try {
        fill(std::get<Event>(events_.emplace_back(std::in_place_type<Event>)));
    } catch (...) {
        if (events_.size() > before)
            events_.pop_back();
        missed_event_ = true;
    }
}

// What the C client calls. While a handle is freed, no connection is `running`: its callbacks do
// nothing then.
struct connection::callbacks {
    static void watcher(_zhandle*, int type, int state, const char* path, void*) {
        if (!running)
            return;
        if (type == ZOO_SESSION_EVENT) {
            if (state != ZOO_CONNECTED_STATE)
                return; // check_state() sees losses after each call
            const auto handle = running->handle_.get();
            running->status_ = status::connected;
            return running->add_event<connected_event>([&](connected_event& event) {
                const auto id = zoo_client_id(handle);
                event.session.session_id = id->client_id;
                static_assert(sizeof(id->passwd) == sizeof(event.session.password));
                std::memcpy(event.session.password.data(), id->passwd, sizeof(id->passwd));
                event.timeout = std::chrono::milliseconds{zoo_recv_timeout(handle)};
            });
        }
        if (const auto what = event_of(type))
            running->add_event<watch_fired_event>([&](watch_fired_event& event) {
                event.what = *what;
                event.node = path;
            });
    }

    static void log(const char* message) {
        if (running)
            running->add_event<log_event>([&](log_event& event) { event.text = message; });
    }

    template <class Fill>
    static void add_reply(int rc, const void* context, Fill fill) noexcept {
        if (!running)
            return;
        if (rc == ZSESSIONCLOSEDREQUIRESASLAUTH) {
            // The server sends this in place of its first answer, and then ends the session and the
            // connection.
            running->status_ = status::auth_failed;
            return running->add_event<trouble_event>([](trouble_event& event) {
                event.cause = "the server enforces an authentication that this session lacks, such "
                              "as SASL (sessionRequireClientSASLAuth)";
            });
        }
        const auto code = static_cast<protocol::zookeeper_code>(rc);
        const protocol::request_id id = reinterpret_cast<std::uintptr_t>(context);
        // The outcome is unknown. Either the server says so, or the C client does because the
        // connection ends. In the second case no reply is needed: the end of the connection answers
        // all requests.
        if (protocol::outcome_unknown(code)) {
            if (!running->unclear_)
                running->unclear_ = {id, rc};
            return;
        }
        running->add_event<reply_event>([&](reply_event& event) {
            event.id = id;
            event.answer.code = code;
            fill(event.answer);
        });
    }

    static void on_void(int rc, const void* context) {
        add_reply(rc, context, [](protocol::reply&) {});
    }

    static void on_transaction(int rc, const void* context) {
        if (!running)
            return;
        auto& open = running->transactions_; // the first one is answered first
        const bool known = !open.empty();
        if (known) {
            running->answered_transaction_ = std::move(open.front());
            open.pop_front();
        }
        add_reply(rc, context, [&](protocol::reply& answer) {
            if (known)
                running->answered_transaction_->read(answer);
        });
    }

    static void on_stat(int rc, const Stat* stat, const void* context) {
        add_reply(rc, context, [&](protocol::reply& answer) { answer.stat = convert(stat); });
    }

    static void on_data(int rc, const char* value, int length, const Stat* stat,
                        const void* context) {
        add_reply(rc, context, [&](protocol::reply& answer) {
            answer.stat = convert(stat);
            if (rc == ZOK && length > 0)
                answer.data.assign(value, static_cast<std::size_t>(length));
        });
    }

    static void on_children(int rc, const String_vector* names, const Stat* stat,
                            const void* context) {
        add_reply(rc, context, [&](protocol::reply& answer) {
            answer.stat = convert(stat);
            if (names)
                answer.children.assign(names->data, names->data + names->count);
        });
    }

    static void on_acl(int rc, ACL_vector* acl, Stat*, const void* context) {
        add_reply(rc, context, [&](protocol::reply& answer) {
            answer.gives_more = rc == ZOK && acl && running->acls_->gives_more(*acl);
        });
    }

    static void on_create(int rc, const char* path, const Stat* stat, const void* context) {
        add_reply(rc, context, [&](protocol::reply& answer) {
            answer.stat = convert(stat);
            if (rc == ZOK && path)
                answer.path = path;
        });
    }
};

void connection::handle_closer::operator()(_zhandle* handle) const noexcept {
    const c_client_call entry(log_level);
    zookeeper_close(handle);
}

connection::connection(connection_options options)
    : options_(std::move(options)),
      frames_(options_.session.session_id),
      acls_(std::make_shared<const acl_lists>(options_.rights->acls)),
      handle_(nullptr, handle_closer{options_.log_level}) {
    if (options_.sasl_token)
        frames_.begin_sasl(*options_.sasl_token);
    open();
}

// Closing the handle only frees it: what it would write is not sent any more.
connection::~connection() = default;

void connection::open() {
    const c_client_call entry(options_.log_level, this);
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
    for (const auto& who : options_.rights->identities) {
        frames_.expect_login();
        zoo_add_auth(handle_.get(), who.scheme.c_str(), who.secret.data(),
                     static_cast<int>(who.secret.size()), nullptr, nullptr);
    }
    int fd = -1;
    int wanted = 0;
    timeval unused{};
    const int rc = zookeeper_interest(handle_.get(), &fd, &wanted, &unused); // the handshake
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
        status_ = status::lost; // ZOO_NOTCONNECTED_STATE after a failed send, 0 after a failed read
    else if ((state == ZOO_NOTCONNECTED_STATE || state == 0) && status_ == status::connecting)
        status_ = status::lost; // the attempt failed
}

void connection::pump() {
    if (!handle_ || !is_live() || sent_close_)
        return;
    while (is_live() && frames_.has_input())
        process_input();
    if (!is_live() || frames_.refusal().empty())
        return;
    const bool other_session = frames_.granted_another();
    status_ = other_session ? status::not_restored : status::lost;
    events_.emplace_back(
        trouble_event{std::string(frames_.refusal()) +
                      (other_session ? "" : "; is this the client port of a ZooKeeper server?")});
}

void connection::process_input() {
    const c_client_call entry(options_.log_level, this);
    for (int i = 0; i < most_packets && is_live() && frames_.has_input(); ++i) {
        unclear_.reset();
        const int rc = zookeeper_process(handle_.get(), ZOOKEEPER_READ);
        check_state();
        if (is_live() && unclear_)
            report_unclear_answer();
        if (rc != ZOK && is_live()) // ZNOTHING: there was no memory for a frame that is there
            status_ = status::lost;
    }
}

void connection::report_unclear_answer() {
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
    frames_.send_close();
    sent_close_ = true;
    return true;
}

void connection::send(protocol::request_id id, const protocol::request& what) {
    if (status_ != status::connected || sent_close_)
        return; // the end of the connection answers all requests
    const c_client_call entry(options_.log_level, this);
    if (is_unrecoverable(handle_.get())) { // a transaction would free an uninitialised pointer
        check_state();
        return;
    }
    frames_.expect(what);
    const int rc = issue(id, what);
    if (rc != ZOK) {
        frames_.expect_no_more();
        events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(rc)}});
    }
    check_state(); // a failed send ends the C client's connection without a word
}

std::size_t connection::c_client_reads(void* to, std::size_t most) noexcept {
    return running ? running->frames_.read(to, most) : 0;
}

bool connection::c_client_writes(std::string_view bytes) noexcept {
    if (!running)
        return true;
    try {
        running->frames_.write(bytes);
    } catch (...) {
        running->missed_event_ = true;
    }
    return !running->missed_event_;
}

void connection::c_client_sets_number(std::int32_t request) noexcept {
    if (running)
        running->frames_.set_number(request);
}

int connection::issue(protocol::request_id id, const protocol::request& what) {
    const auto handle = handle_.get();
    const auto path = what.path.c_str();
    const auto context = context_of(id);
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
    case unwatch:
    case unwatch_children:
        // The header asks for a pointer to a function pointer, but the C client calls the function.
        return zoo_aremove_all_watches(
            handle, path, what.op == unwatch ? ZWATCHTYPE_DATA : ZWATCHTYPE_CHILD, 0,
            reinterpret_cast<void_completion_t*>(callbacks::on_void), context); // NOLINT
    default:
        // All writes but of a container are transactions. A server with eager checks of access
        // lists (enableEagerACLCheck) refuses other writes before it has answered earlier requests.
        return issue_transaction(id, what);
    }
}

void connection::add_step(transaction& to, const protocol::transaction_step& step) const {
    const auto create = [&](const ACL_vector& acl, int flags) {
        to.create(step.path, step.data, acl, flags, options_.server.size());
    };
    switch (step.what) {
    case protocol::step_kind::check:
        return to.check(step.path, step.version);
    case protocol::step_kind::set:
        return to.set(step.path, step.data, step.version);
    case protocol::step_kind::remove:
        return to.remove(step.path, step.version);
    case protocol::step_kind::create:
        return create(acls_->directories, ZOO_PERSISTENT);
    case protocol::step_kind::create_ephemeral:
        return create(acls_->directories, ZOO_EPHEMERAL);
    case protocol::step_kind::create_sequential:
        return create(acls_->tickets, ZOO_EPHEMERAL_SEQUENTIAL);
    }
}

int connection::issue_transaction(protocol::request_id id, const protocol::request& what) {
    if (!answered_transaction_)
        answered_transaction_ = std::make_unique<transaction>();
    auto& next = *transactions_.emplace_back(std::move(answered_transaction_));
    const auto create_ticket = [&](const std::string& path, int flags) {
        next.create(path, what.data, acls_->tickets, flags, options_.server.size());
    };
    using enum protocol::operation;
    next.begin(what.op, steps_in(what));
    next.parent.assign(what.path, 0, what.path.rfind('/'));
    switch (what.op) {
    case enqueue:
    case create_holder:
        next.set(next.parent, "", -1);
        create_ticket(what.path, what.op == enqueue ? ZOO_EPHEMERAL_SEQUENTIAL : ZOO_EPHEMERAL);
        break;
    case delete_holder:
        next.check(next.parent, what.version);
        next.remove(what.path, -1);
        break;
    case release:
        next.set(what.path, what.data, -1);
        next.remove(what.path, -1);
        break;
    case downgrade:
        create_ticket(what.target, ZOO_EPHEMERAL);
        next.remove(what.path, -1);
        break;
    case check:
        next.check(what.path, -1);
        break;
    case set:
        next.set(what.path, what.data, -1);
        break;
    case remove:
        next.remove(what.path, -1);
        break;
    default:
        for (const auto& step : what.steps) // send() copies their texts
            add_step(next, step);
    }
    const int rc = next.send(handle_.get(), callbacks::on_transaction, context_of(id));
    if (rc != ZOK)
        transactions_.pop_back();
    return rc;
}

} // namespace turnstile::zookeeper

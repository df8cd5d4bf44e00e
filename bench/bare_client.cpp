// SPDX-License-Identifier: BSL-1.0
#include "bare_client.hpp"

#include "bare_api.hpp"
#include "bare_transaction.hpp"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace turnstile::bench {

namespace {

constexpr int session_timeout_ms = 30'000;
constexpr std::chrono::seconds longest_answer{20};

struct no_node : std::runtime_error {
    no_node() : std::runtime_error("the bare C client misses a node") {}
};

} // namespace

struct bare_client::impl {
    const bare_api& api;
    zhandle_t* handle = nullptr;
    bool connected = false;
    std::size_t answers = 0;
    bool fired = false;
    int code = ZOK;
    std::string path;
    std::size_t child_count = 0;
    std::vector<std::pair<bare_transaction*, int>> committed{};

    impl(const std::string& server, const bare_api& through) : api(through) {
        api.set_debug_level(static_cast<ZooLogLevel>(0)); // silent: failures are thrown
        handle = api.init(server.c_str(), on_event, session_timeout_ms, nullptr, this, 0);
        if (!handle)
            throw std::runtime_error("the C client refuses the address " + server);
        api.set_servers_resolution_delay(handle, -1);
        run_until([this] { return connected; });
    }
    ~impl() { api.close(handle); }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    static void on_event(zhandle_t*, int type, int state, const char*, void* context) {
        auto& self = *static_cast<impl*>(context);
        if (type == ZOO_SESSION_EVENT)
            self.connected = state == ZOO_CONNECTED_STATE;
        else
            self.fired = true;
    }
    void finish(int rc) {
        if (rc != ZOK)
            code = rc;
        ++answers;
    }
    static impl& of(const void* context) {
        return *static_cast<impl*>(const_cast<void*>(context)); // NOLINT: the C API's constness
    }
    static void on_committed(int rc, const void* context) {
        auto* const what = static_cast<bare_transaction*>(const_cast<void*>(context)); // NOLINT
        static_cast<impl*>(what->sender_)->committed.emplace_back(what, rc);
    }
    static void on_void(int rc, const void* context) { of(context).finish(rc); }
    static void on_stat(int rc, const Stat*, const void* context) { of(context).finish(rc); }
    static void on_children(int rc, const Stat* stat, const void* context) {
        of(context).child_count = rc == ZOK ? static_cast<std::size_t>(stat->numChildren) : 0;
        of(context).finish(rc == ZNONODE ? ZOK : rc);
    }
    static void on_data(int rc, const char*, int, const Stat*, const void* context) {
        of(context).finish(rc);
    }
    static void on_list(int rc, const String_vector*, const Stat*, const void* context) {
        of(context).finish(rc);
    }
    static void on_create(int rc, const char* value, const Stat*, const void* context) {
        if (rc == ZOK)
            of(context).path = value;
        of(context).finish(rc);
    }

    static void step(impl* const* clients, std::size_t count) {
        std::array<pollfd, 2> ready{};
        int patience = 1000;
        for (std::size_t i = 0; i < count; ++i) {
            int wanted = 0;
            timeval limit{};
            clients[i]->api.interest(clients[i]->handle, &ready.at(i).fd, &wanted, &limit);
            ready.at(i).events = static_cast<short>(((wanted & ZOOKEEPER_READ) ? POLLIN : 0) |
                                                    ((wanted & ZOOKEEPER_WRITE) ? POLLOUT : 0));
            patience =
                std::min(patience, static_cast<int>(limit.tv_sec * 1000 + limit.tv_usec / 1000));
        }
        ::poll(ready.data(), count, patience);
        for (std::size_t i = 0; i < count; ++i) {
            const int events = ((ready.at(i).revents & POLLOUT) ? ZOOKEEPER_WRITE : 0) |
                               ((ready.at(i).revents & ~POLLOUT) ? ZOOKEEPER_READ : 0);
            if (events != 0)
                clients[i]->api.process(clients[i]->handle, events);
        }
    }

    template <class Predicate>
    void run_until(Predicate done) {
        const auto limit = clock::now() + longest_answer;
        impl* const self = this;
        while (!done()) {
            if (clock::now() > limit)
                throw std::runtime_error("the server does not answer the bare C client");
            step(&self, 1);
        }
    }

    void wait(int rc, std::size_t requests = 1) {
        if (rc == ZOK)
            run_until([&] { return answers == requests; });
        else
            code = rc;
        answers = 0;
        const int result = std::exchange(code, ZOK);
        check(result == ZNODEEXISTS ? ZOK : result);
    }
    /// False if the node is missing.
    bool wait_for_node(int rc) {
        try {
            wait(rc);
            return true;
        } catch (const no_node&) {
            return false;
        }
    }
    static void check(int rc) {
        if (rc == ZNONODE)
            throw no_node();
        if (rc != ZOK)
            throw std::runtime_error("the bare C client failed: " + std::string(zerror(rc)));
    }

    int send(bare_transaction& what) {
        return api.amulti(handle, static_cast<int>(what.ops_.size()), what.ops_.data(),
                          what.results_.data(), on_void, this);
    }
    void send_to_keep(bare_transaction& what) {
        what.sender_ = this;
        check(api.amulti(handle, static_cast<int>(what.ops_.size()), what.ops_.data(),
                         what.results_.data(), on_committed, &what));
    }
    int send_set_and_delete(const std::string& node) {
        std::array<zoo_op_t, 2> ops{};
        zoo_set_op_init(&ops[0], node.c_str(), "released\n", 9, -1, &stat);
        zoo_delete_op_init(&ops[1], node.c_str(), -1);
        return api.amulti(handle, 2, ops.data(), results.data(), on_void, this);
    }
    Stat stat{};
    std::array<zoo_op_result_t, 2> results{};
};

bare_client::bare_client(const std::string& server, const bare_api& through)
    : impl_(std::make_unique<impl>(server, speaks_tls() && &through == &plain_api ? plain_by_tls_api
                                                                                  : through)) {}
bare_client::~bare_client() = default;

void bare_client::make_directory(const std::string& path) {
    for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const auto part = path.substr(0, slash);
        impl_->wait(impl_->api.acreate2(impl_->handle, part.c_str(), nullptr, -1,
                                        &ZOO_OPEN_ACL_UNSAFE, ZOO_CONTAINER, impl::on_create,
                                        impl_.get()));
        if (slash == std::string::npos)
            break;
    }
    create(path + "/present-"); // an empty container is reaped, be it in use or not
}

std::string bare_client::create(const std::string& prefix) {
    const std::string data = ticket_data;
    impl_->wait(impl_->api.acreate2(impl_->handle, prefix.c_str(), data.data(),
                                    static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE,
                                    ZOO_EPHEMERAL_SEQUENTIAL, impl::on_create, impl_.get()));
    return impl_->path;
}

void bare_client::make(const std::string& path, const std::string& data) {
    impl_->wait(impl_->api.acreate2(impl_->handle, path.c_str(), data.data(),
                                    static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE,
                                    ZOO_EPHEMERAL, impl::on_create, impl_.get()));
}

void bare_client::exists(const std::string& path) {
    impl_->wait(impl_->api.aexists(impl_->handle, path.c_str(), 0, impl::on_stat, impl_.get()));
}

std::size_t bare_client::children(const std::string& path) {
    impl_->wait(impl_->api.aexists(impl_->handle, path.c_str(), 0, impl::on_children, impl_.get()));
    return impl_->child_count;
}

void bare_client::remove(const std::string& path) {
    impl_->wait(impl_->api.adelete(impl_->handle, path.c_str(), -1, impl::on_void, impl_.get()));
}

void bare_client::set_and_delete(const std::string& path) {
    impl_->wait(impl_->send_set_and_delete(path));
}

void bare_client::commit(bare_transaction& what) { impl_->wait(impl_->send(what)); }

void bare_client::commit_each(std::vector<bare_transaction>& all) {
    int rc = ZOK;
    for (auto& each : all)
        if (rc == ZOK)
            rc = impl_->send(each);
    impl_->wait(rc, all.size());
}

void bare_client::keep_under_way(const std::vector<bare_transaction*>& first,
                                 const std::function<bare_transaction*(bare_transaction&)>& next) {
    auto under_way = first.size();
    for (auto* const each : first)
        impl_->send_to_keep(*each);
    while (under_way > 0) {
        impl_->run_until([this] { return !impl_->committed.empty(); });
        for (const auto& [what, rc] : std::exchange(impl_->committed, {})) {
            impl::check(rc);
            --under_way;
            if (auto* const more = next(*what)) {
                impl_->send_to_keep(*more);
                ++under_way;
            }
        }
    }
}

bool bare_client::watch(const std::string& path) {
    return impl_->wait_for_node(impl_->api.awget(impl_->handle, path.c_str(), impl::on_event,
                                                 impl_.get(), impl::on_data, impl_.get()));
}

void bare_client::watch_children(const std::string& path) {
    impl_->wait(impl_->api.awget_children2(impl_->handle, path.c_str(), impl::on_event, impl_.get(),
                                           impl::on_list, impl_.get()));
}

void bare_client::wait_for_event(bare_client& owner, bare_client& watcher) {
    const std::array<impl*, 2> both{owner.impl_.get(), watcher.impl_.get()};
    const auto start = clock::now();
    while (!watcher.impl_->fired) {
        impl::step(both.data(), both.size());
        if (clock::now() - start > longest_answer)
            throw std::runtime_error("the bare C client's watch event does not come: the "
                                     "connection to the server was lost, or it stands still");
    }
}

std::string bare_client::stand_by(bare_client& owner, bare_client& watcher,
                                  const std::string& directory) {
    auto node = owner.create(directory + "/turn-1-lock-");
    while (!watcher.watch(node)) // another server of an ensemble may not have it yet
        ;
    return node;
}

clock::duration bare_client::hand_on(bare_client& owner, bare_client& watcher,
                                     const std::string& node) {
    watcher.impl_->fired = false;
    const auto start = clock::now();
    impl::check(owner.impl_->send_set_and_delete(node));
    wait_for_event(owner, watcher);
    const auto taken = clock::now() - start;
    owner.impl_->wait(ZOK);
    return taken;
}

clock::duration bare_client::hand_lease_on(bare_client& owner, bare_client& taker,
                                           const std::string& directory) {
    const auto permit = owner.create(directory + "/leases/take-1f-1000123456789ab-1f-lease-");
    const auto ticket = taker.create(directory + "/queue/turn-1f-lock-");
    bare_transaction take; // beside the ticket, which goes afterwards
    take.check(directory + "/limit");
    take.set(directory + "/leases", "");
    take.check(ticket);
    take.create(directory + "/leases/try-1f-1000123456789ac-1f-lease-");
    taker.watch_children(directory + "/leases");
    taker.impl_->fired = false;
    const auto start = clock::now();
    impl::check(owner.impl_->api.adelete(owner.impl_->handle, permit.c_str(), -1, impl::on_void,
                                         owner.impl_.get()));
    wait_for_event(owner, taker);
    taker.commit(take);
    const auto taken = clock::now() - start;
    owner.impl_->wait(ZOK);
    taker.set_and_delete(ticket);
    taker.remove(take.created().front());
    return taken;
}

void bare_client::breathe() {
    int fd = -1;
    int wanted = 0;
    timeval limit{};
    impl_->api.interest(impl_->handle, &fd, &wanted, &limit);
    impl_->api.process(impl_->handle, ZOOKEEPER_READ);
    impl_->api.interest(impl_->handle, &fd, &wanted, &limit);
}

} // namespace turnstile::bench

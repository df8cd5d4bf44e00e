// SPDX-License-Identifier: BSL-1.0
#include "bare_pair.hpp"

#include "bare_transaction.hpp"

#include <string>
#include <vector>

namespace turnstile::bench {

namespace {

/// One node is made, and handed on by a change or only deleted.
class node_pair : public bare_pair {
public:
    node_pair(bare_client& client, bool handed_on) : client_(client), handed_on_(handed_on) {
        client_.make_directory(directory);
    }
    void acquire() override { node_ = client_.create(std::string(directory) + "/turn-1-lock-"); }
    void release() override {
        if (handed_on_)
            client_.set_and_delete(node_);
        else
            client_.remove(node_);
    }

private:
    static constexpr const char* directory = "/bench/uncontended-bare-client";

    bare_client& client_;
    const bool handed_on_;
    std::string node_;
};

/// One permit of a semaphore: the same transaction and the same deletion.
class lease_pair : public bare_pair {
public:
    explicit lease_pair(bare_client& client) : client_(client) {
        const std::string path = "/bench/uncontended-bare-client-semaphore";
        for (const auto* name : {"/limit", "/queue", "/leases"})
            client_.make_directory(path + name);
        transaction_.check(path + "/limit");
        transaction_.set(path + "/queue", "");
        transaction_.set(path + "/leases", "");
        transaction_.create(path + "/leases/try-1f-1000123456789ab-1f-lease-");
    }
    void acquire() override { client_.commit(transaction_); }
    void release() override { client_.remove(transaction_.created().front()); }

private:
    bare_client& client_;
    bare_transaction transaction_;
};

/// Many mutexes: all tickets in one transaction, and a release for each, all in one flight.
class several_pairs : public bare_pair {
public:
    several_pairs(bare_client& client, std::size_t count) : client_(client) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto directory = "/bench/uncontended-bare-client-multi-" + std::to_string(i);
            client_.make_directory(directory);
            acquire_.set(directory, "");
            acquire_.create(directory + "/turn-1f-lock-");
        }
    }
    void acquire() override { client_.commit(acquire_); }
    void release() override {
        std::vector<bare_transaction> releases;
        for (const auto& node : acquire_.created()) {
            auto& next = releases.emplace_back();
            next.set(node, "released\n");
            next.remove(node);
        }
        client_.commit_each(releases);
    }

private:
    bare_client& client_;
    bare_transaction acquire_;
};

} // namespace

std::unique_ptr<bare_pair> make_limit_pair(bare_client& client, const lock_choice& lock) {
    if (lock.kind == "semaphore")
        return std::make_unique<lease_pair>(client);
    if (lock.kind == "multi")
        return std::make_unique<several_pairs>(client, lock.size);
    return std::make_unique<node_pair>(client,
                                       lock.kind != "readers" && lock.kind != "single-node");
}

} // namespace turnstile::bench

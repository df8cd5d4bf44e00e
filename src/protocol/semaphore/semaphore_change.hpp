// SPDX-License-Identifier: BSL-1.0
// One question that makes a semaphore, reads or sets its limit, or removes it.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// inquiries runs a read, a set and a removal, and limit_node runs a make. A change is done when
/// its own transaction was answered with success. A read is no proof of it: it may show old data.
///
/// After a lost answer it reads the limit. If that is as before, the transaction is sent again. It
/// names the version that was read, so only one of the two can happen. If the limit is another, the
/// change has happened, perhaps with another change right after it. A second transaction would undo
/// that one.
///
/// The steps:
/// - read:   asking_limit
/// - set:    asking_limit, setting. If there is no limit: making_path, listing, making
/// - make:   making_path, listing, making
/// - remove: listing, asking_limit, removing. If no limit is listed: removing at once what is left
///   of the semaphore; or proving_absence, if nothing is left or other nodes are there
/// Each step is one request, but for making_path: there the question waits for on_path().
class semaphore_change : public path_question {
public:
    static semaphore_change reads(std::string path) {
        return {wish::read, std::move(path), 0, step::asking_limit};
    }
    /// Sets the limit, or makes the semaphore with it.
    static semaphore_change sets(std::string path, std::uint32_t limit) {
        return {wish::set, std::move(path), limit, step::asking_limit};
    }
    /// Makes the semaphore. If another session has made it, with any limit, that is no failure.
    static semaphore_change makes(std::string path, std::uint32_t limit) {
        return {wish::make, std::move(path), limit, step::making_path};
    }
    static semaphore_change removes(std::string path) {
        return {wish::remove, std::move(path), 0, step::listing};
    }

    /// The ACL of new nodes names this session's identity alone. So the transaction that makes the
    /// nodes also checks one of them. That needs READ there: it fails if the servers do not know
    /// the identity.
    void makes_owned() { owned_ = true; }

    bool is_set() const { return wish_ == wish::set; }
    /// The limit that was read, or is to be set.
    std::uint32_t limit() const { return limit_; }

    bool needs_path() const override { return step_ == step::making_path; }
    request question() const override;
    /// The end of making_path.
    void on_path(failure why, zookeeper_code code) override;
    void on_answer(const reply& answer) override;

    /// After a `make` that failed: whether some of the semaphore's nodes were there, and others
    /// were missing.
    bool found_half() const { return !present_.empty(); }

private:
    enum class wish : std::uint8_t { read, set, make, remove };
    enum class step : std::uint8_t {
        asking_limit,
        making_path,
        listing,         // the children of the lock path
        setting,         // the limit
        making,          // all three nodes
        removing,        // the nodes that were listed
        proving_absence, // a check of the limit: a listing may be old, a transaction is not
    };

    semaphore_change(wish what, std::string path, std::uint32_t limit, step first)
        : wish_(what), path_(std::move(path)), limit_(limit), first_step_(first), step_(first) {}

    std::string below(std::string_view name) const { return path_ + '/' + std::string(name); }
    /// The transaction of `setting`, `making` or `removing`.
    std::vector<transaction_step> steps() const;

    // The answers to the steps. Each enters the next step, or ends the question.
    void on_limit(const reply& answer);
    void on_listed(const reply& answer);
    void on_transaction(const reply& answer);
    void on_proved(const reply& answer);
    /// The failure that a transaction means which was refused for want of a right.
    failure denial(const reply& answer) const;
    /// After a lost answer to a transaction, and a read of the limit: whether the transaction has
    /// happened, or can happen no more.
    bool lost_change_is_over(const reply& answer) const;
    /// Begins again, and counts the rounds: it fails after too many.
    void begin_next_round();
    /// Begins again. A `make` ends instead: its owner reads the limit, and makes it if need be.
    void begin_again();

    wish wish_;
    std::string path_;
    std::uint32_t limit_;
    step first_step_;
    step step_;
    node_stat found_limit_{};            // as it was read last; its czxid is 0 if there was none
    node_stat found_path_{};             // as it was listed last
    bool answer_lost_ = false;           // of a transaction that named versions of these two
    std::vector<std::string> present_{}; // the semaphore's nodes that were listed last
    std::size_t rounds_ = 0;
    bool owned_ = false; // see makes_owned()
};

} // namespace turnstile::protocol

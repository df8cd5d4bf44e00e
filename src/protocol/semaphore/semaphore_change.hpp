// SPDX-License-Identifier: BSL-1.0
// Makes a semaphore, reads or sets its limit, or removes it.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// A change is done when its own transaction was answered with success: a read may show old data.
/// After a lost answer it reads. If the limit is as it was, the transaction is sent again: the
/// limit is set with the version that was read, so only one of the two can happen. If it is not,
/// the change has happened, or another has come right after it: a second one would undo another's.
///
/// The steps, each of which is one request:
/// - read:   asking_limit
/// - set:    asking_limit, setting; or, if there is none, making_path, listing, making
/// - make:   making_path, listing, making
/// - remove: listing, asking_limit, removing; or, if nothing is listed, proving_absence
class semaphore_change : public path_question {
public:
    static semaphore_change reads(std::string path) {
        return {wish::read, std::move(path), 0, step::asking_limit};
    }
    /// Sets the limit, and makes the semaphore if it is missing.
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

    /// From now on the ACL of new nodes names this session's identity alone. A check of them needs
    /// READ there, and fails if the servers do not know the identity.
    void makes_owned() { owned_ = true; }

    bool is_set() const { return wish_ == wish::set; }
    /// The limit that was read, or is to be set.
    std::uint32_t limit() const { return limit_; }

    bool needs_path() const override { return now_ == step::making_path; }
    request question() const override;
    void on_path(failure why, zookeeper_code code) override;
    void on_answer(const reply& answer) override;

    /// Whether some of the semaphore's nodes were there, and others were missing.
    bool found_half() const { return !there_.empty(); }

private:
    enum class wish : std::uint8_t { read, set, make, remove };
    enum class step : std::uint8_t {
        asking_limit,
        making_path,
        listing, // the children of the lock path
        setting,
        making, // all three nodes
        removing,
        proving_absence, // a listing may be old, and a transaction is not
    };

    semaphore_change(wish what, std::string path, std::uint32_t limit, step first)
        : wish_(what), path_(std::move(path)), limit_(limit), first_(first), now_(first) {}

    std::string below(std::string_view name) const { return path_ + '/' + std::string(name); }
    std::vector<transaction_step> steps() const;

    void on_limit(const reply& answer);
    void on_listed(const reply& answer);
    void on_transaction(const reply& answer);
    void on_proved(const reply& answer);
    failure denial(const reply& answer) const;
    /// The answer to a transaction was lost. Whether it has happened by now, or another came after
    /// it.
    bool lost_change_is_over(const reply& answer) const;
    /// Begins again, but not for ever.
    void begin_again_counted();
    /// Begins again. A `make` ends instead: its owner reads the limit, and makes it if need be.
    void begin_again();

    wish wish_;
    std::string path_;
    std::uint32_t limit_;
    step first_;
    step now_;
    node_stat found_limit_{}; // its czxid is 0 if there was none
    node_stat found_path_{};
    bool answer_lost_ = false;         // of a transaction for these two
    std::vector<std::string> there_{}; // the nodes of the semaphore that were there
    std::size_t rounds_ = 0;
    bool owned_ = false;
};

} // namespace turnstile::protocol

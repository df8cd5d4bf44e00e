// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "promises/judge.hpp"

#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace turnstile::test {

class lock_user;

/// All that happens to one lock path in this process, as its users tell it. promises::judge holds
/// each event against what is promised, and violations() has what it found. A test owns the
/// journal; lock_user calls it. All calls come from one thread.
class journal {
public:
    /// One grant.
    struct entry {
        const lock_user* who;
        turnstile::fencing_token token;
    };

    explicit journal(const promises::lock_kind& kind = promises::mutex);
    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;

    // What a user does and what it is told. asks() gives the number of the acquire, by which the
    // others name it.
    promises::acquire_id asks(const lock_user& who);
    void granted(promises::acquire_id which);
    void failed(promises::acquire_id which, const error_code& why);
    void lost(promises::acquire_id which, const error_code& why);
    void downgrades(promises::acquire_id which);
    void upgraded(promises::acquire_id which);
    void releases(promises::acquire_id which, bool awaited);
    void released(promises::acquire_id which, const error_code& result);

    /// From now on the present holders may believe what is wrong: a foreign client has done
    /// something that they cannot know.
    void excuse_holders();
    /// The test is over, and every acquire could have been granted.
    void finish() { judge_.finish(); }

    /// Whether these were granted in this order, perhaps with others between them.
    [[nodiscard]] bool in_order(const std::vector<const lock_user*>& expected) const;
    template <class User>
    [[nodiscard]] bool in_order(const std::vector<User*>& expected) const {
        return in_order(std::vector<const lock_user*>(expected.begin(), expected.end()));
    }
    [[nodiscard]] std::vector<std::string> violations() const { return promises::texts_of(judge_); }
    static inline const std::vector<std::string> no_violations{};

    std::vector<entry> grants; ///< in their order
    /// Whether an operation may end with this error. A test sets it; without it all may.
    std::function<bool(const lock_user&, const error_code&)> may_fail;
    /// What is known of a loss. A test sets it; without it nothing is.
    std::function<promises::loss(const lock_user&, const error_code&)> what_is_known;

private:
    /// Who made an acquire, and its name then.
    struct asked {
        const lock_user* who;
        std::string name;
    };

    /// Shows the judge an event of now.
    void see(promises::acquire_id which, promises::event what);
    /// Shows the judge the end of an operation, and whether it may end so.
    void see_end(promises::acquire_id which, promises::happening what, const error_code& result);
    /// "the last one's acquire 3 (token 0000000000000103-0000000000000000)"
    [[nodiscard]] std::string name_of(promises::acquire_id which) const;

    promises::judge judge_;
    std::vector<asked> asked_; // by the number of the acquire
};

} // namespace turnstile::test

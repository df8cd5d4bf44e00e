// SPDX-License-Identifier: BSL-1.0
// One acquire of a multi_lock, in progress.
#pragma once

#include "protocol/multi/multi_acquire.hpp"
#include "session/completion.hpp"
#include "session/locks/lock_state.hpp"
#include "session/locks/multi_object.hpp"
#include "session/values/turns.hpp"

#include <turnstile/diagnostics.hpp>

#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace turnstile::detail {

/// One acquire of a multi_lock. Its machine (multi_acquire) decides in which order the parts are
/// looked up, acquired and released, and this class carries that out, each part on its own session.
/// The parts answer on several strands, so `turns_` runs one input of the machine at a time.
///
/// The answers that are still open own this object. Its destructor releases the parts that are
/// held: an execution context may be destroyed, and with it the answer of its part.
class multi_operation : public std::enable_shared_from_this<multi_operation> {
public:
    using handler = multi_object::handler;

    multi_operation(std::shared_ptr<multi_object> of, bool waits,
                    std::optional<protocol::duration> limit);
    ~multi_operation();
    multi_operation(const multi_operation&) = delete;
    multi_operation& operator=(const multi_operation&) = delete;

    /// Takes the handler, and connects its cancellation. Comes first, before others know of this.
    void prepare(handler done);
    void start();
    /// On any thread.
    void cancel() noexcept;

private:
    using machine = protocol::multi_acquire;
    struct part {
        boost::asio::cancellation_signal signal{}; // cancels the look-up or acquire under way
        // The answer of the part's session, until its turn comes.
        error_code answer_code{};
        held_lock granted_lock{};       // of an acquire
        protocol::lock_key found_key{}; // of a look-up

        std::shared_ptr<lock_state> held{}; // null while the part is not held
        error_code failure{};               // the code of the last answer whose turn has come
        diagnostics diag{};                 // of the last failure
    };

    /// Calls `input` in its turn, and performs the actions that the machine returns.
    template <class Input>
    void enter(Input input);
    /// Makes the handler of a part's answer. It puts the answer in `place`, and enters `input`.
    template <class Answer>
    erased_handler<void(error_code, Answer)>
    answer_of(std::size_t which, Answer part::*place,
              machine::actions (multi_operation::*input)(std::size_t));
    machine::actions on_looked_up(std::size_t which);
    machine::actions on_acquired(std::size_t which);
    /// The execution context of the part's session is gone: the session calls no handler.
    bool is_orphaned(std::size_t which) const;
    /// Tells the machine that an orphaned part has failed.
    void refuse(std::size_t which);
    void perform(const machine::actions& todo);
    void perform_one(const machine::action& action); // any but an acquire
    void start_look_up(const machine::action& action);
    /// Starts an acquire, with all that go in one transaction with it. Returns their number.
    std::size_t start_acquire(const machine::actions& todo, std::size_t first);
    session_locks::one_of_several request_of(const machine::action& action);
    void release(std::size_t which) noexcept;
    /// All parts are granted: completes with the lock, or begins again if one is lost already.
    void finish();
    void complete(const error_code& result, held_lock lock = {});
    /// Completes with the error of this part.
    void fail(std::size_t which, const error_code& result);
    /// There is no memory to go on: completes with no_memory, and releases all parts.
    void give_up() noexcept;

    const std::shared_ptr<multi_object> object_;
    const lease_clock::time_point began_;
    const bool waits_; // false: a try_acquire
    turns turns_;
    bool given_up_ = false; // give_up() was called: further inputs do nothing
    std::optional<pending_operation<error_code, held_lock>> waiting_; // empty once completed
    diagnostics* diag_ = nullptr; // null if the caller asks for no details
    std::vector<part> parts_;
    machine machine_;
};

} // namespace turnstile::detail

// SPDX-License-Identifier: BSL-1.0
// An acquire of several locks in progress.
#pragma once

#include "protocol/multi/multi_acquire.hpp"
#include "session/completion.hpp"
#include "session/lock_state.hpp"
#include "session/multi_object.hpp"
#include "session/turns.hpp"

#include <turnstile/diagnostics.hpp>

#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace turnstile::detail {

/// Carries out what the machine says, each part on its own session. Lives as long as a part has an
/// answer to give. What is held by then is released: a context may go with the answer of its part.
class multi_operation : public std::enable_shared_from_this<multi_operation> {
public:
    using handler = multi_object::handler;

    multi_operation(std::shared_ptr<multi_object> of, bool waits,
                    std::optional<protocol::duration> limit);
    ~multi_operation();
    multi_operation(const multi_operation&) = delete;
    multi_operation& operator=(const multi_operation&) = delete;

    /// Before anybody else knows of it: from here on it can be cancelled.
    void prepare(handler done);
    void start();
    /// From any thread.
    void cancel() noexcept;

private:
    using machine = protocol::multi_acquire;
    struct part {
        boost::asio::cancellation_signal signal{}; // of what is under way
        // Its answer, until its turn.
        error_code result{};
        held_lock came{};
        protocol::lock_key found{};

        std::shared_ptr<lock_state> held{};
        error_code reason{}; // why it failed
        diagnostics diag{};
    };

    template <class Input>
    void enter(Input input);
    template <auto Place, auto Input, class Signature>
    erased_handler<Signature> answer_of(std::size_t which);
    machine::actions on_looked_up(std::size_t which);
    machine::actions on_acquired(std::size_t which);
    bool is_orphaned(std::size_t which) const;
    void refuse(std::size_t which);
    void perform(const machine::actions& todo);
    void perform(const machine::action& what); // but no acquire
    void look_up(const machine::action& what);
    std::size_t acquire(const machine::actions& todo, std::size_t first);
    session_impl::one_of_several request_of(const machine::action& what);
    void release(std::size_t which) noexcept;
    void finish();
    void complete(const error_code& result, held_lock lock = {});
    void fail(std::size_t which, const error_code& result);
    void give_up() noexcept;

    const std::shared_ptr<multi_object> of_;
    const lease_clock::time_point began_;
    const bool waits_;
    turns turns_;
    bool given_up_ = false;
    std::optional<pending_operation<error_code, held_lock>> waiting_;
    diagnostics* diag_ = nullptr; // null where no details are asked for
    std::vector<part> parts_;
    machine machine_;
};

} // namespace turnstile::detail

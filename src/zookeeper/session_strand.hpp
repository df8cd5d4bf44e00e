// The strand of a session.
#pragma once

#include "zookeeper/strand_queue.hpp"
#include "zookeeper/strand_state.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace turnstile::zookeeper {

/// An executor over the user's, whose functions run one at a time. Each is one turn: what waits in
/// `after_turn` runs when the turn ends. A function that is handed over where it may run at once is
/// neither copied nor queued. Asio's own strand allocates it, and takes its lock twice, also where
/// nobody else is in the strand: 600 instructions more for each.
class session_strand {
public:
    using plain_executor = strand_state::plain_executor;
    using blocking_t = boost::asio::execution::blocking_t;
    using outstanding_work_t = boost::asio::execution::outstanding_work_t;

    /// A template: a plain constructor would also be asked whether a session_strand converts to a
    /// plain executor, which depends on the answer.
    template <std::same_as<plain_executor> Plain>
    explicit session_strand(const Plain& plain)
        : state_(std::make_shared<strand_state>(plain)), posts_(state_->posts()) {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return boost::asio::query(state_->plain(), boost::asio::execution::context);
    }
    blocking_t query(blocking_t) const noexcept {
        return posts_ ? blocking_t(boost::asio::execution::blocking.never)
                      : blocking_t(boost::asio::execution::blocking.possibly);
    }
    /// Without it Asio would take each for untracked, and never ask prefer() for that.
    outstanding_work_t query(outstanding_work_t) const noexcept {
        return works_ ? outstanding_work_t(boost::asio::execution::outstanding_work.tracked)
                      : outstanding_work_t(boost::asio::execution::outstanding_work.untracked);
    }
    session_strand require(blocking_t::never_t) const noexcept { return {state_, works_, true}; }
    session_strand prefer(outstanding_work_t::tracked_t tracked) const {
        // An operation of an io_context's reactor is work of the io_context without being counted.
        if (works_ || state_->is_direct())
            return *this;
        auto both =
            std::make_shared<work>(work{state_, boost::asio::prefer(state_->plain(), tracked)});
        auto* const state = state_.get();
        return {std::shared_ptr<strand_state>(std::move(both), state), true, posts_};
    }
    session_strand prefer(outstanding_work_t::untracked_t) const noexcept {
        return {state_->shared_from_this(), false, posts_};
    }

    /// A function that may run at once is never lost on an io_context's own executor: where there
    /// is no memory to queue what a reactor tells, this thread waits until the strand is free.
    template <class Function>
    void execute(Function&& function) const {
        enter(std::forward<Function>(function), true);
    }
    /// As execute(), for a call of the user. It waits for nobody, and throws: the user may hold a
    /// lock of his own, and whoever is in the strand may want it.
    template <class Function>
    void call(Function&& function) const {
        enter(std::forward<Function>(function), false);
    }
    bool running_in_this_thread() const noexcept { return after_turn::is_within(state_->number()); }
    /// For after_turn. It is 0 where a caller of execute() waits for the function: the caller may
    /// be a function of the user, and the end of the turn would still be inside of it.
    std::uint64_t number() const noexcept { return state_->makes_wait() ? 0 : state_->number(); }

    friend bool operator==(const session_strand& a, const session_strand& b) noexcept {
        return a.state_ == b.state_ && a.posts_ == b.posts_;
    }
    friend bool operator!=(const session_strand& a, const session_strand& b) noexcept {
        return !(a == b);
    }

private:
    template <class Function>
    class waiting final : public strand_queue::item {
    public:
        template <class From>
        explicit waiting(From&& function) : function_(std::forward<From>(function)) {}
        void run() override { function_(); }

    private:
        Function function_;
    };

    template <class Function>
    void enter(Function&& function, bool may_wait) const {
        if (!posts_ && running_in_this_thread())
            return function();
        const auto state = state_; // the function may destroy this strand, and what owns it
        if (!posts_ && state->enter())
            return state->turn_here(function);
        queue(*state, std::forward<Function>(function), may_wait && !posts_);
    }
    /// Apart, for it is seldom called: what runs at once is the shorter for it.
    template <class Function>
    [[gnu::noinline]] void queue(strand_state& state, Function&& function, bool may_wait) const {
        using kept = waiting<std::decay_t<Function>>;
        std::unique_ptr<strand_queue::item> next;
        try {
            next = std::make_unique<kept>(std::forward<Function>(function));
        } catch (const std::bad_alloc&) { // nothing was moved yet
            if (!may_wait)
                throw;
        }
        if (next)
            state.add(std::move(next), posts_);
        else if (!state.turn_after_others(function))
            throw std::bad_alloc();
    }

    struct work {
        std::shared_ptr<strand_state> of;
        plain_executor counted;
    };

    session_strand(std::shared_ptr<strand_state> state, bool works, bool posts) noexcept
        : state_(std::move(state)), works_(works), posts_(posts) {}

    std::shared_ptr<strand_state> state_; // owned by its `work` where that is counted
    bool works_ = false;
    bool posts_; // nothing is run at once
};

} // namespace turnstile::zookeeper

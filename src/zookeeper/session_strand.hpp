// The strand of a session.
#pragma once

#include "zookeeper/after_turn.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

namespace turnstile::zookeeper {

/// What a session's strand runs on: the executor that the user gave. A strand asks at each entry
/// whether it may run things at once, and any_io_executor allocates its answer; here it is ready.
/// Where the user's executor is an io_context's, it is kept as that, without another type erasure.
/// Each function that it executes is one turn of the strand. What waits in `after_turn` runs when
/// the turn ends.
class strand_executor {
public:
    using plain_executor = boost::asio::any_io_executor;
    using blocking_t = boost::asio::execution::blocking_t;
    using outstanding_work_t = boost::asio::execution::outstanding_work_t;

    /// A strand is made of it. A template, for otherwise whether this is an executor would be asked
    /// to find out whether it is one.
    template <std::same_as<plain_executor> Plain>
    strand_executor(const Plain& plain)
        : strand_executor(of(plain), boost::asio::query(plain, boost::asio::execution::blocking)) {}

    // None throws, though std::variant says nothing of it.
    strand_executor(const strand_executor&) noexcept = default;
    strand_executor(strand_executor&&) noexcept = default;
    strand_executor& operator=(const strand_executor&) noexcept = default;
    strand_executor& operator=(strand_executor&&) noexcept = default;

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return std::visit(
            [](const auto& on) -> boost::asio::execution_context& {
                return boost::asio::query(on, boost::asio::execution::context);
            },
            on_);
    }
    blocking_t query(blocking_t) const noexcept {
        return posts_ ? blocking_t(boost::asio::execution::blocking.never)
                      : blocking_t(boost::asio::execution::blocking.possibly);
    }
    /// Without it Asio would take each for untracked, and never ask prefer() for that.
    outstanding_work_t query(outstanding_work_t work) const {
        return std::visit(
            [&](const auto& on) -> outstanding_work_t { return boost::asio::query(on, work); },
            on_);
    }
    strand_executor require(blocking_t::never_t never) const {
        return std::visit(
            [&](const auto& on) {
                return strand_executor(plain_executor(boost::asio::require(on, never)), true,
                                       number_);
            },
            on_);
    }
    strand_executor prefer(outstanding_work_t::tracked_t tracked) const { return same(tracked); }
    strand_executor prefer(outstanding_work_t::untracked_t untracked) const {
        return same(untracked);
    }

    template <class Function>
    void execute(Function&& function) const {
        std::visit(
            [&](const auto& on) {
                on.execute(turn<std::decay_t<Function>>{std::forward<Function>(function), number_});
            },
            on_);
    }
    /// Of the strand, for after_turn; 0: nothing waits for the end of its turns.
    std::uint64_t number() const noexcept { return number_; }

    friend bool operator==(const strand_executor& a, const strand_executor& b) noexcept {
        return a.on_ == b.on_;
    }
    friend bool operator!=(const strand_executor& a, const strand_executor& b) noexcept {
        return a.on_ != b.on_;
    }

private:
    using direct_executor = boost::asio::io_context::executor_type;
    using tracked_executor = std::decay_t<decltype(boost::asio::prefer(
        std::declval<const direct_executor&>(), boost::asio::execution::outstanding_work.tracked))>;
    using executor = std::variant<plain_executor, direct_executor, tracked_executor>;

    template <class Function>
    struct turn {
        Function function;
        std::uint64_t strand;

        void operator()() {
            after_turn after(strand);
            function();
            after.run();
        }
    };

    // Where the caller waits for each turn, the end of a turn is still in the caller's function.
    strand_executor(executor on, const blocking_t& blocking)
        : strand_executor(std::move(on), blocking == boost::asio::execution::blocking.never,
                          blocking == boost::asio::execution::blocking.always ? 0 : next_number()) {
    }
    strand_executor(executor on, bool posts, std::uint64_t number)
        : on_(std::move(on)), posts_(posts), number_(number) {}

    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    static executor of(const plain_executor& plain) {
        if (const auto* const found = plain.target<direct_executor>())
            return *found;
        return plain;
    }
    /// The same, but for the work that it counts.
    template <class Property>
    strand_executor same(Property counting) const {
        return std::visit(
            [&](const auto& on) {
                return strand_executor(boost::asio::prefer(on, counting), posts_, number_);
            },
            on_);
    }

    executor on_;
    bool posts_; // nothing is run at once
    std::uint64_t number_;
};

using session_strand = boost::asio::strand<strand_executor>;

} // namespace turnstile::zookeeper

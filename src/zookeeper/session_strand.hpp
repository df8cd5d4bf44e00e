// The strand of a session.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <concepts>
#include <optional>
#include <utility>

namespace turnstile::zookeeper {

/// What a session's strand runs on: the executor that the user gave. A strand asks at each entry
/// whether it may run things at once, and any_io_executor allocates its answer; here it is ready.
/// Where the user's executor is an io_context's, things go to it without another type erasure.
class strand_executor {
public:
    using plain_executor = boost::asio::any_io_executor;
    using blocking_t = boost::asio::execution::blocking_t;
    using outstanding_work_t = boost::asio::execution::outstanding_work_t;

    /// A strand is made of it. A template, for otherwise whether this is an executor would be asked
    /// to find out whether it is one.
    template <std::same_as<plain_executor> Plain>
    strand_executor(const Plain& plain)
        : strand_executor(plain, boost::asio::query(plain, boost::asio::execution::blocking) ==
                                     boost::asio::execution::blocking.never) {}

    // None throws, though std::optional says nothing of it.
    strand_executor(const strand_executor&) noexcept = default;
    strand_executor(strand_executor&&) noexcept = default;
    strand_executor& operator=(const strand_executor&) noexcept = default;
    strand_executor& operator=(strand_executor&&) noexcept = default;

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return boost::asio::query(plain_, boost::asio::execution::context);
    }
    blocking_t query(blocking_t) const noexcept {
        return posts_ ? blocking_t(boost::asio::execution::blocking.never)
                      : blocking_t(boost::asio::execution::blocking.possibly);
    }
    strand_executor require(blocking_t::never_t never) const {
        return {boost::asio::require(plain_, never), true};
    }
    strand_executor prefer(outstanding_work_t::tracked_t tracked) const {
        return {boost::asio::prefer(plain_, tracked), posts_, direct_};
    }
    strand_executor prefer(outstanding_work_t::untracked_t untracked) const {
        return {boost::asio::prefer(plain_, untracked), posts_, direct_};
    }

    template <class Function>
    void execute(Function&& function) const {
        if (direct_)
            direct_->execute(std::forward<Function>(function));
        else
            plain_.execute(std::forward<Function>(function));
    }

    friend bool operator==(const strand_executor& a, const strand_executor& b) noexcept {
        return a.plain_ == b.plain_;
    }
    friend bool operator!=(const strand_executor& a, const strand_executor& b) noexcept {
        return a.plain_ != b.plain_;
    }

private:
    using direct_executor = boost::asio::io_context::executor_type;

    strand_executor(plain_executor plain, bool posts) : plain_(std::move(plain)), posts_(posts) {
        if (const auto* const found = plain_.target<direct_executor>())
            direct_ = *found;
    }
    // `plain` has the same target, but for the work that it counts.
    strand_executor(plain_executor plain, bool posts, const std::optional<direct_executor>& direct)
        : plain_(std::move(plain)), posts_(posts), direct_(direct) {}

    plain_executor plain_;
    bool posts_; // nothing is run at once
    std::optional<direct_executor> direct_;
};

using session_strand = boost::asio::strand<strand_executor>;

} // namespace turnstile::zookeeper

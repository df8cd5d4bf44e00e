// SPDX-License-Identifier: BSL-1.0
// Outstanding work on a session's executor, for all operations that complete there.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace turnstile::detail {

/// A context that only awaits an operation of ours would return early without work of its own. An
/// executor that keeps it takes 56 bytes, and one does for all operations. Any thread may begin and
/// end one.
class work_keeper {
public:
    /// Of one operation.
    class entry {
    public:
        explicit entry(std::shared_ptr<work_keeper> in) : in_(std::move(in)) {
            if (in_)
                in_->begin();
        }
        entry(entry&&) noexcept = default;
        entry& operator=(entry&&) = delete;
        ~entry() {
            if (in_)
                in_->end();
        }

    private:
        std::shared_ptr<work_keeper> in_; // null where the context is gone
    };

    explicit work_keeper(boost::asio::any_io_executor on) : on_(std::move(on)) {}

private:
    void begin() {
        const std::lock_guard alone(mutex_);
        if (count_ == 0)
            kept_ = boost::asio::prefer(on_, boost::asio::execution::outstanding_work.tracked);
        ++count_;
    }
    void end() noexcept {
        std::unique_lock alone(mutex_);
        if (--count_ > 0)
            return;
        const auto last = std::move(kept_);
        alone.unlock(); // the context may end with it
    }

    const boost::asio::any_io_executor on_;
    std::mutex mutex_;
    std::size_t count_ = 0;
    boost::asio::any_io_executor kept_;
};

} // namespace turnstile::detail

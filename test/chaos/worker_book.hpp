// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock_choice.hpp"

#include "support/history_writer.hpp"

#include <turnstile.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace turnstile::chaos {

/// A worker's history. Each line is in the file when the call returns, for the worker may be killed
/// at any time.
class worker_book {
public:
    worker_book(const std::filesystem::path& folder, std::string name)
        : writer_{folder, std::move(name)} {}

    void start(std::chrono::milliseconds timeout);
    void session(std::int64_t id);
    /// One acquire that is asked for.
    struct wish {
        std::uint64_t id = 0;
        lock_choice lock{};
        std::uint32_t takes = 1; ///< how many leases of a semaphore
        bool reads = false;      ///< as a reader of a shared mutex
    };

    /// `several`: as a part of a multi_lock.
    void ask(const wish& what, bool several);
    void grant(const wish& what, fencing_token token, lease_clock::time_point deadline,
               std::int64_t session, bool several);
    void lost(std::uint64_t id, const error_code& why);
    /// Another contender asks for the lock, so the hold ends sooner.
    void yielded(std::uint64_t id);
    /// A release in the background gets no answer.
    void release(std::uint64_t id, bool in_background);
    void released(std::uint64_t id, const error_code& result);
    /// The call that makes a writer a reader, and its result.
    void downgrade(std::uint64_t id);
    void downgraded(std::uint64_t id, const error_code& result);
    /// The call that makes a reader a writer, and its result, with the writer's token.
    void upgrade(std::uint64_t id);
    void upgraded(std::uint64_t id, const error_code& result, fencing_token token);
    /// A guarded write of that value is about to begin, and its result.
    void count(std::uint64_t id, std::uint64_t value);
    void counted(std::uint64_t id, const error_code& result, std::int32_t version);
    /// What an observer was told last, and how often of a leader that was older than the one
    /// before.
    void observed(std::uint64_t id, const std::string& lock, const leader_info& last,
                  std::size_t went_back);
    void fail(std::uint64_t id, const error_code& why);
    void stop(std::size_t not_served);

    [[nodiscard]] const std::string& name() const noexcept { return writer_.writer(); }

private:
    test::history_writer writer_;
};

} // namespace turnstile::chaos

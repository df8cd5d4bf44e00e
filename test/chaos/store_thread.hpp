// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/fenced_store.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <filesystem>
#include <thread>

namespace turnstile::chaos {

/// The fenced store to which the contenders write, on a thread of its own. run_chaos() owns it.
/// Each write is a line of the history "store".
class store_thread {
public:
    explicit store_thread(const std::filesystem::path& history)
        : writer_{history, "store"}, thread_{[this] { context_.run(); }} {}
    store_thread(const store_thread&) = delete;
    store_thread& operator=(const store_thread&) = delete;
    ~store_thread() {
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return store_.port(); }
    /// How many writes were refused. Call it when all users have gone.
    [[nodiscard]] std::uint64_t refused() const noexcept { return store_.refused(); }

private:
    test::history_writer writer_;
    boost::asio::io_context context_{1};
    test::fenced_store store_{context_.get_executor(), writer_};
    std::thread thread_;
};

} // namespace turnstile::chaos

// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/tls_contexts.hpp"

#include "zookeeper/detached_thread.hpp"
#include "zookeeper/tls_stream.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

/// Differs once a file was written, or another one took its place. All zeros: the file is missing.
using file_stamp = std::array<std::int64_t, 4>;

file_stamp stamp_of(const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0)
        return {};
    return {static_cast<std::int64_t>(found.st_ino), found.st_size, found.st_ctim.tv_sec,
            found.st_ctim.tv_nsec};
}

using setting_values = std::array<std::string, tls_options::texts.size()>;

setting_values values_of(const tls_options& how) {
    setting_values values;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = how.*tls_options::texts[i].value;
    return values;
}

std::vector<file_stamp> stamps_of(const tls_options& how) {
    std::vector<file_stamp> stamps;
    for (const auto& file : files_of(how))
        stamps.push_back(stamp_of(file));
    return stamps;
}

/// The TLS contexts that the sessions of an execution context share, and the sessions that wait for
/// one. The threads that read own it, too.
class tls_context_table : public std::enable_shared_from_this<tls_context_table> {
public:
    std::optional<tls_context> find(const session_strand& strand, const tls_options& how,
                                    std::function<void()> read) {
        const auto values = values_of(how);
        const auto stamps = stamps_of(how);
        // The stamps are taken before the files are read: a file that changes meanwhile is read
        // once more.
        const auto work = [self = shared_from_this(), how, values, stamps] {
            try {
                tls_context context;
                context.made = make_context(how, context.wrong);
                if (context.made)
                    context.own = certificate_of(*context.made);
                self->end(values, stamps, std::move(context));
            } catch (...) { // there is no memory: the attempts end by their limits
                self->give_up(values);
            }
        };
        {
            const std::lock_guard guard(mutex_);
            auto& found = all_[values];
            if (found.stamps == stamps)
                return found.context;
            found.waiting.push_back({strand, std::move(read)});
            if (std::exchange(found.is_read, true))
                return std::nullopt;
            if (found.reader.joinable()) // it is done
                found.reader.join();
            try {
                found.reader = start_thread(work);
                return std::nullopt;
            } catch (const std::system_error&) { // no thread can be started
            }
        }
        work(); // no thread can be started: the files are read here
        return std::nullopt;
    }

    // The execution context shuts down: no handler is posted any more. This waits a second for the
    // readers, since OpenSSL must not run while the process ends. A file can block its reader for
    // ever (a pipe without a writer, a server of files that is away): that thread is left alone.
    void forget() noexcept {
        std::unique_lock lock(mutex_);
        for (auto& [values, each] : all_)
            each.waiting.clear();
        ended_.wait_for(lock, std::chrono::seconds{1}, [this] {
            return std::ranges::none_of(all_, [](const auto& each) { return each.second.is_read; });
        });
        for (auto& [values, each] : all_) {
            if (!each.reader.joinable())
                continue;
            if (each.is_read)
                each.reader.detach();
            else
                each.reader.join(); // it has done its work, and joins at once
        }
    }

private:
    struct listener {
        session_strand on;
        std::function<void()> read;
    };
    struct entry {
        std::optional<std::vector<file_stamp>> stamps{}; // those of the files it was made from
        tls_context context{};
        bool is_read = false; // a thread reads its files now
        std::thread reader{}; // that thread, or one that is done
        std::vector<listener> waiting{};
    };

    // The mutex is held until the strands have the handlers: forget() may not return before.
    void end(const setting_values& values, const std::vector<file_stamp>& stamps,
             tls_context context) {
        const std::lock_guard guard(mutex_);
        auto& ended = all_[values];
        ended.stamps = stamps;
        ended.context = std::move(context);
        ended.is_read = false;
        ended_.notify_all();
        for (auto& each : std::exchange(ended.waiting, {}))
            asio::post(each.on, std::move(each.read));
    }

    void give_up(const setting_values& values) noexcept {
        const std::lock_guard guard(mutex_);
        if (const auto ended = all_.find(values); ended != all_.end())
            ended->second.is_read = false;
        ended_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable ended_; // a thread has read its files
    std::map<setting_values, entry> all_;
};

class tls_context_service final : public asio::execution_context::service {
public:
    using key_type = tls_context_service;
    static asio::execution_context::id id;

    explicit tls_context_service(asio::execution_context& context) : service(context) {}

    tls_context_table& table() { return *table_; }

private:
    void shutdown() override { table_->forget(); }
    // The threads stay with the parent. One of them may hold the mutex.
    void notify_fork(asio::execution_context::fork_event event) override {
        if (event == asio::execution_context::fork_child) {
            new std::shared_ptr<tls_context_table>(std::move(table_)); // its threads are no more
            table_ = std::make_shared<tls_context_table>();
        }
    }

    std::shared_ptr<tls_context_table> table_ = std::make_shared<tls_context_table>();
};

asio::execution_context::id tls_context_service::id;

} // namespace

std::optional<tls_context> find_tls_context(const session_strand& strand, const tls_options& how,
                                            std::function<void()> read) {
    if (how.context)
        return tls_context{.made = how.context, .own = certificate_of(*how.context)};
    auto& context = asio::query(strand, asio::execution::context);
    return asio::use_service<tls_context_service>(context).table().find(strand, how,
                                                                        std::move(read));
}

} // namespace turnstile::zookeeper

// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/tls_contexts.hpp"

#include "zookeeper/start_thread.hpp"
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
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

/// Tells one state of a file from another: it differs after a write, and if another file has taken
/// the name. All zeros: the file is missing.
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

/// The stamp of each file, also of those in a folder: a folder's own stamp stays when a file in it
/// is written.
using file_stamps = std::map<std::string, file_stamp>;

file_stamps stamps_of(const tls_options& how) {
    file_stamps stamps;
    for (const auto& file : files_of(how)) {
        stamps.emplace(file, stamp_of(file));
        std::error_code failed; // such as: it is no folder
        for (std::filesystem::directory_iterator each(file, failed), end; !failed && each != end;
             each.increment(failed))
            stamps.emplace(each->path(), stamp_of(each->path()));
    }
    return stamps;
}

/// The TLS contexts that the sessions of an execution context share, and the sessions that wait for
/// one. The threads that read own it, too.
class tls_context_table : public std::enable_shared_from_this<tls_context_table> {
public:
    void find(const session_strand& strand, const tls_options& how, tls_context_handler done) {
        const auto values = values_of(how);
        const std::lock_guard guard(mutex_);
        auto& found = all_[values];
        found.waiting.push_back({strand, std::move(done)});
        if (std::exchange(found.being_read, true))
            return;
        if (found.reader.joinable()) // it does not need the mutex any more, and is about to end
            found.reader.join();
        try {
            found.reader = start_thread(
                [self = shared_from_this(), how, values] { self->read_until_done(how, values); });
        } catch (const std::exception& refused) { // the files may block: not on the strand
            found.being_read = false;
            post_result(found.waiting,
                        {.wrong = "tls: no thread can be started to read its files: " +
                                  std::string(refused.what()),
                         .may_pass = true});
        }
    }

    // The execution context shuts down: no handler is posted any more. This waits a second for the
    // readers, since OpenSSL must not run while the process ends. A file can block its reader for
    // ever (a pipe without a writer, a server of files that is away): that thread is left alone.
    void forget() noexcept {
        std::unique_lock lock(mutex_);
        for (auto& [values, each] : all_)
            each.waiting = each.served = {};
        ended_.wait_for(lock, std::chrono::seconds{1}, [this] {
            return std::ranges::none_of(all_,
                                        [](const auto& each) { return each.second.being_read; });
        });
        for (auto& [values, each] : all_) {
            if (!each.reader.joinable())
                continue;
            if (each.being_read)
                each.reader.detach();
            else
                each.reader.join(); // it has done its work, and joins at once
        }
    }

private:
    struct listener {
        session_strand on;
        tls_context_handler done;
    };
    struct entry {
        std::optional<file_stamps> stamps{}; // of the files that `context` was made from
        tls_context context{};
        bool being_read = false;         // a thread looks at its files now
        std::thread reader{};            // that thread, or one that is done
        std::vector<listener> served{};  // they get the result of the present look at the files
        std::vector<listener> waiting{}; // they came later, and get that of the next look
    };

    // On the thread that reads.
    void read_until_done(const tls_options& how, const setting_values& values) noexcept {
        try {
            while (take_waiting(values))
                look_at_files(how, values);
        } catch (...) { // no memory: these attempts end by their limits, and find() begins anew
            const std::lock_guard guard(mutex_);
            if (const auto ended = all_.find(values); ended != all_.end()) {
                ended->second.served.clear();
                ended->second.being_read = false;
            }
            ended_.notify_all();
        }
    }

    /// Begins a look for the attempts that wait. False: none waits, and the thread ends.
    bool take_waiting(const setting_values& values) {
        const std::lock_guard guard(mutex_);
        auto& found = all_[values];
        found.served = std::exchange(found.waiting, {});
        found.being_read = !found.served.empty();
        if (!found.being_read)
            ended_.notify_all();
        return found.being_read;
    }

    // The stamps are taken before the files are read: a file that changes meanwhile is read once
    // more.
    void look_at_files(const tls_options& how, const setting_values& values) {
        auto stamps = stamps_of(how);
        const bool is_known = [&] {
            const std::lock_guard guard(mutex_);
            return all_[values].stamps == stamps;
        }();
        tls_context fresh;
        if (!is_known) {
            fresh.made = make_context(how, fresh.wrong);
            if (fresh.made)
                fresh.own = certificate_of(*fresh.made);
        }
        // The mutex is held until the strands have the handlers: forget() may not return before.
        const std::lock_guard guard(mutex_);
        auto& found = all_[values];
        if (!is_known) {
            found.stamps = std::move(stamps);
            found.context = std::move(fresh);
        }
        post_result(found.served, found.context);
    }

    static void post_result(std::vector<listener>& those, const tls_context& what) {
        for (auto& each : std::exchange(those, {}))
            asio::post(each.on, [done = std::move(each.done), what] { done(what); });
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

void find_tls_context(const session_strand& strand, const tls_options& how,
                      tls_context_handler done) {
    if (how.context)
        return done({.made = how.context, .own = certificate_of(*how.context)});
    auto& context = asio::query(strand, asio::execution::context);
    asio::use_service<tls_context_service>(context).table().find(strand, how, std::move(done));
}

} // namespace turnstile::zookeeper

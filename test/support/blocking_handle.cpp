// SPDX-License-Identifier: BSL-1.0
#include "blocking_handle.hpp"

#include <zookeeper/zookeeper.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace turnstile::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void on_session_event(zhandle_t*, int, int, const char*, void*) {}

void on_auth(int rc, const void* context) {
    auto& r = *static_cast<zookeeper_reply*>(const_cast<void*>(context));
    r.done = true;
    r.rc = rc;
}

} // namespace

std::mutex& zookeeper_library_mutex() {
    static std::mutex mutex;
    return mutex;
}

blocking_handle::blocking_handle(foreign_client::options how) : options_{std::move(how)} {
    clientid_t id{};
    if (options_.resume) {
        id.client_id = options_.resume->id;
        std::copy(options_.resume->password.begin(), options_.resume->password.end(),
                  std::begin(id.passwd));
    }
    {
        const std::lock_guard lock{zookeeper_library_mutex()};
        ::zoo_set_debug_level(static_cast<ZooLogLevel>(0));
        handle_ = ::zookeeper_init(options_.address.c_str(), on_session_event,
                                   static_cast<int>(options_.session_timeout.count()),
                                   options_.resume ? &id : nullptr, nullptr, 0);
        if (handle_ == nullptr)
            throw std::runtime_error{"zookeeper_init " + options_.address};
        ::zoo_set_servers_resolution_delay(handle_, -1);
    }
    if (!options_.digest.empty()) {
        // The result is not looked at: the C client sends the identity again on each connection,
        // and a refusal makes the handle unusable.
        call([this](zhandle_t* zh, zookeeper_reply& to) {
            return ::zoo_add_auth(zh, "digest", options_.digest.data(),
                                  static_cast<int>(options_.digest.size()), on_auth, &to);
        });
    }
    drive([this] { return connected() || unusable(); }, clock::now() + options_.limit);
    if (!connected()) {
        const bool is_refused = unusable();
        drop();
        throw std::runtime_error{"cannot connect to " + options_.address +
                                 (is_refused ? ": session expired or refused" : "")};
    }
}

blocking_handle::~blocking_handle() { close(); }

int blocking_handle::call(const send_function& send, zookeeper_reply* out) {
    auto& r = replies_.emplace_back();
    const auto entry = std::prev(replies_.end());
    int rc = ZOK;
    {
        const std::lock_guard lock{zookeeper_library_mutex()};
        rc = send(handle_, r);
    }
    if (rc != ZOK) {
        replies_.erase(entry);
        return rc;
    }
    drive([&r] { return r.done; }, clock::now() + options_.limit);
    if (!r.done)
        return ZOPERATIONTIMEOUT; // the callback may still come, so the entry stays
    rc = r.rc;
    if (out != nullptr)
        *out = std::move(r);
    replies_.erase(entry);
    return rc;
}

void blocking_handle::drive(const std::function<bool()>& done, clock::time_point deadline) {
    while (!done()) {
        int interest = 0;
        timeval wait{};
        {
            const std::lock_guard lock{zookeeper_library_mutex()};
            fd_ = -1;
            const int rc = ::zookeeper_interest(handle_, &fd_, &interest, &wait);
            if (rc != ZOK)
                fd_ = -1; // after a time-out it is the number of a closed descriptor
            if (::zoo_state(handle_) == ZOO_CONNECTING_STATE) {
                // Reading before the TCP connection stands makes the C client leak a buffer.
                interest &= ~ZOOKEEPER_READ;
            }
            if (rc == ZINVALIDSTATE)
                return;
        }
        const auto left = std::chrono::ceil<milliseconds>(deadline - clock::now());
        if (done() || left <= milliseconds{0})
            return;
        const int events = wait_for_socket(
            interest, milliseconds{wait.tv_sec * 1000 + wait.tv_usec / 1000 + 1}, left);
        const std::lock_guard lock{zookeeper_library_mutex()};
        // Once, and not until nothing is left to read. Otherwise the C client would keep an empty
        // buffer for the next packet, and leak it when a later send finds the connection broken.
        ::zookeeper_process(handle_, events);
    }
}

int blocking_handle::wait_for_socket(int interest, milliseconds wait, milliseconds left) const {
    if (fd_ < 0) {
        // Without a connection the C client would try the next one at once, and spin.
        wait = std::clamp(wait, milliseconds{10}, milliseconds{100});
    } else {
        ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    }
    pollfd entry{fd_, 0, 0};
    entry.events = static_cast<short>(((interest & ZOOKEEPER_READ) != 0 ? POLLIN : 0) |
                                      ((interest & ZOOKEEPER_WRITE) != 0 ? POLLOUT : 0));
    ::poll(&entry, fd_ < 0 ? 0U : 1U, static_cast<int>(std::min(wait, left).count()));
    int events = 0;
    if ((entry.revents & (POLLIN | POLLHUP | POLLERR)) != 0)
        events |= interest & ZOOKEEPER_READ;
    if ((entry.revents & (POLLOUT | POLLHUP | POLLERR)) != 0)
        events |= interest & ZOOKEEPER_WRITE;
    return events;
}

int blocking_handle::close() {
    if (handle_ == nullptr)
        return ZOK;
    const std::lock_guard lock{zookeeper_library_mutex()};
    const int rc = ::zookeeper_close(std::exchange(handle_, nullptr));
    replies_.clear();
    return rc;
}

void blocking_handle::drop() {
    if (connected()) {
        // zookeeper_close() ends the session if the connection lives, so that is broken first.
        const std::lock_guard lock{zookeeper_library_mutex()};
        int interest = 0;
        timeval wait{};
        fd_ = -1;
        if (::zookeeper_interest(handle_, &fd_, &interest, &wait) == ZOK && fd_ >= 0)
            ::shutdown(fd_, SHUT_RDWR);
        while (::zoo_state(handle_) == ZOO_CONNECTED_STATE)
            ::zookeeper_process(handle_, ZOOKEEPER_READ);
    }
    close();
}

bool blocking_handle::connected() const {
    const std::lock_guard lock{zookeeper_library_mutex()};
    return handle_ != nullptr && ::zoo_state(handle_) == ZOO_CONNECTED_STATE;
}

bool blocking_handle::unusable() const {
    const std::lock_guard lock{zookeeper_library_mutex()};
    return handle_ == nullptr || ::is_unrecoverable(handle_) != ZOK;
}

} // namespace turnstile::test

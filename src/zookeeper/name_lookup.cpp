// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/name_lookup.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

namespace {

asio::ip::address address_of(const addrinfo& found) {
    asio::ip::tcp::endpoint to;
    to.resize(found.ai_addrlen);
    std::memcpy(to.data(), found.ai_addr, found.ai_addrlen);
    return to.address();
}

std::string text_of(int failed, int system_error) {
    return failed == EAI_SYSTEM ? std::generic_category().message(system_error)
                                : ::gai_strerror(failed);
}

} // namespace

void name_lookup::start(const session_strand& on, std::function<void()> told) {
    {
        const std::lock_guard guard(mutex_);
        if (told)
            listener_.emplace(listener{on, std::move(told)});
        if (std::exchange(under_way_, true))
            return;
    }
    try {
        std::thread([self = shared_from_this()] { self->run(); }).detach();
    } catch (const std::system_error& refused) {
        end({}, std::string("no thread can be started to look it up: ") + refused.what());
    } catch (...) {
        const std::lock_guard guard(mutex_);
        under_way_ = false;
        throw;
    }
}

void name_lookup::forget() noexcept {
    const std::lock_guard guard(mutex_);
    listener_.reset();
}

bool name_lookup::is_under_way() const {
    const std::lock_guard guard(mutex_);
    return under_way_;
}

std::vector<asio::ip::address> name_lookup::addresses() const {
    const std::lock_guard guard(mutex_);
    return addresses_;
}

std::string name_lookup::trouble() const {
    const std::lock_guard guard(mutex_);
    return trouble_;
}

void name_lookup::run() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr); // signals are for the program's own threads
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM; // each address once
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(name_.c_str(), nullptr, &hints, &found);
    const int system_error = errno;
    try {
        const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
        std::vector<asio::ip::address> addresses;
        for (const auto* each = found; each; each = each->ai_next)
            if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
                addresses.push_back(address_of(*each));
        end(std::move(addresses), failed == 0 ? "" : text_of(failed, system_error));
    } catch (...) { // without memory: whoever waits asks again
        const std::lock_guard guard(mutex_);
        under_way_ = false;
    }
}

void name_lookup::end(std::vector<asio::ip::address> found, std::string trouble) {
    // Until the strand has it: forget() may not return before, for the context may end then.
    const std::lock_guard guard(mutex_);
    under_way_ = false;
    trouble_ = std::move(trouble);
    if (!found.empty())
        addresses_ = std::move(found);
    if (const auto told = std::exchange(listener_, std::nullopt))
        asio::post(told->on, told->told);
}

} // namespace turnstile::zookeeper

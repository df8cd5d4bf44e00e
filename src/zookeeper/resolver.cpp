// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/resolver.hpp"

#include "zookeeper/detached_thread.hpp"

#include <boost/asio/post.hpp>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

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

// The look-up of one name. getaddrinfo cannot be cancelled, and may take half a minute. Asio's
// resolver would look up the names of a context one after the other, and its destructor would wait
// for them. Here each look-up has a thread, which owns all that it touches. Nothing waits for it.
class resolver::name_lookup : public std::enable_shared_from_this<name_lookup> {
public:
    explicit name_lookup(std::string name) : name_(std::move(name)) {
        boost::system::error_code not_numeric;
        const auto address = asio::ip::make_address(name_, not_numeric);
        is_numeric_ = !not_numeric;
        if (is_numeric_)
            addresses_.push_back(address);
    }
    bool is_numeric() const { return is_numeric_; } // an address is never looked up

    // Starts a look-up, unless one is under way. Its end posts `done` to the strand, or the last of
    // several that were handed over meanwhile.
    void start(const session_strand& on, std::function<void()> done = {}) {
        {
            const std::lock_guard guard(mutex_);
            if (done)
                listener_.emplace(listener{on, std::move(done)});
            if (std::exchange(under_way_, true))
                return;
        }
        try {
            start_detached([self = shared_from_this()] { self->run(); });
        } catch (const std::system_error& refused) {
            end({}, std::string("no thread can be started to look it up: ") + refused.what());
        } catch (...) {
            const std::lock_guard guard(mutex_);
            under_way_ = false;
            throw;
        }
    }
    // No `done` runs any more. Nothing touches the strand after this.
    void forget() noexcept {
        const std::lock_guard guard(mutex_);
        listener_.reset();
    }

    // The addresses of the last look-up that found any.
    std::vector<asio::ip::address> addresses() const {
        const std::lock_guard guard(mutex_);
        return addresses_;
    }
    // Why the last look-up found none; empty if it did.
    std::string trouble() const {
        const std::lock_guard guard(mutex_);
        return trouble_;
    }

private:
    struct listener {
        session_strand on;
        std::function<void()> done;
    };

    void run() noexcept {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM; // each address once
        addrinfo* found = nullptr;
        const int failed = ::getaddrinfo(name_.c_str(), nullptr, &hints, &found);
        const int system_error = errno;
        try {
            const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found,
                                                                             &::freeaddrinfo);
            std::vector<asio::ip::address> addresses;
            for (const auto* each = found; each; each = each->ai_next)
                if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
                    addresses.push_back(address_of(*each));
            end(std::move(addresses), failed == 0 ? "" : text_of(failed, system_error));
        } catch (...) { // there is no memory: the next attempt asks again
            const std::lock_guard guard(mutex_);
            under_way_ = false;
        }
    }

    void end(std::vector<asio::ip::address> found, std::string trouble) {
        // The mutex is held until the strand has `done`: when forget() returns, the context may
        // end.
        const std::lock_guard guard(mutex_);
        under_way_ = false;
        trouble_ = std::move(trouble);
        if (!found.empty())
            addresses_ = std::move(found);
        if (const auto last = std::exchange(listener_, std::nullopt))
            asio::post(last->on, last->done);
    }

    const std::string name_;
    bool is_numeric_ = false;
    mutable std::mutex mutex_;
    bool under_way_ = false;
    std::vector<asio::ip::address> addresses_;
    std::string trouble_;
    std::optional<listener> listener_;
};

resolver::resolver(const session_strand& executor,
                   const std::vector<protocol::server_address>& servers)
    : executor_(executor) {
    for (const auto& server : servers)
        places_.push_back(
            {.name = std::make_shared<name_lookup>(server.host), .port = server.port});
}

bool resolver::look_up(std::size_t server, const std::function<void()>& done) {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (each != server && !knows(each))
            places_[each].name->start(executor_);
    auto& asked = places_[server];
    if (asked.name->is_numeric() || (asked.tried > 0 && knows(server)))
        return false;
    asked.name->start(executor_, done);
    return true;
}

std::vector<asio::ip::address> resolver::addresses_of(std::size_t server) const {
    return places_[server].name->addresses();
}

bool resolver::knows_any() const {
    for (std::size_t each = 0; each < places_.size(); ++each)
        if (knows(each))
            return true;
    return false;
}

std::optional<asio::ip::tcp::endpoint> resolver::due(std::size_t server) const {
    const auto known = addresses_of(server);
    const auto& of = places_[server];
    if (known.empty())
        return std::nullopt;
    return asio::ip::tcp::endpoint(known[of.turn % known.size()], of.port);
}

std::string resolver::trouble(std::size_t server) const { return places_[server].name->trouble(); }

bool resolver::next(std::size_t server) {
    auto& of = places_[server];
    ++of.turn;
    if (++of.tried < addresses_of(server).size())
        return true;
    of.tried = 0;
    return false;
}

void resolver::served(std::size_t server) {
    ++places_[server].turn;
    places_[server].tried = 0;
}

void resolver::cancel() noexcept {
    for (const auto& each : places_)
        each.name->forget();
}

} // namespace turnstile::zookeeper

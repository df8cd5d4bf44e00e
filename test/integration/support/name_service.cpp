// SPDX-License-Identifier: BSL-1.0
#include "integration/support/name_service.hpp"

#include <boost/asio/ip/address.hpp>

#include <dlfcn.h>
#include <netdb.h>
#include <utility>

namespace turnstile::test {

name_service& name_service::of_process() {
    static name_service& service = *new name_service;
    return service;
}

void name_service::set(const std::string& name, answer what) {
    const std::lock_guard lock{mutex_};
    names_[name] = std::move(what);
}

void name_service::hold(const std::string& name, bool on) {
    {
        const std::lock_guard lock{mutex_};
        if (on)
            held_.insert(name);
        else
            held_.erase(name);
    }
    changed_.notify_all();
}

void name_service::let_through(const std::string& name) {
    {
        const std::lock_guard lock{mutex_};
        ++let_through_[name];
    }
    changed_.notify_all();
}

bool name_service::is_asked(const std::string& name) {
    const std::lock_guard lock{mutex_};
    return asked_.contains(name);
}

std::vector<name_service::lookup> name_service::take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(lookups_, {});
}

name_service::answer name_service::note(const std::string& name) {
    std::unique_lock lock{mutex_};
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(name, not_numeric);
    lookups_.push_back({name, std::this_thread::get_id(), !not_numeric});
    const auto asked = asked_.insert(name);
    const auto before = let_through_[name];
    changed_.wait(lock, [&] { return !held_.contains(name) || let_through_[name] != before; });
    asked_.erase(asked);
    const auto found = names_.find(name);
    return found != names_.end() ? found->second : answer{0, {name}};
}

} // namespace turnstile::test

// In the place of the system's for everything in this program, the C client included.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (node == nullptr)
        return real(node, service, hints, result);
    const auto known = turnstile::test::name_service::of_process().note(node);
    if (known.error != 0)
        return known.error;
    auto end = result;
    for (const auto& address : known.addresses) {
        *end = nullptr;
        if (const int failed = real(address.c_str(), service, hints, end))
            return failed;
        while (*end)
            end = &(*end)->ai_next;
    }
    return 0;
}

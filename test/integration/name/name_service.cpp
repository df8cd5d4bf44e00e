#include "name_service.hpp"

#include <boost/asio/ip/address.hpp>

#include <dlfcn.h>
#include <netdb.h>
#include <utility>

namespace turnstile::test {

name_service& name_service::of_process() {
    static name_service service;
    return service;
}

void name_service::set(const std::string& name, const std::string& address) {
    const std::lock_guard lock{mutex_};
    names_[name] = address;
}

std::vector<name_service::lookup> name_service::take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(lookups_, {});
}

std::string name_service::note(const std::string& name) {
    const std::lock_guard lock{mutex_};
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(name, not_numeric);
    lookups_.push_back({name, std::this_thread::get_id(), !not_numeric});
    const auto found = names_.find(name);
    return found != names_.end() ? found->second : name;
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
    return real(known.c_str(), service, hints, result);
}

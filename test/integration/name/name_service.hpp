// Names that only this process knows, and a record of all that are looked up.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace turnstile::test {

/// What the program's getaddrinfo asks first. There is one, because there is one getaddrinfo.
class name_service {
public:
    struct lookup {
        std::string name;
        std::thread::id where;
        bool numeric; ///< an address, for which nobody is asked
    };

    static name_service& of_process();

    void set(const std::string& name, const std::string& address);
    /// All since the last call.
    std::vector<lookup> take();

    /// The address to look up in the place of the name.
    std::string note(const std::string& name);

private:
    std::mutex mutex_;
    std::map<std::string, std::string> names_;
    std::vector<lookup> lookups_;
};

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
// Names that only this process knows, and a record of all that are looked up.
#pragma once

#include "support/pch.hpp"
#include <condition_variable>

namespace turnstile::test {

/// What the program's getaddrinfo asks first. There is one, because there is one getaddrinfo. It
/// lives for ever: a look-up may outlast the program's own end.
class name_service {
public:
    struct lookup {
        std::string name;
        std::thread::id where;
        bool numeric; ///< an address, for which nobody is asked
    };
    struct answer {
        int error = 0; ///< of getaddrinfo
        std::vector<std::string> addresses{};
    };

    static name_service& of_process();

    void set(const std::string& name, const std::string& address) {
        set(name, answer{0, {address}});
    }
    void set(const std::string& name, answer what);
    /// Look-ups of it are not answered while on, and then with what is set by that time.
    void hold(const std::string& name, bool on);
    /// Answers those under way, and holds later ones still.
    void let_through(const std::string& name);
    /// Whether a look-up of a name that is held is under way.
    bool is_asked(const std::string& name);
    /// All since the last call.
    std::vector<lookup> take();

    /// What to answer.
    answer note(const std::string& name);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, answer> names_;
    std::set<std::string> held_;
    std::map<std::string, int> let_through_; // how often
    std::multiset<std::string> asked_;
    std::vector<lookup> lookups_;
};

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
// The C client's callbacks. They run inside library calls and only note what happened.
#pragma once

#include "zookeeper/connection.hpp"

#include <cstddef>
#include <string_view>

struct ACL_vector;
struct Stat;
struct String_vector;

namespace turnstile::zookeeper {

/// The connection whose library call is running: the log callback has no context, and requests
/// carry their id where a context would be. Guarded by c_client_lock. No exception may pass through
/// the C client: an event for which there is no memory ends the connection, as a loss would.
struct callbacks {
    class scope {
    public:
        explicit scope(connection& owner) { current = &owner; }
        ~scope() { current = nullptr; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
    };

    static connection* current;

    static protocol::node_stat convert(const Stat* stat);
    static const void* context_of(protocol::request_id id);

    /// What the C client's socket calls do. A handle that ends says so to nobody.
    static std::size_t read(void* to, std::size_t most) noexcept;
    static bool write(std::string_view bytes) noexcept;

    static void watcher(_zhandle* handle, int type, int state, const char* path, void* context);
    static void log(const char* message);
    static void on_void(int rc, const void* context);
    static void on_transaction(int rc, const void* context);
    static void on_stat(int rc, const Stat* stat, const void* context);
    static void on_data(int rc, const char* value, int length, const Stat* stat,
                        const void* context);
    static void on_children(int rc, const String_vector* names, const Stat* stat,
                            const void* context);
    static void on_acl(int rc, ACL_vector* acl, Stat* stat, const void* context);
    static void on_string(int rc, const char* value, const void* context);
    static void on_create(int rc, const char* path, const Stat* stat, const void* context);

private:
    template <class Fill>
    static void note(int rc, const void* context, Fill fill) noexcept;
};

} // namespace turnstile::zookeeper

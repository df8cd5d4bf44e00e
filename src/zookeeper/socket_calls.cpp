// SPDX-License-Identifier: BSL-1.0
// Functions in place of the system calls of the C client, and of its get_xid. The build binds its
// calls to them when it merges the C client's objects with ours (cmake/embed_zookeeper.cmake). So
// no call of the C client reaches the kernel's sockets, none blocks, and the process's random
// numbers are left alone. connection.hpp says how its bytes and its numbers get here.
#include "zookeeper/connection.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

using turnstile::zookeeper::connection;

extern "C" {

// NOLINTBEGIN: the names are those of the C library behind a prefix.

// Any number but -1 would do: only the functions of this file use it.
int turnstile_client_socket(int, int, int) { return 0x3fff'ffff; }

// Succeeds at once: session_socket was connected before the C client's handle was made.
int turnstile_client_connect(int, const sockaddr*, socklen_t) { return 0; }

ssize_t turnstile_client_send(int, const void* bytes, size_t count, int) {
    if (!connection::c_client_writes({static_cast<const char*>(bytes), count})) {
        errno = EPIPE;
        return -1;
    }
    return static_cast<ssize_t>(count);
}

ssize_t turnstile_client_recv(int, void* to, size_t most, int) {
    const auto count = connection::c_client_reads(to, most);
    if (count == 0) {
        errno = EAGAIN;
        return -1;
    }
    return static_cast<ssize_t>(count);
}

int turnstile_client_close(int) { return 0; }

// The number of the next request. Called under the lock of the C client, which guards `last`.
int32_t turnstile_client_get_xid() {
    static int32_t last = 0;
    last = connection::next_number(last);
    connection::c_client_sets_number(last);
    return last;
}

// The C client polls to wait before and after the end of a session. So all is ready at once.
int turnstile_client_poll(pollfd* asked, nfds_t count, int) {
    for (nfds_t i = 0; i < count; ++i)
        asked[i].revents = asked[i].events;
    return static_cast<int>(count);
}

int turnstile_client_setsockopt(int, int, int, const void*, socklen_t) { return 0; }

int turnstile_client_getsockopt(int, int, int, void* value, socklen_t* size) {
    std::memset(value, 0, *size); // no error
    return 0;
}

int turnstile_client_getpeername(int, sockaddr*, socklen_t*) { return -1; }

int turnstile_client_fcntl(int, int, ...) { return 0; }

// The C client takes random numbers only to shuffle its addresses, and it has one address.
int turnstile_client_open(const char*, int, ...) { return -1; }
ssize_t turnstile_client_read(int, void*, size_t) { return 0; }
void turnstile_client_srandom(unsigned) {}
void turnstile_client_srand48(long) {}
long turnstile_client_random() { return 0; }
double turnstile_client_drand48() { return 0; }

// NOLINTEND

} // extern "C"

// SPDX-License-Identifier: BSL-1.0
// The functions that the C client's system calls are bound to where its objects are merged with
// ours (cmake/embed_zookeeper.cmake): no call of the C client reaches the kernel's sockets, none
// blocks, and the process's random numbers are left alone. Its own get_xid is bound, too.
#include "zookeeper/connection.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

using turnstile::zookeeper::connection;

extern "C" {

// NOLINTBEGIN: the names are those of the C library behind a prefix.

// Any number but -1: what is done with it ends in this file.
int turnstile_client_socket(int, int, int) { return 0x3fff'ffff; }

// A handle is made for a socket that is connected already.
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

// Called under the lock of the C client.
int32_t turnstile_client_get_xid() {
    static int32_t last = 0;
    last = connection::next_number(last);
    connection::c_client_sets_number(last);
    return last;
}

// It is asked for before and after the end of a session, to wait: nothing is ever waited for.
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

// The seed of a shuffle of one address.
int turnstile_client_open(const char*, int, ...) { return -1; }
ssize_t turnstile_client_read(int, void*, size_t) { return 0; }
void turnstile_client_srandom(unsigned) {}
void turnstile_client_srand48(long) {}
long turnstile_client_random() { return 0; }
double turnstile_client_drand48() { return 0; }

// NOLINTEND

} // extern "C"

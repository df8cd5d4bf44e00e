// SPDX-License-Identifier: BSL-1.0
// The functions that the socket calls of this program's second C client are bound to
// (cmake/client_calls.txt). Only what is sent and received goes another way.
#include "redirected/collected_socket.hpp"

#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

using turnstile::bench::collected_socket;

extern "C" {

// NOLINTBEGIN: the names are those of the C library behind a prefix.

ssize_t turnstile_client_send(int fd, const void* bytes, size_t count, int) {
    collected_socket::of(fd).send({static_cast<const char*>(bytes), count});
    return static_cast<ssize_t>(count);
}

ssize_t turnstile_client_recv(int fd, void* to, size_t most, int) {
    return collected_socket::of(fd).receive(to, most);
}

// The C client waits only for the answer to its last request.
int turnstile_client_poll(pollfd* asked, nfds_t count, int limit) {
    for (nfds_t i = 0; i < count; ++i)
        collected_socket::of(asked[i].fd).flush();
    return ::poll(asked, count, limit);
}

int turnstile_client_close(int fd) {
    collected_socket::of(fd).flush();
    collected_socket::forget(fd);
    return ::close(fd);
}

int turnstile_client_socket(int domain, int type, int protocol) {
    return ::socket(domain, type, protocol);
}
int turnstile_client_connect(int fd, const sockaddr* to, socklen_t size) {
    return ::connect(fd, to, size);
}
int turnstile_client_setsockopt(int fd, int level, int name, const void* value, socklen_t size) {
    return ::setsockopt(fd, level, name, value, size);
}
int turnstile_client_getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
    return ::getsockopt(fd, level, name, value, size);
}
int turnstile_client_getpeername(int fd, sockaddr* peer, socklen_t* size) {
    return ::getpeername(fd, peer, size);
}
int turnstile_client_fcntl(int fd, int command, int argument) {
    return ::fcntl(fd, command, argument);
}
int turnstile_client_open(const char* path, int flags) { return ::open(path, flags); }
ssize_t turnstile_client_read(int fd, void* to, size_t most) { return ::read(fd, to, most); }
void turnstile_client_srandom(unsigned seed) { ::srandom(seed); }
void turnstile_client_srand48(long seed) { ::srand48(seed); }
long turnstile_client_random() { return ::random(); }
double turnstile_client_drand48() { return ::drand48(); }

// NOLINTEND

} // extern "C"

#include "zookeeper/socket_watch.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace turnstile::zookeeper {

bool socket_watch::duplicate(int socket, descriptor& to) {
    const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    boost::system::error_code refused;
    to.assign(own, refused);
    if (refused)
        ::close(own);
    return !refused;
}

bool socket_watch::drain() noexcept {
    std::array<char, 512> bytes{};
    for (;;) {
        const auto count =
            ::recv(readable_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (count > 0 || (count < 0 && errno == EINTR))
            continue;
        return count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    }
}

void socket_watch::close(descriptor& on) noexcept {
    boost::system::error_code ignored; // what failed to close is closed all the same
    on.close(ignored);
}

} // namespace turnstile::zookeeper

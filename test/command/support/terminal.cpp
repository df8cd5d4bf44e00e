// SPDX-License-Identifier: BSL-1.0
#include "terminal.hpp"

#include "support/pch.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

namespace turnstile::test {

terminal::terminal(unsigned short columns)
    : outside_{::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)} {
    REQUIRE(::grantpt(outside_.get()) == 0);
    REQUIRE(::unlockpt(outside_.get()) == 0);
    inside_ = unique_fd{::open(name().c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
    REQUIRE(inside_);
    resize(columns);
}

void terminal::resize(unsigned short columns) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(inside_.get(), TIOCSWINSZ, &size) == 0);
}

std::string terminal::name() const {
    std::array<char, 64> name{};
    REQUIRE(::ptsname_r(outside_.get(), name.data(), name.size()) == 0);
    return name.data();
}

void terminal::type(std::string_view keys) {
    REQUIRE(::write(outside_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

const std::string& terminal::screen() {
    std::array<char, 4096> some{};
    ssize_t got = 0;
    while ((got = ::read(outside_.get(), some.data(), some.size())) > 0)
        screen_.append(some.data(), static_cast<std::size_t>(got));
    return screen_;
}

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
// turnstile: locks on the command line.
#include "command_failure.hpp"
#include "command_line.hpp"
#include "text/say.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <exception>

namespace {

/// Opens standard descriptors that are closed, so that no later file becomes the standard error
/// output. To use one of these fails as before.
void open_standard_files() {
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(each, F_GETFD) < 0)
            ::open("/dev/null", each == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest is taken
}

} // namespace

int main(int argc, char** argv) {
    using namespace turnstile::command;
    open_standard_files();
    std::setlocale(LC_CTYPE, "C.UTF-8"); // how wide characters are, in printable.cpp
    try {
        return work_of(argc, argv)();
    } catch (const command_failure& e) {
        say(e.what());
        return static_cast<int>(e.code());
    } catch (const std::exception& e) {
        say(e.what());
        return static_cast<int>(exit_code::failed);
    }
}

// turnstile: locks on the command line.
#include "command_failure.hpp"
#include "command_line.hpp"
#include "say.hpp"

#include <exception>

int main(int argc, char** argv) {
    using namespace turnstile::command;
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

// SPDX-License-Identifier: BSL-1.0
#include "processes.hpp"

#include "unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace turnstile::command {

namespace {

/// Waits for room: a process that is not seen would run on without the lock.
unique_fd opened(const std::string& path) {
    for (;;) {
        unique_fd result(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (result || (errno != EMFILE && errno != ENFILE && errno != ENOMEM))
            return result;
        ::poll(nullptr, 0, 10);
    }
}

} // namespace

std::optional<process> process_of(pid_t id) {
    const auto file = opened("/proc/" + std::to_string(id) + "/stat");
    std::array<char, 512> text{};
    if (::read(file.get(), text.data(), text.size() - 1) <= 0)
        return std::nullopt;
    const char* const end_of_name = std::strrchr(text.data(), ')');
    process result{.id = id};
    char state = 0;
    unsigned long long start = 0;
    // proc(5): its state is the third member, the start the twenty-second.
    if (end_of_name == nullptr ||
        std::sscanf(end_of_name + 1,
                    " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                    &state, &result.parent, &result.group, &result.session, &start) != 5)
        return std::nullopt;
    result.start = start;
    result.zombie = state == 'Z' || state == 'X';
    return result;
}

std::vector<process> descendants_of(pid_t ancestor) {
    std::multimap<pid_t, process> children; // of each process
    const std::unique_ptr<DIR, int (*)(DIR*)> all(::fdopendir(opened("/proc").release()),
                                                  &::closedir);
    while (const dirent* const each = all ? ::readdir(all.get()) : nullptr)
        if (const auto id = std::atoi(each->d_name); id > 0)
            if (const auto found = process_of(id))
                children.emplace(found->parent, *found);
    std::vector<process> result;
    const auto take_children_of = [&](pid_t parent) {
        const auto [begin, end] = children.equal_range(parent);
        for (auto each = begin; each != end; ++each)
            result.push_back(each->second);
    };
    take_children_of(ancestor);
    for (std::size_t i = 0; i < result.size(); ++i)
        take_children_of(result[i].id);
    return result;
}

void send_signal(const process& to, int number) {
    const unique_fd handle(static_cast<int>(::syscall(SYS_pidfd_open, to.id, 0)));
    const auto now = process_of(to.id);
    if (!now || now->start != to.start)
        return;
    // An old kernel or a sandbox may have no such handles. Then the number, looked at just now.
    if (!handle ||
        (::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0) != 0 && errno != ESRCH))
        ::kill(to.id, number);
}

} // namespace turnstile::command

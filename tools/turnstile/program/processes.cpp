// SPDX-License-Identifier: BSL-1.0
#include "program/processes.hpp"

#include "program/unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>

namespace turnstile::command {

namespace {

/// Whether the last call failed for want of a descriptor or of memory.
bool is_room_missing() { return errno == EMFILE || errno == ENFILE || errno == ENOMEM; }

/// Opens a file to read it. If there is no room for that, it waits until there is: a process that
/// is not seen would run on without the lock.
unique_fd opened(const std::string& path) {
    for (;;) {
        unique_fd result(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (result || !is_room_missing())
            return result;
        ::poll(nullptr, 0, 10);
    }
}

/// Returns the children of one thread; nothing if there is no such thread, or no such list.
std::optional<std::vector<pid_t>> children_of(const std::string& thread) {
    const auto file = opened(thread + "/children");
    std::string text;
    std::array<char, 4096> some{};
    ssize_t got = 0;
    while ((got = ::read(file.get(), some.data(), some.size())) > 0)
        text.append(some.data(), static_cast<std::size_t>(got));
    if (got < 0)
        return std::nullopt;
    std::istringstream words(text);
    return std::vector<pid_t>(std::istream_iterator<pid_t>(words), {});
}

/// The folders of a process's threads. Each thread has children of its own.
std::vector<std::string> threads_of(pid_t id) {
    const auto folder = "/proc/" + std::to_string(id) + "/task/";
    std::vector<std::string> result{folder + std::to_string(id)};
    const std::unique_ptr<DIR, int (*)(DIR*)> all(::fdopendir(opened(folder).release()),
                                                  &::closedir);
    while (const dirent* const each = all ? ::readdir(all.get()) : nullptr)
        if (const auto thread = std::atoi(each->d_name); thread > 0 && thread != id)
            result.push_back(folder + each->d_name);
    return result;
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
    return result;
}

std::string wrong_with_proc() {
    std::error_code failed;
    if (!std::filesystem::is_symlink("/proc/self", failed))
        return "there is no /proc here";
    // NSpid has the process's id in each namespace, from that of /proc on.
    std::ifstream status("/proc/self/status");
    std::string numbers;
    while (std::getline(status, numbers) && !numbers.starts_with("NSpid:")) {
    }
    const auto own = std::to_string(::getpid());
    if (std::filesystem::read_symlink("/proc/self", failed) != own ||
        (!numbers.empty() && numbers != "NSpid:\t" + own))
        return "the /proc here has the processes of another pid namespace";
    return own_children() ? ""
                          : "the /proc here does not list the children of a process "
                            "(/proc/PID/task/TID/children, CONFIG_PROC_CHILDREN)";
}

std::optional<std::vector<pid_t>> own_children() {
    return children_of("/proc/self/task/" + std::to_string(::getpid()));
}

bool may_open_files() { return unique_fd(::open("/", O_RDONLY | O_CLOEXEC)) || !is_room_missing(); }

std::vector<process> descendants() {
    std::vector<process> result;
    const auto self = ::getpid();
    for (const auto each : own_children().value_or(std::vector<pid_t>())) {
        const auto found = process_of(each);
        result.push_back(found ? *found
                               : process{.id = each,
                                         .parent = self,
                                         .group = ::getpgid(each),
                                         .session = ::getsid(each)});
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        std::vector<process> children;
        const auto parent = result[i];
        for (const auto& thread : threads_of(parent.id))
            for (const auto each : children_of(thread).value_or(std::vector<pid_t>()))
                if (const auto found = process_of(each); found && found->parent == parent.id)
                    children.push_back(*found);
        // The id may belong to another process by now.
        if (const auto now = process_of(parent.id); now && now->start == parent.start)
            result.insert(result.end(), children.begin(), children.end());
    }
    return result;
}

void send_signal(const process& to, int number) {
    // waitid() succeeds for a child. A child keeps its id until it is waited for, so it is the one.
    siginfo_t any{};
    if (::waitid(P_PID, static_cast<id_t>(to.id), &any, WEXITED | WNOHANG | WNOWAIT) == 0) {
        ::kill(to.id, number);
        return;
    }
    const unique_fd handle(static_cast<int>(::syscall(SYS_pidfd_open, to.id, 0)));
    const auto found = process_of(to.id);
    if (!found || found->start != to.start)
        return;
    // An old kernel or a sandbox may have no pidfd. Then the id is used, which was checked just
    // now.
    if (!handle ||
        (::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0) != 0 && errno != ESRCH))
        ::kill(to.id, number);
}

} // namespace turnstile::command

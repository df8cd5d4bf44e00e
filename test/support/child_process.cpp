// SPDX-License-Identifier: BSL-1.0
#include "child_process.hpp"

#include "unique_fd.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace turnstile::test {
namespace {

[[noreturn]] void throw_errno(int error, const std::string& what) {
    throw std::system_error{error, std::generic_category(), what};
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    const char* variable = std::getenv("PATH");
    std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
    while (!rest.empty()) {
        const auto end = std::min(rest.find(':'), rest.size());
        std::string candidate{rest.substr(0, end)};
        candidate += '/' + name;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    throw_errno(ENOENT, "no program " + name + " in PATH");
}

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
    const auto overridden = [&extra](std::string_view entry) {
        const auto name = entry.substr(0, std::min(entry.find('='), entry.size() - 1) + 1);
        for (const auto& e : extra)
            if (std::string_view{e}.starts_with(name))
                return true;
        return false;
    };
    std::vector<std::string> result = extra;
    for (char** entry = ::environ; *entry != nullptr; ++entry)
        if (**entry != '\0' && !overridden(*entry))
            result.emplace_back(*entry);
    return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& s : strings)
        result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

/// What the child needs between fork and exec. The parent prepares it, for the child may make only
/// async-signal-safe calls there.
struct launch_plan {
    std::string program;
    std::vector<char*> argv;
    std::vector<char*> environment;
    std::string working_folder;
    int input = -1;
    int output = -1;
    int errors = -1;
    int report = -1; // the pipe by which the parent is told that the exec has failed
    pid_t parent = -1;
};

[[noreturn]] void report_and_exit(const launch_plan& plan) noexcept {
    const int error = errno;
    [[maybe_unused]] const auto ignored = ::write(plan.report, &error, sizeof error);
    ::_exit(127);
}

/// Runs in the child: turns it into the program.
[[noreturn]] void become(const launch_plan& plan) noexcept {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        report_and_exit(plan);
    if (::getppid() != plan.parent)
        ::_exit(127); // the parent died before the request above took effect
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    if (!plan.working_folder.empty() && ::chdir(plan.working_folder.c_str()) != 0)
        report_and_exit(plan);
    if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
        ::dup2(plan.errors, STDERR_FILENO) < 0)
        report_and_exit(plan);
    // Other code in the process (the C client, say) opens descriptors without close-on-exec.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execve(plan.program.c_str(), plan.argv.data(), plan.environment.data());
    report_and_exit(plan);
}

unique_fd open_file(const std::string& path, int flags) {
    unique_fd fd{::open(path.c_str(), flags | O_CLOEXEC, 0644)};
    if (!fd)
        throw_errno(errno, "open " + path);
    return fd;
}

} // namespace

child_process::child_process(const options& how) {
    auto arguments = how.argv;
    auto environment = merged_environment(how.environment);
    const auto no_input = open_file("/dev/null", O_RDONLY);
    const auto output = how.output_file.empty()
                            ? open_file("/dev/null", O_WRONLY)
                            : open_file(how.output_file.string(), O_WRONLY | O_CREAT | O_APPEND);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw_errno(errno, "pipe2");
    const unique_fd report_in{ends[0]};
    unique_fd report_out{ends[1]};

    const launch_plan plan{find_program(how.argv.at(0)),
                           pointers_to(arguments),
                           pointers_to(environment),
                           how.working_folder.string(),
                           how.input >= 0 ? how.input : no_input.get(),
                           how.output >= 0 ? how.output : output.get(),
                           output.get(),
                           report_out.get(),
                           ::getpid()};
    pid_ = ::fork();
    if (pid_ < 0)
        throw_errno(errno, "fork");
    if (pid_ == 0)
        become(plan);
    // A successful exec closes the pipe, and nothing was written to it.
    report_out.reset();
    int error = 0;
    ssize_t size = -1;
    do {
        size = ::read(report_in.get(), &error, sizeof error);
    } while (size < 0 && errno == EINTR);
    if (size > 0) {
        kill_and_wait();
        throw_errno(error, "execute " + plan.program);
    }
}

child_process::child_process(child_process&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)}, exit_status_{other.exit_status_} {}

child_process& child_process::operator=(child_process&& other) noexcept {
    if (this != &other) {
        kill_and_wait();
        pid_ = std::exchange(other.pid_, -1);
        exit_status_ = other.exit_status_;
    }
    return *this;
}

child_process::~child_process() { kill_and_wait(); }

bool child_process::reap(int flags) noexcept {
    if (pid_ < 0)
        return true;
    int status = 0;
    pid_t got = -1;
    do {
        got = ::waitpid(pid_, &status, flags);
    } while (got < 0 && errno == EINTR);
    if (got == 0 || (got > 0 && WIFSTOPPED(status)))
        return false;
    if (got > 0)
        exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    pid_ = -1;
    return true;
}

bool child_process::running() noexcept { return !reap(WNOHANG); }

void child_process::signal(int number) noexcept {
    if (running())
        ::kill(pid_, number);
}

void child_process::kill_and_wait() noexcept {
    signal(SIGKILL);
    reap(0);
}

void child_process::freeze() noexcept {
    signal(SIGSTOP);
    reap(WUNTRACED);
}

void child_process::thaw() noexcept { signal(SIGCONT); }

bool child_process::wait_for_end(std::chrono::milliseconds limit) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (running()) {
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
        // justified: a process end cannot be awaited with a limit otherwise
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return true;
}

std::optional<int> child_process::exit_status() noexcept {
    reap(WNOHANG);
    return exit_status_;
}

} // namespace turnstile::test

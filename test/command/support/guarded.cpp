// SPDX-License-Identifier: BSL-1.0
#include "guarded.hpp"

#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace turnstile::test {

namespace {

std::vector<std::string> guard_arguments(const guard_place& place,
                                         std::vector<std::string> options) {
    std::vector<std::string> result{"guard", "--socket", place.socket()};
    result.insert(result.end(), options.begin(), options.end());
    return result;
}

/// A folder and a copy of the command where that user may go, and what runs it as that user.
std::vector<std::string> as_user(const guard_place& place, uid_t id, const std::string& limit) {
    const auto folder = std::filesystem::path(place.socket()).parent_path();
    for (auto each = folder.parent_path(); each != each.root_path(); each = each.parent_path())
        if ((status(each).permissions() & std::filesystem::perms::others_exec) ==
            std::filesystem::perms::none)
            FAIL("other users cannot enter " << each << ": set TMPDIR to a folder that they can");
    REQUIRE(::chown(folder.c_str(), id, id) == 0);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    const auto command = folder / "turnstile";
    std::filesystem::copy_file(TURNSTILE_COMMAND, command);
    return {"sh", "-c",
            limit + "; shift; exec setpriv --reuid " + std::to_string(id) +
                " --clear-groups \"$0\" \"$@\"",
            command.string()};
}

} // namespace

std::int64_t session_of(const std::string& path) {
    const auto all = tickets(path);
    REQUIRE(all.size() == 1);
    foreign_client eyes{shared_server().address()};
    node_info found;
    REQUIRE(eyes.exists(path + '/' + all.front(), &found) == 0);
    return found.ephemeral_owner;
}

running_guard::running_guard(const guard_place& place, std::vector<std::string> more,
                             tool::options how)
    : tool(guard_arguments(place, std::move(more)), std::move(how)) {
    await_word("sessions may register");
}

void running_guard::await_word(std::string_view text, std::source_location where) {
    await([&] { return says(text); }, std::chrono::seconds{40}, where);
}

std::vector<pid_t> children_of(pid_t process) {
    const auto own = std::to_string(process);
    std::ifstream in{"/proc/" + own + "/task/" + own + "/children"};
    return {std::istream_iterator<pid_t>{in}, {}};
}

std::vector<pid_t> running_guard::users() { return children_of(process().pid()); }

pid_t running_guard::user(std::source_location where) {
    // Besides there are children that close connections, for moments.
    await([&] { return users().size() == 1; }, std::chrono::seconds{40}, where);
    return users().front();
}

void running_guard::freeze() {
    process().freeze();
    frozen_ = users();
    for (const auto each : frozen_)
        ::kill(each, SIGSTOP);
}

void running_guard::thaw() {
    thaw_users();
    process().thaw();
}

void running_guard::thaw_users() {
    for (const auto each : std::exchange(frozen_, {}))
        ::kill(each, SIGCONT);
}

user_guard::user_guard(const guard_place& place, const std::string& limit)
    : running_guard(place, {"--mode", "0666"}, {.before = as_user(place, id, limit)}) {}

guarded_holder::guarded_holder(const guard_place& place, const std::string& path, options how) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const unique_fd input{ends[0]};
    orders_ = unique_fd{ends[1]};
    auto argv = how.before;
    argv.insert(argv.end(), {TURNSTILE_GUARDED_HOLDER,
                             how.servers.empty() ? shared_server().address() : how.servers,
                             place.socket(), path, std::to_string(how.timeout_ms)});
    argv.insert(argv.end(), how.tls.begin(), how.tls.end());
    process_.emplace(child_process::options{
        .argv = argv, .output_file = folder_.path() / "said", .input = input.get()});
}

std::string guarded_holder::said() const {
    std::ifstream in{folder_.path() / "said"};
    return {std::istreambuf_iterator<char>{in}, {}};
}

int guarded_holder::count(std::string_view text) const {
    const auto all = said();
    int result = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
        ++result;
    return result;
}

void guarded_holder::await_word(std::string_view text, int times, std::source_location where) {
    INFO(said());
    await([&] { return count(text) >= times; }, std::chrono::seconds{40}, where);
}

void guarded_holder::await_at_once(std::string_view text, int times, std::source_location where) {
    await([&] { return count(text) >= times; }, at_once, where);
}

int guarded_holder::number_after(std::string_view begin, std::source_location where) {
    await_word(begin, 1, where);
    const auto all = said();
    return std::atoi(all.c_str() + all.find(begin) + begin.size());
}

void guarded_holder::order(std::string_view line) {
    const auto text = std::string{line} + '\n';
    REQUIRE(::write(orders_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

void check_hand_over(guarded_holder& dying, const std::string& path) {
    dying.process().kill_and_wait();
    await([&] { return tickets(path).empty(); }, at_once);
}

} // namespace turnstile::test

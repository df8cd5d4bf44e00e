// SPDX-License-Identifier: BSL-1.0
#include "tool.hpp"

#include "support/foreign_client.hpp"
#include "support/pch.hpp"
#include "support/pump.hpp"
#include "support/unique_fd.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace turnstile::test {

namespace {

std::string text_in(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> with_library(const std::string& file) {
    // ASan would be the first library.
    return {"sh", "-c",
            "LD_PRELOAD='" + file +
                "' ASAN_OPTIONS=\"$ASAN_OPTIONS:verify_asan_link_order=0\" exec \"$0\" \"$@\""};
}

/// Between calls nobody keeps its session alive.
foreign_client& eyes() {
    static std::optional<foreign_client> client;
    if (!client || client->exists("/") != 0)
        client.emplace(foreign_client::options{.address = shared_server().address(),
                                               .session_timeout = std::chrono::seconds{40}});
    return *client;
}

} // namespace

zookeeper_server& shared_server() {
    static zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    return server;
}

std::string fresh_path(std::string_view name) {
    static int last = 0;
    return "/locks/" + std::string{name} + "-" + std::to_string(++last);
}

void await(const std::function<bool()>& condition, std::chrono::milliseconds limit,
           std::source_location where) {
    boost::asio::io_context context;
    const auto work = boost::asio::make_work_guard(context);
    if (pump_until(context, condition, limit) != pumped::done)
        FAIL("not so within the limit, at " << where.file_name() << ":" << where.line());
}

std::vector<std::string> tickets(const std::string& path) {
    std::vector<std::string> names;
    const int rc = eyes().children(path, &names);
    REQUIRE((rc == 0 || rc == -101));
    const auto number = [](const std::string& name) {
        return name.substr(name.size() - std::min<std::size_t>(name.size(), 10));
    };
    std::ranges::sort(names, {}, number);
    return names;
}

void delete_tickets(const std::string& path) {
    for (const auto& each : tickets(path))
        REQUIRE(eyes().remove(path + '/' + each) == 0);
}

bool is_alive(pid_t process) {
    std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
    std::string state;
    std::getline(file, state); // a process that ends meanwhile leaves it empty
    const auto end_of_name = state.rfind(')');
    return end_of_name != std::string::npos && state.substr(end_of_name + 2, 1) != "Z";
}

tool::tool(const std::vector<std::string>& arguments, options how) {
    child_process::options child;
    if (how.input >= 0)
        child.argv = {"setsid", "--ctty"};
    child.argv.insert(child.argv.end(), how.before.begin(), how.before.end());
    child.argv.emplace_back(TURNSTILE_COMMAND);
    child.argv.insert(child.argv.end(), arguments.begin(), arguments.end());
    child.environment.push_back("TURNSTILE_SERVERS=" +
                                (how.servers.empty() ? shared_server().address() : how.servers));
    child.environment.emplace_back("TERM=xterm");
    child.output_file =
        how.errors_to.empty() ? (folder_.path() / "errors").string() : how.errors_to;
    const unique_fd output{::open((folder_.path() / "output").c_str(),
                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    child.output = output.get();
    child.input = how.input >= 0 ? how.input : how.pipe;
    process_.emplace(child);
}

int tool::exit_code(std::source_location where) {
    if (!process_->wait_for_end(std::chrono::seconds{20}))
        FAIL("still running, at " << where.file_name() << ":" << where.line()
                                  << "; it said: " << said());
    const int status = process_->exit_status().value();
    return status < 0 ? 128 - status : status;
}

std::string tool::output() const { return text_in(folder_.path() / "output"); }

std::string tool::said() const { return text_in(folder_.path() / "errors"); }

bool tool::says(std::string_view text) const { return said().find(text) != std::string::npos; }

int tool::number_after(std::string_view begin, std::source_location where) {
    const auto number = [&]() -> std::string {
        const auto all = '\n' + output();
        const auto line = all.find('\n' + std::string{begin});
        if (line == std::string::npos)
            return {};
        const auto from = line + 1 + begin.size();
        const auto end = all.find('\n', from);
        return end == std::string::npos ? std::string{} : all.substr(from, end - from);
    };
    await([&] { return !number().empty(); }, std::chrono::seconds{20}, where);
    return std::atoi(number().c_str());
}

void tool::end(std::source_location where) {
    process_->signal(SIGTERM);
    CHECK(exit_code(where) == 128 + SIGTERM);
}

lock_holder::lock_holder(const std::string& path, std::vector<std::string> how)
    : tool{run_script(path, "echo pid $$; exec sleep 1000", std::move(how))},
      program{number_after("pid ")} {}

std::vector<std::string> with_slow_names() { return with_library(TURNSTILE_SLOW_NAMES); }

std::vector<std::string> without_watches(const std::string& while_there) {
    auto result = with_library(TURNSTILE_NO_WATCHES);
    result.insert(result.begin(), {"env", "TURNSTILE_NO_WATCHES=" + while_there});
    return result;
}

std::vector<std::string> without_ends(const std::string& while_there) {
    auto result = with_library(TURNSTILE_NO_ENDS);
    result.insert(result.begin(), {"env", "TURNSTILE_NO_ENDS=" + while_there});
    return result;
}

std::vector<std::string> refusing(std::vector<std::string> calls) {
    calls.insert(calls.begin(), TURNSTILE_REFUSING);
    calls.emplace_back("--");
    return calls;
}

std::vector<std::string> run_script(const std::string& path, const std::string& script,
                                    std::vector<std::string> options) {
    std::vector<std::string> result{"run"};
    result.insert(result.end(), options.begin(), options.end());
    result.insert(result.end(), {path, "--", "sh", "-c", script});
    return result;
}

} // namespace turnstile::test

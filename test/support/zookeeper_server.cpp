// SPDX-License-Identifier: BSL-1.0
#include "zookeeper_server.hpp"

#include "file_text.hpp"
#include "four_letter_word.hpp"
#include "free_port.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace turnstile::test {
namespace {

using clock = std::chrono::steady_clock;

// The manifest of zookeeper.jar names the other jars that it needs, but no log writer, and not all
// that Netty needs for TLS.
constexpr const char* class_path =
    "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar:"
    "/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar";

// By the variable, tests run against another version (scripts/other_zookeeper.sh).
std::string class_path_of_server() {
    const char* const other = std::getenv("TURNSTILE_TEST_ZOOKEEPER");
    return other == nullptr || *other == '\0' ? class_path : other;
}

constexpr const char* main_class = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

} // namespace

void make_secure(zookeeper_server_options& server, const certificates& all,
                 const std::string& client_auth, const std::string& certificate) {
    server.secure_port = free_port();
    for (const auto& line :
         {"secureClientPort=" + std::to_string(server.secure_port),
          std::string{"serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory"},
          "ssl.keyStore.location=" + all.store(certificate), std::string{"ssl.keyStore.type=PEM"},
          "ssl.trustStore.location=" + all.file("ca"), std::string{"ssl.trustStore.type=PEM"},
          "ssl.clientAuth=" + client_auth})
        server.config_lines.push_back(line);
}

zookeeper_server::zookeeper_server(zookeeper_server_options how)
    : zookeeper_server{std::move(how), not_started} {
    start();
}

zookeeper_server::zookeeper_server(zookeeper_server_options how, not_started_t)
    : options_{std::move(how)}, folder_{"turnstile-zookeeper-"} {
    if (options_.port == 0)
        options_.port = free_port();
    write_configuration();
}

std::string zookeeper_server::address() const {
    return options_.host + ":" + std::to_string(options_.port);
}

std::string zookeeper_server::secure_address() const {
    return options_.host + ":" + std::to_string(options_.secure_port);
}

std::filesystem::path zookeeper_server::data_folder() const {
    return options_.data_folder.empty() ? folder_.path() / "data"
                                        : std::filesystem::absolute(options_.data_folder);
}

std::filesystem::path zookeeper_server::log_file() const {
    return options_.data_folder.empty() ? folder_.path() / "server.log"
                                        : data_folder().replace_extension(".log");
}

void zookeeper_server::write_configuration() const {
    const auto data = data_folder();
    std::filesystem::create_directories(data);
    if (options_.server_id != 0)
        std::ofstream{data / "myid"} << options_.server_id << '\n';
    std::ofstream out{folder_.path() / "zoo.cfg"};
    out << "tickTime=" << options_.tick_ms << '\n'
        << "dataDir=" << data.string() << '\n'
        << "clientPort=" << options_.port << '\n'
        << "clientPortAddress=" << options_.host << '\n'
        << "maxClientCnxns=0\n"
        << "admin.enableServer=false\n"
        << "4lw.commands.whitelist=*\n";
    if (options_.min_session_timeout_ms)
        out << "minSessionTimeout=" << *options_.min_session_timeout_ms << '\n';
    if (options_.max_session_timeout_ms)
        out << "maxSessionTimeout=" << *options_.max_session_timeout_ms << '\n';
    for (const auto& line : options_.ensemble_lines)
        out << line << '\n';
    for (const auto& line : options_.config_lines)
        out << line << '\n';
    out.close();
    if (!out)
        throw std::runtime_error{"cannot write the configuration of a ZooKeeper server"};
}

std::vector<std::string> zookeeper_server::command_line() const {
    auto argv = options_.argv_prefix;
    argv.insert(argv.end(), {"java", "-Xmx" + options_.heap, "-XX:-UsePerfData"});
    if (options_.quick_jvm)
        argv.insert(argv.end(), {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"});
    argv.emplace_back(options_.force_sync ? "-Dzookeeper.forceSync=yes"
                                          : "-Dzookeeper.forceSync=no");
    argv.push_back("-Dorg.slf4j.simpleLogger.defaultLogLevel=" + options_.log_level);
    argv.emplace_back("-Dorg.slf4j.simpleLogger.showDateTime=true");
    argv.emplace_back("-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");
    if (options_.container_check_ms) {
        argv.push_back("-Dznode.container.checkIntervalMs=" +
                       std::to_string(*options_.container_check_ms));
    }
    for (const auto& property : options_.system_properties)
        argv.push_back("-D" + property);
    argv.insert(argv.end(), {"-cp", class_path_of_server(), main_class, "zoo.cfg"});
    return argv;
}

void zookeeper_server::launch() {
    if (running())
        return;
    paused_ = false;
    process_.emplace(child_process::options{
        .argv = command_line(), .working_folder = folder_.path(), .output_file = log_file()});
}

void zookeeper_server::wait_until_serving() {
    const auto deadline = clock::now() + options_.start_limit;
    while (mode().empty()) {
        const bool alive = running();
        if (!alive || clock::now() >= deadline) {
            throw std::runtime_error{"ZooKeeper server " + address() +
                                     (alive ? " does not serve" : " is not running") +
                                     "; its log ends:\n" + log_tail()};
        }
        // justified: a server says that it serves only to those who ask
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

void zookeeper_server::start() {
    launch();
    wait_until_serving();
}

void zookeeper_server::kill() noexcept {
    process_.reset();
    paused_ = false;
}

void zookeeper_server::stop() noexcept {
    if (process_) {
        process_->signal(SIGTERM);
        process_->thaw(); // a paused one would not get the signal
        (void)process_->wait_for_end(std::chrono::seconds{5});
    }
    kill();
}

void zookeeper_server::pause() noexcept {
    if (process_) {
        process_->freeze();
        paused_ = true;
    }
}

void zookeeper_server::resume() noexcept {
    if (process_)
        process_->thaw();
    paused_ = false;
}

std::string zookeeper_server::mode(std::chrono::milliseconds limit) const {
    using boost::asio::ip::tcp;
    auto answered = server_mode(options_.port, limit, options_.host);
    // The port with TLS opens last.
    const bool serves = options_.secure_port == 0 || answered.empty() ||
                        tcp::iostream{options_.host, std::to_string(options_.secure_port)};
    return serves ? answered : std::string();
}

std::string zookeeper_server::log_tail(std::size_t bytes) const {
    const auto text = file_text(log_file());
    return text.size() > bytes ? text.substr(text.size() - bytes) : text;
}

} // namespace turnstile::test

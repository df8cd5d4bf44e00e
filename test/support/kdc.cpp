// SPDX-License-Identifier: BSL-1.0
#include "kdc.hpp"

#include "file_text.hpp"
#include "free_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace turnstile::test {
namespace {

// Debian installs the programs where only root's PATH looks.
const std::string folders_of_programs = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";

} // namespace

bool kdc::is_installed() {
    constexpr std::array programs{"/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util",
                                  "/usr/sbin/kadmin.local", "/usr/bin/kinit"};
    return std::ranges::all_of(programs,
                               [](const char* each) { return ::access(each, X_OK) == 0; });
}

kdc::kdc() : port_{free_port()} {
    const auto folder = folder_.path().string();
    const auto address = "127.0.0.1:" + std::to_string(port_);
    // "udp_preference_limit = 1" stands for TCP, where the kernel refuses connections to a KDC that
    // is down.
    std::ofstream{configuration()} << "[libdefaults]\ndefault_realm = " << realm()
                                   << "\ndns_lookup_kdc = false\ndns_lookup_realm = false\n"
                                      "dns_canonicalize_hostname = false\nrdns = false\n"
                                      "udp_preference_limit = 1\n"
                                      "[realms]\n"
                                   << realm() << " = {\nkdc = " << address << "\n}\n"
                                   << "EMPTY.TEST = {\nkdc = 127.0.0.1:1\n}\n";
    std::ofstream{folder_.path() / "kdc.conf"}
        << "[realms]\n"
        << realm() << " = {\ndatabase_name = " << folder
        << "/principals\nkey_stash_file = " << folder << "/stash\nkdc_listen = " << address
        << "\nkdc_tcp_listen = " << address << "\nsupported_enctypes = aes256-cts:normal\n}\n";
    ::setenv("KRB5_CONFIG", configuration().c_str(), 1);
    environment_ = {"KRB5_CONFIG=" + configuration(), "KRB5_KDC_PROFILE=" + folder + "/kdc.conf",
                    folders_of_programs};
    run_well({"/usr/sbin/kdb5_util", "create", "-s", "-r", realm(), "-P", "master"});
    start();
}

std::string kdc::configuration() const { return folder_.path() / "krb5.conf"; }

void kdc::start(bool clock_ahead) {
    auto environment = environment_;
    if (clock_ahead) {
        environment.emplace_back("LD_PRELOAD=" TURNSTILE_CLOCK_AHEAD);
        environment.emplace_back("CLOCK_AHEAD=600");
    }
    process_.emplace(child_process::options{.argv = {"/usr/sbin/krb5kdc", "-n", "-r", realm()},
                                            .environment = environment,
                                            .working_folder = folder_.path(),
                                            .output_file = folder_.path() / "kdc.log"});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    boost::asio::io_context context;
    for (;;) {
        boost::asio::ip::tcp::socket socket{context};
        boost::system::error_code failed;
        socket.connect({boost::asio::ip::address_v4::loopback(), port_}, failed);
        if (!failed)
            return;
        if (!process_->running() || std::chrono::steady_clock::now() >= deadline)
            throw std::runtime_error{"krb5kdc does not serve:\n" +
                                     file_text(folder_.path() / "kdc.log")};
        // justified: the KDC says that it serves only to those who ask
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

std::string kdc::keytab(const std::string& principal) const {
    auto name = principal;
    std::ranges::replace(name, '/', '_');
    const auto file = (folder_.path() / (name + ".keytab")).string();
    run_well({"/usr/sbin/kadmin.local", "-r", realm(), "addprinc", "-randkey", principal});
    run_well({"/usr/sbin/kadmin.local", "-r", realm(), "ktadd", "-k", file, principal});
    return file;
}

void kdc::renew_key(const std::string& principal, const std::string& file) const {
    std::filesystem::remove(file);
    run_well({"/usr/sbin/kadmin.local", "-r", realm(), "ktadd", "-k", file, principal});
}

std::string kdc::ticket_cache(const std::string& keytab, const std::string& principal,
                              const std::string& lifetime) const {
    const auto cache = keytab + ".cache";
    run_well({"/usr/bin/kinit", "-l", lifetime, "-c", cache, "-k", "-t", keytab, principal});
    return cache;
}

bool kdc::has_expired(const std::string& cache) const {
    return run({"/usr/bin/klist", "-s", "-c", cache}) != 0;
}

int kdc::run(const std::vector<std::string>& argv) const {
    child_process program{{.argv = argv,
                           .environment = environment_,
                           .working_folder = folder_.path(),
                           .output_file = folder_.path() / "programs.log"}};
    if (!program.wait_for_end(std::chrono::seconds{30}))
        return -1;
    return program.exit_status().value_or(-1);
}

void kdc::run_well(const std::vector<std::string>& argv) const {
    if (run(argv) != 0)
        throw std::runtime_error{argv.front() + " failed:\n" +
                                 file_text(folder_.path() / "programs.log")};
}

} // namespace turnstile::test

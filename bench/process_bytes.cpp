// SPDX-License-Identifier: BSL-1.0
#include "process_bytes.hpp"

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace turnstile::bench {

// "... users:(("java",pid=123,fd=45)) ... bytes_sent:2 bytes_acked:3 bytes_received:1000 ..."
std::optional<process_bytes> sum_process_bytes(std::istream& in, pid_t process) {
    const auto owner = "pid=" + std::to_string(process) + ",";
    std::optional<process_bytes> sum;
    for (std::string line; std::getline(in, line);) {
        if (line.find(owner) == std::string::npos)
            continue;
        if (!sum)
            sum.emplace();
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            if (word.starts_with("bytes_sent:"))
                sum->sent += std::stod(word.substr(word.find(':') + 1));
            else if (word.starts_with("bytes_received:"))
                sum->received += std::stod(word.substr(word.find(':') + 1));
        }
    }
    return sum;
}

std::optional<process_bytes> read_process_bytes(pid_t process, std::uint16_t server_port) {
    const test::temp_folder folder("turnstile-bench-");
    const auto found = folder.path() / "sockets";
    try {
        test::child_process ss(
            {.argv = {"ss", "-tinOHp", "dport", "=", ":" + std::to_string(server_port)},
             .output_file = found});
        if (!ss.wait_for_end(std::chrono::seconds{10}) || ss.exit_status() != 0)
            return {};
    } catch (const std::system_error&) { // not installed
        return {};
    }
    std::ifstream in(found);
    return sum_process_bytes(in, process);
}

} // namespace turnstile::bench

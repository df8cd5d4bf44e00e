// SPDX-License-Identifier: BSL-1.0
#include "history_writer.hpp"

#include <boost/json/serialize.hpp>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace turnstile::test {

std::int64_t history_now() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string history_hex(std::int64_t value) {
    std::array<char, 2 * sizeof value> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            static_cast<std::uint64_t>(value), 16);
    return {digits.data(), end};
}

history_writer::history_writer(const std::filesystem::path& folder, std::string writer,
                               std::size_t gather)
    : writer_{std::move(writer)}, file_{folder / (writer_ + ".jsonl")}, gather_{gather} {
    std::filesystem::create_directories(folder);
    fd_ = unique_fd{::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)};
    if (!fd_)
        throw std::system_error{errno, std::generic_category(), "open " + file_.string()};
}

void history_writer::write(std::string_view kind, const boost::json::object& fields) {
    write_at(history_now(), kind, fields);
}

void history_writer::write_at(std::int64_t t, std::string_view kind,
                              const boost::json::object& fields) {
    boost::json::object line;
    line.reserve(fields.size() + 3);
    line["t"] = t;
    line["p"] = writer_;
    line["k"] = kind;
    for (const auto& field : fields)
        line.insert(field);
    gathered_ += boost::json::serialize(line);
    gathered_ += '\n';
    if (gathered_.size() >= gather_)
        flush();
}

void history_writer::flush() {
    const auto text = std::exchange(gathered_, {});
    ssize_t written = 0;
    do {
        written = ::write(fd_.get(), text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(text.size())) {
        // A part of a line makes the next one unreadable, too, so the run proves nothing.
        throw std::system_error{written < 0 ? errno : ENOSPC, std::generic_category(),
                                "write " + file_.string()};
    }
}

} // namespace turnstile::test

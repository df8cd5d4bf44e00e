// SPDX-License-Identifier: BSL-1.0
#include "wire_notes.hpp"

#include <cstddef>
#include <exception>

namespace turnstile::test {
namespace {

constexpr std::size_t gather = 1U << 16U; // bytes
constexpr std::int32_t no_node = -101;    // a code of ZooKeeper's
constexpr std::int32_t node_deleted = 2;  // a type of event

} // namespace

wire_notes::wire_notes(const std::filesystem::path& folder, const std::string& proxy)
    : writer_{folder, proxy, gather} {}

wire_notes::~wire_notes() {
    try {
        flush();
    } catch (const std::exception&) {
        // A run that needs the lines calls flush(), which throws.
    }
}

void wire_notes::arrived(std::uint64_t link, const frame& f) {
    if (f.session == 0 || (f.op != op::connect && f.op != op::watch_event))
        return; // a session of 0 has expired
    const std::lock_guard lock{mutex_};
    if (f.op == op::connect) {
        writer_.write("connected", {{"link", link}, {"session", history_hex(f.session)}});
    } else {
        writer_.write("event", {{"link", link},
                                {"session", history_hex(f.session)},
                                {"path", f.path},
                                {"type", f.event}});
    }
}

void wire_notes::gone(std::uint64_t link, std::int64_t session, const std::string& path,
                      const char* by) {
    const std::lock_guard lock{mutex_};
    writer_.write("gone",
                  {{"link", link}, {"session", history_hex(session)}, {"path", path}, {"by", by}});
}

void wire_notes::lost(std::uint64_t link, std::int64_t session, const std::string& path) {
    const std::lock_guard lock{mutex_};
    writer_.write("lost", {{"link", link}, {"session", history_hex(session)}, {"path", path}});
}

void wire_notes::closed(std::uint64_t link) {
    const std::lock_guard lock{mutex_};
    writer_.write("closed", {{"link", link}});
}

void wire_notes::flush() {
    const std::lock_guard lock{mutex_};
    writer_.flush();
}

const char* wire_notes::tells_gone(const frame& f) {
    if (f.op == op::watch_event)
        return f.event == node_deleted ? "event" : nullptr;
    if (f.error != no_node && f.part_error != no_node)
        return nullptr;
    const bool checks = f.op == op::multi && f.part == op::check;
    return checks                     ? "check"
           : f.op == op::get_data     ? "get"
           : f.op == op::get_children ? "list"
                                      : nullptr;
}

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
// What a proxy writes into the history of a run: who was told of which node, and when. The checker
// holds it against what the servers did.
#pragma once

#include "frame.hpp"
#include "history_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace turnstile::test {

/// The history of one proxy. A frame may tell a client that a node is not there: the answer to a
/// check, a get or a list, or a notification. Of such a frame the lines say whether the client got
/// it. Sessions are hexadecimal; links are the proxy's connections, by their numbers.
///
///   connected {link, session}              a session was opened or resumed there
///   event     {link, session, path, type}  the server sent a notification, which may be lost; the
///                                          types have ZooKeeper's numbers
///   gone      {link, session, path, by}    such a frame was written to the client's socket; by is
///                                          "check", "get", "list" or "event"
///   lost      {link, session, path}        such a frame was swallowed, and later ones may pass
///   closed    {link}                       the client, the server or a fault ended it
///
/// Its proxy's links call it. Thread-safe. It gathers lines until flush(), for proxies are busy.
class wire_notes {
public:
    wire_notes(const std::filesystem::path& folder, const std::string& proxy);
    wire_notes(const wire_notes&) = delete;
    wire_notes& operator=(const wire_notes&) = delete;
    ~wire_notes(); ///< flushes, so that also the lines before an exception can be read

    /// A frame from the server has arrived at the proxy: a line "connected" or "event", or none.
    void arrived(std::uint64_t link, const frame& f);
    void gone(std::uint64_t link, std::int64_t session, const std::string& path, const char* by);
    void lost(std::uint64_t link, std::int64_t session, const std::string& path);
    void closed(std::uint64_t link);
    void flush();

    /// How a frame from the server tells that the node of its path is not there ("by" of the line
    /// "gone"); null if it does not.
    [[nodiscard]] static const char* tells_gone(const frame& f);

private:
    std::mutex mutex_;
    history_writer writer_;
};

} // namespace turnstile::test

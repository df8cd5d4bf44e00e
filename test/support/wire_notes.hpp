// SPDX-License-Identifier: BSL-1.0
// What a proxy saw that a checker wants to know: who was told of which node, and when.
#pragma once

#include "frame.hpp"
#include "history_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace turnstile::test {

/// Lines of one proxy in a run's history. Sessions are hexadecimal; links are the proxy's
/// connections, by their numbers.
///
///   connected {link, session}              a session was opened or resumed there
///   event     {link, session, path, type}  the server sent a notification, whether it came through
///                                          or not; type as ZooKeeper numbers them
///   gone      {link, session, path, by}    the client's socket was given the word that a node is
///                                          not there: by "check", "get", "list" or "event"
///   lost      {link, session, path}        the word that a node is not there was swallowed alone
///   closed    {link}                       the client, the server or a fault ended it
///
/// Thread-safe, and gathers its lines until flush(): proxies are busy.
class wire_notes {
public:
    wire_notes(const std::filesystem::path& folder, const std::string& proxy);
    wire_notes(const wire_notes&) = delete;
    wire_notes& operator=(const wire_notes&) = delete;
    ~wire_notes(); ///< flushes: also what led to an exception is to be read

    /// A frame from the server has arrived at the proxy.
    void arrived(std::uint64_t link, const frame& f);
    /// Such a frame was given to the client's socket.
    void gone(std::uint64_t link, std::int64_t session, const std::string& path, const char* by);
    /// It was not, though later frames may be.
    void lost(std::uint64_t link, std::int64_t session, const std::string& path);
    void closed(std::uint64_t link);
    void flush();

    /// How the frame tells that the node of its path is not there; null if it does not.
    [[nodiscard]] static const char* tells_gone(const frame& f);

private:
    std::mutex mutex_;
    history_writer writer_;
};

} // namespace turnstile::test

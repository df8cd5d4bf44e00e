// SPDX-License-Identifier: BSL-1.0
// What the C client takes for its socket: bytes that have arrived, and bytes that are to leave.
#pragma once

#include "zookeeper/frame_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// The C client's socket calls are bound to functions of ours (socket_calls.cpp), and end here. The
/// real socket is Asio's: the reactor brings bytes in and takes them out. The C client gets whole
/// frames only, and only those that ZooKeeper would have sent; what it writes leaves in one piece.
class client_socket {
public:
    explicit client_socket(std::int64_t session_id) : guard_(session_id) {}

    frame_guard& guard() { return guard_; }

    // The reactor's side.
    /// Takes bytes that arrived. False from the first frame on that is refused.
    bool receive(std::string_view bytes);
    /// Why a frame was refused; empty where none was.
    std::string_view refusal() const { return refusal_; }
    /// There are frames that the C client has not read.
    bool has_input() const { return read_ < checked_; }
    /// Whole frames that are to leave.
    std::string_view output() const { return std::string_view(out_).substr(left_); }
    void sent(std::size_t count);

    // The C client's side, as read(2) and write(2) would do it.
    /// Never goes past the end of a frame, for the C client asks for more than an old server's
    /// handshake has. 0 where nothing is there yet.
    std::size_t read(void* to, std::size_t most);
    void write(std::string_view bytes);

private:
    bool check_frames();
    std::size_t end_of_frame(std::size_t begin) const;

    frame_guard guard_;
    std::string in_;
    std::size_t read_ = 0;       // by the C client
    std::size_t checked_ = 0;    // whole frames that the guard has seen
    std::size_t frame_end_ = 0;  // of the frame that the C client reads
    std::string_view refusal_{}; // of static storage
    std::string out_;
    std::size_t left_ = 0;   // has left
    std::size_t framed_ = 0; // whole frames that the guard has seen
};

} // namespace turnstile::zookeeper

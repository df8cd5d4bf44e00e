// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/client_socket.hpp"

#include "zookeeper/jute_reader.hpp"

#include <algorithm>
#include <cstring>

namespace turnstile::zookeeper {

namespace {

constexpr std::size_t length_size = 4;

// What stands before a frame; 0 where it is not all there.
std::int32_t length_at(std::string_view bytes, std::size_t begin) {
    std::int32_t length = 0;
    jute_reader({bytes.data() + begin, bytes.size() - begin}).read(length);
    return length;
}

} // namespace

bool client_socket::receive(std::string_view bytes) {
    if (!refusal_.empty())
        return false;
    if (!has_input()) { // only the begin of a frame is kept
        in_.erase(0, checked_);
        read_ = checked_ = frame_end_ = 0;
    }
    in_.append(bytes);
    return check_frames();
}

bool client_socket::check_frames() {
    while (in_.size() - checked_ >= length_size) {
        const auto length = length_at(in_, checked_);
        if (const auto wrong = guard_.refuse_length(length)) {
            refusal_ = *wrong;
            return false;
        }
        const auto end = end_of_frame(checked_);
        if (end > in_.size())
            return true;
        const auto frame =
            std::string_view(in_).substr(checked_ + length_size, end - checked_ - length_size);
        if (const auto wrong = guard_.refuse(frame)) {
            refusal_ = *wrong;
            return false;
        }
        checked_ = end;
    }
    return true;
}

std::size_t client_socket::end_of_frame(std::size_t begin) const {
    return begin + length_size + static_cast<std::size_t>(length_at(in_, begin));
}

std::size_t client_socket::read(void* to, std::size_t most) {
    if (!has_input())
        return 0;
    if (read_ == frame_end_)
        frame_end_ = end_of_frame(read_);
    const auto count = std::min(most, frame_end_ - read_);
    std::memcpy(to, in_.data() + read_, count);
    read_ += count;
    return count;
}

void client_socket::write(std::string_view bytes) {
    out_.append(bytes);
    while (out_.size() - framed_ >= length_size) {
        const auto length = static_cast<std::size_t>(length_at(out_, framed_));
        if (out_.size() - framed_ - length_size < length)
            return;
        guard_.on_sent(std::string_view(out_).substr(framed_ + length_size, length));
        framed_ += length_size + length;
    }
}

void client_socket::sent(std::size_t count) {
    left_ += count;
    if (left_ < out_.size())
        return;
    out_.clear();
    left_ = framed_ = 0;
}

} // namespace turnstile::zookeeper

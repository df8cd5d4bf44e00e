// SPDX-License-Identifier: BSL-1.0
#include "session_book.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {
namespace {

// A ConnectResponse: length, protocol version, timeout, session id, password with its length.
constexpr std::size_t id_at = 4 + 4 + 4;
constexpr std::size_t password_at = id_at + 8 + 4;

} // namespace

void session_book::note(const std::string& frame) {
    session_credentials found;
    if (frame.size() < password_at + found.password.size())
        return;
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < 8; ++i)
        id = (id << 8U) | static_cast<unsigned char>(frame[id_at + i]);
    if (id == 0)
        return; // the session has expired
    found.id = static_cast<std::int64_t>(id);
    std::copy_n(frame.data() + password_at, found.password.size(), found.password.begin());
    const std::lock_guard lock{mutex_};
    if (seen_.insert_or_assign(found.id, found).second)
        order_.push_back(found.id);
}

std::optional<session_credentials> session_book::find(std::int64_t id) const {
    const std::lock_guard lock{mutex_};
    const auto found = seen_.find(id);
    return found == seen_.end() ? std::nullopt : std::optional{found->second};
}

std::vector<session_credentials> session_book::newest(std::size_t count) const {
    const std::lock_guard lock{mutex_};
    std::vector<session_credentials> result;
    for (auto id = order_.rbegin(); id != order_.rend() && result.size() < count; ++id)
        result.push_back(seen_.at(*id));
    return result;
}

void session_book::note_identity(std::string identity) {
    const std::lock_guard lock{mutex_};
    identities_.push_back(std::move(identity));
}

std::vector<std::string> session_book::identities() const {
    const std::lock_guard lock{mutex_};
    return identities_;
}

void session_book::forget(std::int64_t id) {
    const std::lock_guard lock{mutex_};
    seen_.erase(id);
    std::erase(order_, id);
}

} // namespace turnstile::test

// Whatever reads bytes or names from outside, under libFuzzer: nothing crashes, and what is
// accepted means what it says. The first byte says which parser is meant.
#include "protocol/lock_path.hpp"
#include "protocol/server_list.hpp"
#include "protocol/ticket_data.hpp"
#include "protocol/ticket_name.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace turnstile::protocol;

void require(bool condition) {
    if (!condition)
        std::abort();
}

void try_ticket_name(std::string_view text) {
    const auto name = ticket_name::parse(text);
    const auto stands = parse_contender(text);
    if (stands)
        require(stands->sequence >= 0 && text.size() >= 10);
    if (!name)
        return;
    require(name->str() == text);
    require(name->str().starts_with(name->prefix()));
    require(stands && stands->ours && stands->sequence == name->sequence &&
            stands->kind == name->kind);
}

void try_ticket_data(std::string_view text) {
    const auto request = request_of(text);
    require(request.empty() || text.find(request) != text.npos);
    require(request.find('\n') == request.npos);
    // What we write reads back, whatever a user's label contains.
    const ticket_data written{
        .host = std::string(text), .process = "1", .label = std::string(text)};
    require(request_of(written.str("5f-7")) == "5f-7");
}

void try_lock_path(std::string_view text) {
    const bool valid = is_valid_lock_path(text);
    if (!valid)
        return;
    require(is_valid_chroot(text) && text.front() == '/' && text.back() != '/');
    require(text.size() <= longest_lock_path && text.find("//") == text.npos);
    for (const auto& parent : parents_of(text))
        require(text.starts_with(parent + '/') && parent.back() != '/');
}

void try_server_list(std::string_view text) {
    const auto list = server_list::parse(text);
    if (!list)
        return;
    require(!list->servers.empty());
    require(list->chroot.empty() || is_valid_chroot(list->chroot));
    for (const auto& server : list->servers)
        require(!server.host.empty() && server.port > 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        try_ticket_name(text);
        break;
    case 1:
        try_ticket_data(text);
        break;
    case 2:
        try_lock_path(text);
        break;
    case 3:
        try_server_list(text);
        break;
    }
    return 0;
}

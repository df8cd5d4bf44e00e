// SPDX-License-Identifier: BSL-1.0
// Whatever reads bytes or names from outside, under libFuzzer: nothing crashes, and what is
// accepted means what it says. The first byte says which parser is meant.
#include "protocol/names/lock_path.hpp"
#include "protocol/names/server_list.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"
#include "zookeeper/digest.hpp"

#include <turnstile/fencing_token.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace turnstile::protocol;
using turnstile::fencing_token;
using turnstile::zookeeper::digest_id;
using turnstile::zookeeper::is_digest_id;

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
    if (const auto read = ticket_data::parse(text)) {
        require(read->version >= 0 && read->request == request);
        require(read->version > 0 ? text.starts_with("turnstile=") : text.starts_with("request="));
        for (const auto* value : {&read->host, &read->process, &read->label})
            require(value->find('\n') == value->npos && text.find(*value) != text.npos);
    }
    // What we write reads back, whatever a user's label contains.
    const ticket_data writer(
        {.host = std::string(text), .process = "1", .label = std::string(text)});
    const auto written = ticket_data::parse(writer.str("5f-7"));
    require(written && written->version == ticket_data::current_version);
    require(written->request == "5f-7" && written->process == "1");
    require(written->label.size() == text.size() && written->label == written->host);
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

void try_fencing_token(std::string_view text) {
    const auto token = fencing_token::parse(text);
    if (!token)
        return;
    require(token->str() == text); // stores may keep the text
}

void try_digest_id(std::string_view text) {
    const auto colon = text.find(':');
    const bool has_user = colon != text.npos && colon > 0;
    if (is_digest_id(text))
        require(has_user && text.size() == colon + 1 + 28 && text.back() == '=');
    // What we write is an id, of the same user, and shows no other part of what it was made of.
    const auto written = digest_id(text);
    require(written.empty() == !has_user);
    if (has_user)
        require(is_digest_id(written) && written.starts_with(text.substr(0, colon + 1)) &&
                written.size() == colon + 1 + 28 && written == digest_id(text));
}

constexpr std::array parsers{&try_ticket_name, &try_ticket_data,   &try_lock_path,
                             &try_server_list, &try_fencing_token, &try_digest_id};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    parsers[data[0] % parsers.size()](text);
    return 0;
}

// SPDX-License-Identifier: BSL-1.0
#include "options/acl_option.hpp"

#include <CLI/App.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace {

permission permission_of(char letter) {
    switch (letter) {
    case 'c':
        return permission::create;
    case 'd':
        return permission::remove;
    case 'r':
        return permission::read;
    case 'w':
        return permission::write;
    case 'a':
        return permission::admin;
    default:
        throw CLI::ValidationError("--acl", std::string("'") + letter +
                                                "' is no right: write letters of cdrwa");
    }
}

permission permissions_of(std::string_view letters) {
    auto result = permission::none;
    for (const char each : letters)
        result = result | permission_of(each);
    return result;
}

/// Reads SCHEME:ID:RIGHTS. The id may have colons, too.
acl_entry entry_of(const std::string& text) {
    const auto first = text.find(':');
    const auto last = text.rfind(':');
    if (first == last)
        throw CLI::ValidationError("--acl", '\'' + text +
                                                "' is no entry: write SCHEME:ID:RIGHTS, such as "
                                                "world:anyone:r");
    return {.scheme = text.substr(0, first),
            .id = text.substr(first + 1, last - first - 1),
            .permissions = permissions_of(std::string_view(text).substr(last + 1))};
}

/// Returns where the entry ends that begins at `at`. The id of a certificate's subject has commas,
/// so a comma ends an entry only behind its rights.
std::size_t end_of_entry(const std::string& text, std::size_t at) {
    constexpr auto npos = std::string::npos;
    for (auto end = text.find(',', at); end != npos; end = text.find(',', end + 1)) {
        const auto before = text.find_last_not_of("cdrwa", end - 1);
        if (before != npos && before > at && before + 1 < end && text[before] == ':')
            return end;
    }
    return text.size();
}

acl acl_of(const std::string& text) {
    if (text == "open")
        return acl::open();
    if (text == "creator_all")
        return acl::creator_all();
    std::vector<acl_entry> entries;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = end_of_entry(text, at);
        entries.push_back(entry_of(text.substr(at, end - at)));
        at = end + 1;
    }
    return acl::list(std::move(entries));
}

} // namespace

CLI::Option* add_acl(CLI::App& app, acl& to) {
    return app
        .add_option_function<std::string>(
            "--acl", [&to](const std::string& text) { to = acl_of(text); },
            "Who may use the nodes that are made: open (anybody, the default),\n"
            "creator_all (the first digest identity of --auth-file), or\n"
            "SCHEME:ID:cdrwa[,...] as zkCli.sh has it. A certificate's subject is\n"
            "as `openssl x509 -noout -subject -nameopt RFC2253` tells it")
        ->type_name("ACL");
}

} // namespace turnstile::command

// SPDX-License-Identifier: BSL-1.0
#include <turnstile/session_key.hpp>

#include "protocol/names/server_list.hpp"
#include "protocol/names/text_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <string.h>

namespace turnstile {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

bool read_password(std::string_view text, std::array<char, 16>& to) {
    if (text.size() != 2 * to.size())
        return false;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto byte = protocol::number_of<std::uint8_t>(text.substr(2 * i, 2), 16);
        if (!byte)
            return false;
        to[i] = static_cast<char>(*byte);
    }
    return true;
}

// The name of the setting for one of the texts of TLS, such as `tls-key-file`.
std::string setting_of(const tls_options::text& which) {
    auto name = "tls-" + std::string(which.name);
    std::ranges::replace(name, '_', '-');
    return name;
}

bool read_tls(std::string_view name, std::string_view value, session_key& to) {
    if (name == "tls" && value == "on") {
        to.tls.emplace();
        return true;
    }
    const auto known = std::ranges::find(tls_options::texts, name, setting_of);
    if (known == tls_options::texts.end() || !to.tls)
        return false;
    (*to.tls).*known->value = value;
    return !value.empty();
}

// Puts the value of one line into the key. False: the setting is unknown, or its value is bad.
bool read_setting(std::string_view name, std::string_view value, session_key& to) {
    if (name == "servers") {
        to.servers = value;
        return protocol::server_list::parse(value).has_value();
    }
    if (name == "session") {
        to.id =
            static_cast<std::int64_t>(protocol::number_of<std::uint64_t>(value, 16).value_or(0));
        return to.id != 0;
    }
    if (name == "password")
        return read_password(value, to.password);
    if (name == "timeout") {
        const auto count = protocol::number_of<std::int64_t>(value).value_or(0);
        to.timeout = std::chrono::milliseconds(count);
        return count > 0 && count <= 86'400'000; // a day
    }
    return read_tls(name, value, to);
}

} // namespace

session_key::~session_key() { explicit_bzero(password.data(), password.size()); }

std::string session_key::str() const {
    std::string text = "servers " + servers + "\nsession ";
    protocol::append_hexadecimal(text, static_cast<std::uint64_t>(id));
    text += "\ntimeout " + std::to_string(timeout.count()) + "\npassword ";
    for (const auto each : password) {
        const auto byte = static_cast<unsigned char>(each);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    text += '\n';
    if (!tls)
        return text;
    text += "tls on\n";
    for (const auto& each : tls_options::texts)
        if (const auto& value = (*tls).*each.value; !value.empty())
            text.append(setting_of(each))
                .append(" ")
                .append(each.is_path ? std::filesystem::absolute(value).string() : value) += '\n';
    return text;
}

std::optional<session_key> session_key::parse(std::string_view text, std::string* wrong) {
    const auto refuse = [wrong](std::string why) {
        if (wrong)
            *wrong = std::move(why);
        return std::nullopt;
    };
    session_key result;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto name = line.substr(0, line.find(' '));
        const auto value = line.substr(std::min(name.size() + 1, line.size()));
        if (!read_setting(name, value, result)) // not with the value: it may be the password
            return refuse("the setting '" + std::string(name) +
                          "' is unknown, or its value is bad");
    }
    if (result.servers.empty() || result.id == 0 || result.timeout.count() == 0)
        return refuse("servers, session and timeout are needed");
    return result;
}

} // namespace turnstile

// SPDX-License-Identifier: BSL-1.0
#include "transaction_log.hpp"

#include "line_fields.hpp"
#include "node_name.hpp"
#include "uncommitted.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <istream>
#include <optional>
#include <utility>

namespace turnstile::check {
namespace {

constexpr auto npos = std::string_view::npos;

/// "<date> session 0x1 cxid 0x2 zxid 0x3 <operation and what it is about>"
struct head {
    std::int64_t session = 0;
    std::int64_t request = 0; ///< the session's request; 0: no client asked for it
    std::int64_t zxid = 0;
    std::string_view rest;
};

std::optional<std::int64_t> take(std::string_view& line, std::string_view label) {
    const auto at = line.find(label);
    if (at == npos)
        return std::nullopt;
    line.remove_prefix(at + label.size());
    const auto end = std::min(line.find(' '), line.size());
    const auto value = parse_hex(line.substr(0, end));
    line.remove_prefix(end);
    return value;
}

std::optional<head> parse_head(std::string_view line) {
    constexpr std::size_t longest_date = 80;
    if (line.starts_with("CRC ERROR") || line.find(" session 0x") > longest_date)
        return std::nullopt;
    const auto session = take(line, " session ");
    const auto cxid = session ? take(line, " cxid ") : std::nullopt;
    const auto zxid = cxid ? take(line, " zxid ") : std::nullopt;
    if (!zxid || line.empty())
        return std::nullopt;
    line.remove_prefix(1);
    return head{*session, *cxid, *zxid, line};
}

/// Cuts a path off at the first character that cannot be part of one.
std::string_view path_at(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > 0x20 && text[end] != ',' &&
           text[end] != ';' && text[end] != '\xef')
        ++end;
    return text.substr(0, end);
}

std::string_view request_in(std::string_view text) {
    constexpr std::string_view label = "request=";
    const auto at = text.find(label);
    return at == npos ? std::string_view{} : path_at(text.substr(at + label.size()));
}

void add_change(transaction& to, std::string_view path, change what) {
    if (auto node = node_name::parse(path)) {
        what.lock = std::move(node->lock);
        what.name = std::move(node->name);
        to.changes.push_back(std::move(what));
    }
}

void add_setting(transaction& to, std::string_view path, std::string_view record) {
    if (auto node = node_name::parse(path)) {
        const bool clears = record.find("\nclear=1\n") != npos;
        to.settings.push_back({std::move(node->lock), std::move(node->name), clears});
    }
}

/// "multi create:<bytes>;delete:<bytes>": the bytes of each part are a record, a path first, whose
/// length goes before it. The tool shows them as text, in which bytes above 127 are damaged. Then
/// the part that looks like a path is taken.
void parse_multi(transaction& to, std::string_view text) {
    constexpr std::array<std::string_view, 7> operations{
        "create:", "create2:", "createContainer:", "delete:", "setData:", "check:", "error:"};
    std::string_view set_path; // the path of a set that no deletion has followed yet
    std::string_view set_record;
    while (!text.empty()) {
        const auto operation = std::find_if(operations.begin(), operations.end(),
                                            [&](auto name) { return text.starts_with(name); });
        if (operation == operations.end() || *operation == "error:") {
            to.changes.clear(); // the transaction failed as a whole
            to.settings.clear();
            return;
        }
        text.remove_prefix(operation->size());
        auto path = path_at(text.substr(std::min(text.find('/'), text.size())));
        if (text.size() >= 4 && text[2] == '\0' && text[3] > 0)
            path = text.substr(4, static_cast<std::size_t>(text[3]));
        std::size_t end = npos;
        for (const auto name : operations)
            end = std::min(end, text.find(';' + std::string{name}));
        const auto record = text.substr(0, end);
        if (operation->starts_with("create")) {
            add_change(to, path, {true, false, {}, {}, std::string{request_in(record)}});
        } else if (*operation == "delete:") {
            add_change(to, path, {false, path == set_path, {}, {}, {}});
            set_path = path == set_path ? std::string_view{} : set_path;
        } else if (*operation == "setData:") {
            add_setting(to, set_path, set_record);
            set_path = path;
            set_record = record;
        }
        text = end == npos ? std::string_view{} : text.substr(end + 1);
    }
    add_setting(to, set_path, set_record);
}

transaction parse(const head& of, std::string_view body) {
    transaction result;
    result.zxid = of.zxid;
    result.session = of.session;
    result.fingerprint =
        std::hash<std::string_view>{}(body) ^ std::hash<std::int64_t>{}(of.session);
    const auto space = std::min(body.find_first_of(" \n"), body.size());
    const auto operation = body.substr(0, space);
    auto rest = body.substr(std::min(space + 1, body.size()));
    if (operation == "closeSession") {
        result.closes = true;
        result.expiring = of.request == 0;
    } else if (operation == "multi") {
        parse_multi(result, rest);
    } else if (operation == "create" || operation == "create2") {
        if (rest.find("],true,") != npos) // it is ephemeral, as all tickets are
            add_change(result, path_at(rest), {true, false, {}, {}, std::string{request_in(rest)}});
    } else if (operation == "delete" || operation == "deleteContainer") {
        if (rest.starts_with('\''))
            rest.remove_prefix(1);
        add_change(result, path_at(rest), {});
    } else if (operation == "setData") {
        if (rest.starts_with('\''))
            rest.remove_prefix(1);
        add_setting(result, path_at(rest), rest);
    }
    return result;
}

} // namespace

void transaction_log::read(std::istream& in, std::string name,
                           std::vector<std::int64_t> snapshots) {
    servers_.push_back({std::move(name), {}, std::move(snapshots)});
    std::optional<head> current; // without the rest
    std::string body;
    const auto finish = [&] {
        if (current) {
            while (body.ends_with('\n'))
                body.pop_back();
            servers_.back().zxids.push_back(current->zxid);
            add(parse(*current, body));
            current.reset();
        }
    };
    constexpr std::string_view damaged_label = "CRC ERROR - ";
    constexpr std::int64_t none = -1;
    std::int64_t damaged = none; // the tool shows it twice, the second time as if it were whole
    for (std::string line; std::getline(in, line);) {
        if (const auto h = parse_head(line)) {
            finish();
            if (damaged != h->zxid) {
                current = h;
                body = std::exchange(current->rest, {});
            }
            damaged = none;
        } else if (line.starts_with(damaged_label)) {
            finish();
            const auto d = parse_head(std::string_view{line}.substr(damaged_label.size()));
            damaged = d ? d->zxid : none;
        } else if (line == "Last transaction was partial.") {
            current.reset(); // the server does not read it either
        } else if (line.starts_with("ZooKeeper Transactional Log File") ||
                   line.starts_with("EOF reached after") || line.starts_with("[main] ") ||
                   line.starts_with("Exception in thread ")) {
            finish(); // this line is no part of a transaction
        } else if (current) {
            body += '\n';
            body += line;
        }
    }
    finish();
}

void transaction_log::add(transaction&& t) {
    if (!t.closes && t.changes.empty() && t.settings.empty())
        return;
    const auto [at, is_new] = by_zxid_.try_emplace(t.zxid, transactions_.size());
    if (is_new) {
        transactions_.push_back(std::move(t));
        transactions_.back().copies = 1;
        transactions_.back().last_source = servers_.size();
        return;
    }
    auto& known = transactions_[at->second];
    known.copies += known.last_source == servers_.size() ? 0 : 1;
    known.last_source = servers_.size();
    if (known.fingerprint != t.fingerprint)
        contradictions_.push_back(t.zxid);
}

ordered_log transaction_log::in_order() const {
    const std::size_t least = servers_.size() >= 3 ? 2 : 1;
    ordered_log result;
    result.kept.reserve(transactions_.size());
    std::vector<transaction> rare;
    for (const auto& t : transactions_)
        (t.copies >= least ? result.kept : rare).push_back(t);
    const auto earlier = [](const auto& a, const auto& b) { return a.zxid < b.zxid; };
    std::sort(result.kept.begin(), result.kept.end(), earlier);
    result.undone = take_out_uncommitted(result.kept);
    std::move(rare.begin(), rare.end(), std::back_inserter(result.undone));
    std::sort(result.undone.begin(), result.undone.end(), earlier);
    return result;
}

} // namespace turnstile::check

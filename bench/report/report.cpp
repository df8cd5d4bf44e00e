// SPDX-License-Identifier: BSL-1.0
#include "report/report.hpp"

#include "report/about.hpp"
#include "report/page.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace turnstile::bench {

namespace {

using ordered = nlohmann::ordered_json;

std::string text_of(const std::string& file, const std::string& advice) {
    std::ifstream in(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in)
        throw std::runtime_error("cannot read " + file + ": " +
                                 std::generic_category().message(errno) + "; " + advice);
    return text;
}

ordered json_of(const std::string& file) {
    const auto text = text_of(file, "`turnstile-bench suite --json FILE` writes rows");
    try {
        return ordered::parse(text);
    } catch (const nlohmann::json::exception& e) {
        throw std::runtime_error(file + " is no JSON: " + e.what());
    }
}

ordered rows_of(const std::string& file) {
    auto found = json_of(file);
    const auto is_row = [](const auto& each) {
        return each.is_object() && each.contains("scenario") && each["scenario"].is_string() &&
               each.contains("strategy") && each["strategy"].is_string();
    };
    if (!found.is_array() || found.empty() || !std::all_of(found.begin(), found.end(), is_row))
        throw std::runtime_error(
            file + " holds something else than rows; `turnstile-bench suite --json FILE` writes "
                   "such a file");
    return found;
}

/// For a script element: what stands there ends at the first "</script", and in a string of JSON
/// "\u003c" is the same as "<".
std::string as_script_data(const ordered& data) {
    const auto plain = data.dump(-1, ' ', true, ordered::error_handler_t::replace);
    std::string safe;
    for (const char c : plain)
        safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    return safe;
}

std::string as_html(std::string_view text) {
    std::string safe;
    for (const char c : text)
        safe += c == '<'   ? std::string("&lt;")
                : c == '&' ? std::string("&amp;")
                           : std::string(1, c);
    return safe;
}

/// In one pass: what is filled in is not looked through again.
std::string filled(std::string_view page, const std::map<std::string, std::string_view>& parts) {
    std::string result;
    for (;;) {
        const auto open = page.find("{{");
        const auto close = page.find("}}", open);
        if (close == std::string_view::npos)
            return result.append(page);
        result.append(page.substr(0, open));
        result.append(parts.at(std::string(page.substr(open + 2, close - open - 2))));
        page.remove_prefix(close + 2);
    }
}

} // namespace

void make_report(const report_options& how) {
    const std::string advice = "install Debian's node-d3 (scripts/setup.sh node-d3), or name "
                               "another copy with --d3 and --d3-licence";
    const auto d3 = text_of(how.d3, advice);
    if (d3.find("</script") != std::string::npos)
        throw std::runtime_error(how.d3 + " cannot stand in a page: it has `</script` in it");
    const auto licence = as_html(text_of(how.d3_licence, advice));

    auto files = ordered::array();
    std::size_t count = 0;
    for (const auto& file : how.files) {
        if (is_about_file(file)) // of a pattern such as *.json
            continue;
        ordered entry{{"file", std::filesystem::path(file).filename().string()}};
        if (const auto about = about_file(file); std::filesystem::exists(about))
            entry["about"] = json_of(about);
        entry["rows"] = rows_of(file);
        count += entry["rows"].size();
        files.push_back(std::move(entry));
    }

    const auto data = as_script_data(files);
    const auto page = filled(page_html, {{"style", page_style},
                                         {"script", page_script},
                                         {"data", data},
                                         {"d3", d3},
                                         {"d3_licence", licence}});
    const std::filesystem::path output(how.output);
    std::error_code error;
    if (output.has_parent_path())
        std::filesystem::create_directories(output.parent_path(), error);
    std::ofstream out(output, std::ios::binary);
    out << page;
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + how.output +
                                 ": check the folder and its rights");
    fmt::print("{}: {} rows of {} files\n", how.output, count, files.size());
}

} // namespace turnstile::bench

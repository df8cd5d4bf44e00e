// SPDX-License-Identifier: BSL-1.0
// Completions and the manual page have every command and every option.
#include "command/support/tool.hpp"
#include "support/file_text.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

using namespace turnstile::test;

namespace {

using texts = std::vector<std::string>;

std::string told_by(const texts& arguments) {
    tool one{arguments};
    CHECK(one.exit_code() == 0);
    CHECK(one.said().empty());
    return one.output();
}

/// What stands first in the lines that begin so.
texts first_in_lines(const std::string& text, const std::string& pattern) {
    texts result;
    std::istringstream in(text);
    std::smatch found;
    for (std::string line; std::getline(in, line);)
        if (std::regex_search(line, found, std::regex(pattern)))
            result.push_back(found[1]);
    return result;
}

const std::string option_line = "^  (?:-[a-zA-Z],)?(--[a-z-]+)";

texts commands() {
    const auto help = told_by({"--help"});
    return first_in_lines(help.substr(help.find("Commands:")), "^  ([a-z]+)  +[A-Z]");
}

/// The options of each command as --help tells them; those of none by the empty name.
std::map<std::string, texts> all_options() {
    std::map<std::string, texts> result;
    result[""] = first_in_lines(told_by({"--help"}), option_line);
    for (const auto& each : commands())
        result[each] = first_in_lines(told_by({each, "--help"}), option_line);
    return result;
}

/// As people read it, more or less.
std::string page_of(const std::string& command) {
    const auto page = told_by(command.empty() ? texts{"manual"} : texts{"manual", command});
    return std::regex_replace(std::regex_replace(page, std::regex(R"(\\-)"), "-"),
                              std::regex(R"(\\f[BIR])"), "");
}

/// The part of a text from one mark to the next of these.
std::string part(const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from);
    if (begin == std::string::npos)
        return {};
    return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

bool has_word(const std::string& text, const std::string& word) {
    const auto is_part = [&](std::size_t at) {
        return at < text.size() && (text[at] == '-' || (text[at] >= 'a' && text[at] <= 'z'));
    };
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
        if (!is_part(at - 1) && !is_part(at + word.size())) // before the first is past the last
            return true;
    return false;
}

/// What bash says to this script, after it has read the completion.
std::string said_by_bash(const std::string& script) {
    const temp_folder folder{"turnstile-completion-"};
    const auto file = folder.path() / "script";
    const auto out = folder.path() / "out";
    std::ofstream{file} << told_by({"completion", "bash"}) << script;
    child_process bash{{.argv = {"bash", file.string()}, .output_file = out}};
    CHECK(bash.wait_for_end(std::chrono::seconds{20}));
    std::ifstream in{out};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("each option of each command is in the completions and in the manual") {
    const auto all = all_options();
    REQUIRE(all.size() >= 9);
    const auto bash = told_by({"completion", "bash"});
    const auto zsh = told_by({"completion", "zsh"});
    const auto fish = told_by({"completion", "fish"});
    const auto connection = first_in_lines(told_by({"help", "connection"}), option_line);
    CHECK(connection == first_in_lines(told_by({"connection"}), option_line));
    CHECK(connection.size() >= 15);
    for (const auto& [name, options] : all) {
        CAPTURE(name);
        CHECK(options.size() >= 1);
        const auto of_bash =
            part(bash, "    " + (name.empty() ? std::string("''") : name) + ") ", ";;") +
            part(bash, "\n    " + name + ")\n", ";;");
        const auto of_zsh = part(zsh, name.empty() ? "_arguments -C" : "        " + name + ")\n",
                                 name.empty() ? "case " : ";;");
        const auto where =
            name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + name;
        const auto check_completion = [&](const std::string& option) {
            CAPTURE(option);
            CHECK(has_word(of_bash, option));
            CHECK(has_word(of_zsh, option));
            CHECK(has_word(fish, where + "' -l " + option.substr(2)));
        };
        const auto page = page_of(name);
        for (const auto& option : options) {
            check_completion(option);
            CHECK(has_word(part(page, ".SH OPTIONS", "\n.SH"), option));
        }
        // Those of the servers are told once, and by a line wherever they count.
        if (!has_word(told_by({"help", name.empty() ? "ls" : name}), "connection") || name.empty())
            continue;
        for (const auto& option : connection)
            if (option != "--acl" && option != "--guard" && option != "--help") {
                check_completion(option);
                CHECK(std::ranges::find(options, option) == options.end());
                CHECK(has_word(part(page, ".SH OPTIONS", "\n.SH"), option));
                for (const char end : {' ', '\n'})
                    CHECK(page.find("\n.TP\n" + option + end) == page.npos);
                CHECK(has_word(part(page_of(""), ".SS The servers", "\n.SH"), option));
            }
    }
}

TEST_CASE("each command has a page of the manual, and pages name all variables and exit codes") {
    const auto pages = commands();
    const auto main = page_of("");
    for (const auto& each : pages) {
        CAPTURE(each);
        CHECK(has_word(part(main, ".SH SEE ALSO", "\n.SH"), "turnstile-" + each));
        CHECK(file_text(std::filesystem::path{TURNSTILE_MANUAL} / ("turnstile-" + each + ".1")) ==
              told_by({"manual", each}));
    }
    const auto docs = file_text(TURNSTILE_COMMAND_PAGE);
    const std::regex variable{"TURNSTILE_[A-Z_]+"};
    for (std::sregex_iterator each{docs.begin(), docs.end(), variable}, end; each != end; ++each)
        CHECK(has_word(part(main, ".SH ENVIRONMENT", "\n.SH"), each->str()));
    for (const auto& page : {main, page_of("run"), page_of("elect")}) {
        const auto exits = part(page, ".SH EXIT STATUS", "\n.SH");
        CHECK(exits.starts_with(".SH EXIT STATUS\n.TP\n")); // and no other line first
        for (const std::string code : {"119", "122", "123", "128 + N"})
            CHECK(exits.find("\n.TP\n" + code + '\n') != std::string::npos);
    }
    for (const std::string section : {"SIGNALS", "WHAT ENDS WITH THE LOCK", "LOSS OF THE LOCK"})
        CHECK(page_of("run").find("\n.SH " + section + '\n') != std::string::npos);
}

TEST_CASE("the help of a command has its own options, and names those of the servers in a line") {
    const auto help = told_by({"help", "run"});
    CHECK(help == told_by({"run", "--help"}));
    CHECK(help.find("--at-most DURATION") != std::string::npos);
    CHECK(help.find("--tls") == std::string::npos);
    CHECK(help.find("\nThe servers (-s,--server LIST, ...) and -v,--verbose: turnstile help "
                    "connection\n") != std::string::npos);
    CHECK(told_by({"help", "guard"}).find("connection") == std::string::npos);
}

TEST_CASE("bash completes commands, options, files and the command to run") {
    const auto completed = [](const std::string& words, int at) {
        return said_by_bash("COMP_WORDS=(" + words + ") COMP_CWORD=" + std::to_string(at) +
                            "\n_turnstile\necho \"${COMPREPLY[*]}\"\n");
    };
    CHECK(completed("turnstile do", 1) == "doctor\n");
    CHECK(completed("turnstile hel", 1) == "help\n");
    CHECK(completed("turnstile help co", 2) == "connection completion\n");
    CHECK(completed("turnstile run --no", 2) == "--no-wait\n");
    CHECK(completed("turnstile show --no", 2) == "\n");
    CHECK(completed("turnstile run --wait --no", 3) == "\n");
    CHECK(completed("turnstile show --auth-file /etc/passw", 3).find("/etc/passwd") !=
          std::string::npos);
    CHECK(completed("turnstile run /locks/a -- mkdi", 4).find("mkdir") != std::string::npos);
}

TEST_CASE("man and mandoc read the pages of the manual without a warning") {
    const temp_folder folder{"turnstile-manual-"};
    auto all = commands();
    all.emplace_back();
    for (const auto& each : all) {
        CAPTURE(each);
        const auto name = each.empty() ? std::string("turnstile") : "turnstile-" + each;
        const auto file = (folder.path() / (name + ".1")).string();
        std::ofstream{file} << told_by(each.empty() ? texts{"manual"} : texts{"manual", each});
        const auto said =
            said_by_bash("command -v man >/dev/null && "
                         "man --warnings -l " +
                         file +
                         " 2>&1 >/dev/null\n"
                         "command -v mandoc >/dev/null && mandoc -Tlint -W warning " +
                         file + " | grep -v 'missing date'\n"); // two builds are alike
        CHECK(said.empty());
    }
}

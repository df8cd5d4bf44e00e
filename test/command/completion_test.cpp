// SPDX-License-Identifier: BSL-1.0
// Completions and the manual page have every command and every option.
#include "command/support/tool.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

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

/// The options of each command as --help tells them; those of none by the empty name.
std::map<std::string, texts> all_options() {
    const std::string option = "^  (?:-[a-zA-Z],)?(--[a-z-]+)";
    std::map<std::string, texts> result;
    const auto help = told_by({"--help"});
    result[""] = first_in_lines(help, option);
    for (const auto& each :
         first_in_lines(help.substr(help.find("Commands:")), "^  ([a-z]+)  +[A-Z]"))
        result[each] = first_in_lines(told_by({each, "--help"}), option);
    return result;
}

/// The part of a text from one mark to the next of these.
std::string part(const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from);
    if (begin == std::string::npos)
        return {};
    return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

bool has_word(const std::string& text, const std::string& word) {
    return std::regex_search(text, std::regex("(^|[^a-z-])" + word + "($|[^a-z-])"));
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
    const auto manual = std::regex_replace(told_by({"manual"}), std::regex(R"(\\-)"), "-");
    for (const auto& [name, options] : all) {
        CAPTURE(name);
        CHECK(options.size() >= 1);
        const auto of_bash =
            part(bash, "    " + (name.empty() ? std::string("''") : name) + ") ", ";;") +
            part(bash, "\n    " + name + ")\n", ";;");
        const auto of_zsh = part(zsh, name.empty() ? "_arguments -C" : "        " + name + ")\n",
                                 name.empty() ? "case " : ";;");
        const auto of_manual =
            part(manual, name.empty() ? ".SH OPTIONS" : ".SS \"turnstile " + name, "\n.S");
        for (const auto& option : options) {
            CAPTURE(option);
            CHECK(has_word(of_bash, option));
            CHECK(has_word(of_zsh, option));
            CHECK(has_word(of_manual, option));
            const auto where =
                name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + name;
            CHECK(has_word(fish, where + "' -l " + option.substr(2)));
        }
    }
}

TEST_CASE("bash completes commands, options, files and the command to run") {
    const auto completed = [](const std::string& words, int at) {
        return said_by_bash("COMP_WORDS=(" + words + ") COMP_CWORD=" + std::to_string(at) +
                            "\n_turnstile\necho \"${COMPREPLY[*]}\"\n");
    };
    CHECK(completed("turnstile do", 1) == "doctor\n");
    CHECK(completed("turnstile run --no", 2) == "--no-wait\n");
    CHECK(completed("turnstile show --no", 2) == "\n");
    CHECK(completed("turnstile run --wait --no", 3) == "\n");
    CHECK(completed("turnstile show --auth-file /etc/passw", 3).find("/etc/passwd") !=
          std::string::npos);
    CHECK(completed("turnstile run /locks/a -- mkdi", 4).find("mkdir") != std::string::npos);
}

TEST_CASE("man reads the manual page without a warning") {
    const temp_folder folder{"turnstile-manual-"};
    const auto file = (folder.path() / "turnstile.1").string();
    std::ofstream{file} << told_by({"manual"});
    const auto said = said_by_bash("command -v man >/dev/null && "
                                   "man --warnings -l " +
                                   file + " 2>&1 >/dev/null\n");
    CHECK(said.empty());
}

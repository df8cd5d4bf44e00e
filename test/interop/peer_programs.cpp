#include "peer_programs.hpp"

#include "support/child_process.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace turnstile::interop {

namespace {

const std::filesystem::path sources{TURNSTILE_PEERS};

// Debian's Python: another one does not see Debian's Kazoo.
constexpr const char* python = "/usr/bin/python3";

bool is_recipe(const peer_kind& kind) { return kind.program == "RecipePeer"; }

/// Jars of this kind, and what each is part of. The manifest of zookeeper.jar names those that it
/// needs itself.
std::vector<std::pair<std::string, std::string>> jars(const peer_kind& kind) {
    std::vector<std::pair<std::string, std::string>> result;
    const auto add = [&result](const std::string& jar, const char* package) {
        result.emplace_back("/usr/share/java/" + jar + ".jar", package);
    };
    if (is_recipe(kind)) {
        add("zookeeper-recipes-lock", "libzookeeper-java");
    } else {
        add("curator-recipes", "libcurator-recipes-java");
        add("curator-framework", "libcurator-framework-java");
        add("curator-client", "libcurator-client-java");
        add("guava", "libguava-java");
    }
    add("zookeeper", "libzookeeper-java");
    add("slf4j-api", "libslf4j-java");
    add("slf4j-simple", "libslf4j-java");
    return result;
}

std::string class_path(const peer_kind& kind) {
    std::string result;
    for (const auto& [jar, package] : jars(kind)) {
        result += (result.empty() ? "" : ":") + jar;
    }
    return result;
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string source(const char* name) { return (sources / name).string(); }

} // namespace

std::optional<std::string> peer_programs::missing(const peer_kind& kind) {
    const auto lacks = [](const std::string& what, const std::string& package) {
        return what + " (Debian's package " + package + ")";
    };
    if (!kind.in_java()) {
        test::child_process import{{.argv = {python, "-c", "import kazoo.recipe.lock"}}};
        if (!import.wait_for_end(std::chrono::seconds{30}) || import.exit_status() != 0) {
            return lacks("Kazoo for /usr/bin/python3", "python3-kazoo");
        }
        return std::nullopt;
    }
    for (const auto& [jar, package] : jars(kind)) {
        if (!std::filesystem::exists(jar)) {
            return lacks(jar, package);
        }
    }
    try {
        test::child_process compiler{{.argv = {"javac", "-version"}}};
        (void)compiler.wait_for_end(std::chrono::seconds{30});
    } catch (const std::system_error&) {
        return lacks("javac", "default-jdk-headless");
    }
    return std::nullopt;
}

void peer_programs::prepare(const peer_kind& kind) {
    if (!kind.in_java() || compiled_.contains(kind.program)) {
        return;
    }
    const auto log = classes_.path() / "javac.log";
    test::child_process compiler{
        {.argv = {"javac", "-d", classes_.path().string(), "-cp", class_path(kind),
                  source("common/Peer.java"),
                  source(is_recipe(kind) ? "recipe/RecipePeer.java" : "curator/CuratorPeer.java")},
         .output_file = log}};
    if (!compiler.wait_for_end(std::chrono::seconds{120}) || compiler.exit_status() != 0) {
        throw std::runtime_error{"javac: " + text_of(log)};
    }
    compiled_.insert(kind.program);
}

std::vector<std::string> peer_programs::command_line(const peer_kind& kind, bool reads,
                                                     const std::string& servers,
                                                     const std::string& path,
                                                     std::chrono::milliseconds timeout,
                                                     const std::filesystem::path& counter) const {
    std::vector<std::string> result;
    if (kind.in_java()) {
        result = {"java",
                  "-Xmx128m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:-UsePerfData",
                  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                  "-Dorg.slf4j.simpleLogger.showDateTime=true",
                  "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                  "-cp",
                  classes_.path().string() + ":" + class_path(kind),
                  std::string{kind.program}};
    } else {
        result = {python, (sources / kind.program).string()};
    }
    result.insert(result.end(), {std::string{reads ? kind.shared_lock : kind.lock}, servers, path,
                                 std::to_string(timeout.count()), counter.string()});
    return result;
}

} // namespace turnstile::interop

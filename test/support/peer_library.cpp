// SPDX-License-Identifier: BSL-1.0
#include "peer_library.hpp"

#include "child_process.hpp"
#include "file_text.hpp"

#include <chrono>
#include <stdexcept>
#include <system_error>

namespace turnstile::test {

namespace {

struct jar {
    std::string file;
    std::string package;
};

/// The jars of a library in Java. (What zookeeper.jar needs itself, its manifest names.)
std::vector<jar> jars_of(peer_library library) {
    std::vector<jar> result;
    const auto add = [&result](const std::string& name, const char* package) {
        result.push_back({"/usr/share/java/" + name + ".jar", package});
    };
    if (library == peer_library::zookeeper_recipe) {
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

std::optional<missing_part> missing_in_python() {
    const missing_part kazoo{"Kazoo for " + std::string{debian_python}, "python3-kazoo"};
    try {
        child_process import{{.argv = {debian_python, "-c", "import kazoo.recipe.lock"}}};
        if (!import.wait_for_end(std::chrono::seconds{30}) || import.exit_status() != 0)
            return kazoo;
    } catch (const std::system_error&) {
        return kazoo;
    }
    return std::nullopt;
}

} // namespace

std::optional<missing_part> missing_part_of(peer_library library) {
    if (library == peer_library::kazoo)
        return missing_in_python();
    for (const auto& [file, package] : jars_of(library))
        if (!std::filesystem::exists(file))
            return missing_part{file, package};
    try {
        child_process compiler{{.argv = {"javac", "-version"}}};
        (void)compiler.wait_for_end(std::chrono::seconds{30});
    } catch (const std::system_error&) {
        return missing_part{"javac", "default-jdk-headless"};
    }
    return std::nullopt;
}

std::string class_path_of(peer_library library) {
    std::string result;
    for (const auto& [file, package] : jars_of(library))
        result += (result.empty() ? "" : ":") + file;
    return result;
}

void compile_java(peer_library library, const std::vector<std::filesystem::path>& sources,
                  const std::filesystem::path& classes) {
    std::vector<std::string> argv{"javac", "-d", classes.string(), "-cp", class_path_of(library)};
    for (const auto& each : sources)
        argv.push_back(each.string());
    const auto log = classes / "javac.log";
    child_process compiler{{.argv = argv, .output_file = log}};
    if (!compiler.wait_for_end(std::chrono::seconds{120}) || compiler.exit_status() != 0)
        throw std::runtime_error{"javac: " + file_text(log)};
}

} // namespace turnstile::test

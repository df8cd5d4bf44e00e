// SPDX-License-Identifier: BSL-1.0
#include "certificates.hpp"

#include "child_process.hpp"
#include "file_text.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace turnstile::test {
namespace {

void openssl(std::vector<std::string> arguments, const std::filesystem::path& folder) {
    arguments.insert(arguments.begin(), "openssl");
    const auto log = folder / "openssl.log";
    child_process program{
        {.argv = std::move(arguments), .working_folder = folder, .output_file = log}};
    if (!program.wait_for_end(std::chrono::seconds{30}) || program.exit_status() != 0)
        throw std::runtime_error{"openssl failed:\n" + file_text(log)};
}

const std::vector<std::string> new_key{"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                                       "-nodes"};

} // namespace

certificates::certificates() {
    make_authority("ca");
    make_authority("other");
    issue({.name = "server"});
    issue({.name = "client", .host = "worker.example.org"});
}

void certificates::make_authority(const std::string& name) const {
    std::vector<std::string> arguments{"req",   "-x509",       "-days",   "2",
                                       "-subj", "/CN=" + name, "-keyout", name + ".key",
                                       "-out",  name + ".pem"};
    arguments.insert(arguments.end(), new_key.begin(), new_key.end());
    openssl(arguments, folder_.path());
}

void certificates::issue(const subject& what) const {
    const auto& name = what.name;
    std::vector<std::string> request{
        "req",        "-subj",       what.subject.empty() ? "/CN=" + name : what.subject,
        "-keyout",    name + ".key", "-out",
        name + ".csr"};
    request.insert(request.end(), new_key.begin(), new_key.end());
    openssl(request, folder_.path());
    std::ofstream{folder_.path() / (name + ".ext")} << "subjectAltName=DNS:" << what.host
                                                    << ",IP:127.0.0.1\n";
    openssl({"x509", "-req", "-days", std::to_string(what.days), "-in", name + ".csr", "-CA",
             what.authority + ".pem", "-CAkey", what.authority + ".key", "-CAcreateserial",
             "-extfile", name + ".ext", "-out", name + ".pem"},
            folder_.path());
}

std::string certificates::file(const std::string& name, const char* extension) const {
    return folder_.path() / (name + extension);
}

std::string certificates::store(const std::string& name) const {
    const auto result = file(name, ".store");
    std::ofstream{result} << file_text(file(name, ".key")) << file_text(file(name));
    return result;
}

} // namespace turnstile::test

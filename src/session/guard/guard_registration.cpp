// SPDX-License-Identifier: BSL-1.0
#include "session/guard/guard_registration.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace turnstile::detail {

namespace {

constexpr std::size_t most_descriptors = 16;
constexpr std::uintmax_t most_file_bytes = 1024 * 1024; // that a guard takes

int process_descriptor(pid_t process) {
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); // close-on-exec
}

std::string text_of(std::string_view option, const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error("tls." + std::string(option) + " = \"" + file.string() +
                                 "\" cannot be sent there: " + why);
    };
    std::error_code failed; // also if it is no regular file
    const auto size = std::filesystem::file_size(file, failed);
    if (failed)
        refuse(failed.message());
    if (size > most_file_bytes)
        refuse("it has more than " + std::to_string(most_file_bytes) + " bytes");
    std::string text(size, '\0');
    if (!std::ifstream(file, std::ios::binary)
             .read(text.data(), static_cast<std::streamsize>(size)))
        refuse(std::generic_category().message(errno));
    return text;
}

/// As OpenSSL looks for them: by eight digits, a dot and a number.
std::string text_of_folder(std::string_view option, const std::filesystem::path& folder) {
    std::string all;
    for (const auto& each : std::filesystem::directory_iterator(folder))
        if (each.path().filename().string().find_first_not_of("0123456789abcdef") == 8 &&
            each.path().filename().string()[8] == '.')
            all += text_of(option, each.path()) + '\n';
    return all;
}

} // namespace

guard_registration::guard_registration() : text_("turnstile guard 2 register\ndescriptors") {
    descriptors_.reserve(most_descriptors);
}

// By the other constructor first: then the destructor closes what is open if this throws.
guard_registration::guard_registration(const session_key& key, const std::vector<pid_t>& others)
    : guard_registration() {
    auto told = key;
    add("process", process_descriptor(::getpid()));
    for (const auto each : others)
        if (const int found = process_descriptor(each); found >= 0 || errno != ESRCH)
            add("process", found); // one that is gone need not be waited for
    if (told.tls)
        add_files(*told.tls);
    text_ += '\n' + told.str();
}

guard_registration::~guard_registration() {
    for (const int each : descriptors_)
        ::close(each);
    ::explicit_bzero(text_.data(), text_.size());
}

void guard_registration::add(const std::string& role, int descriptor) {
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(),
                                role == "process" ? "pidfd_open" : "memfd_create");
    descriptors_.push_back(descriptor); // there is room
    text_.append(" ").append(role);
}

void guard_registration::add_copy(const std::string& role, std::string_view text) {
    add(role, ::memfd_create(role.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    constexpr int unchanging = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::write(descriptors_.back(), text.data(), text.size()) !=
            static_cast<ssize_t>(text.size()) ||
        ::fcntl(descriptors_.back(), F_ADD_SEALS, unchanging) != 0)
        throw std::system_error(errno, std::generic_category(), "no memory for a copy");
}

// Their names leave the options, and so the message. A file and a folder of authorities are one.
void guard_registration::add_files(tls_options& of) {
    std::map<std::string, std::string> by_role;
    for (const auto& [name, value, is_path] : tls_options::texts)
        if (is_path && !(of.*value).empty()) {
            const auto path = std::exchange(of.*value, {});
            auto& all = by_role[std::string(name.substr(0, name.find('_')))];
            all +=
                name.ends_with("_folder") ? text_of_folder(name, path) : text_of(name, path) + '\n';
        }
    for (const auto& [role, text] : by_role)
        if (!text.empty()) // a folder may have none
            add_copy(role, text);
}

} // namespace turnstile::detail

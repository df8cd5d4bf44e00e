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

// The guard takes no more in one message, and no larger file.
constexpr std::size_t most_descriptors = 16;
constexpr std::uintmax_t most_file_bytes = 1024 * 1024;

int process_descriptor(pid_t process) {
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); // close-on-exec
}

[[noreturn]] void refuse(std::string_view option, const std::filesystem::path& file,
                         const std::string& why) {
    throw std::runtime_error("tls." + std::string(option) + " = \"" + file.string() +
                             "\" cannot be sent there: " + why);
}

std::string read_file(std::string_view option, const std::filesystem::path& file) {
    std::error_code failed; // also if this is no regular file
    const auto size = std::filesystem::file_size(file, failed);
    if (failed)
        refuse(option, file, failed.message());
    if (size > most_file_bytes)
        refuse(option, file, "it has more than " + std::to_string(most_file_bytes) + " bytes");
    std::string text(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in)
        refuse(option, file, std::generic_category().message(errno));
    if (!in.read(text.data(), static_cast<std::streamsize>(size)))
        refuse(option, file,
               in.eof() ? "it became shorter while it was read" : "it cannot be read");
    return text;
}

/// Joins the files whose names begin as `openssl rehash` makes them: with eight hexadecimal digits
/// and a dot. OpenSSL reads no other file of the folder.
std::string read_folder(std::string_view option, const std::filesystem::path& folder) {
    std::string texts;
    std::error_code failed;
    const std::filesystem::directory_iterator files(folder, failed);
    if (failed)
        refuse(option, folder, failed.message());
    for (const auto& each : files) {
        const auto name = each.path().filename().string();
        if (name.find_first_not_of("0123456789abcdef") == 8 && name[8] == '.')
            texts += read_file(option, each.path()) + '\n';
    }
    return texts;
}

} // namespace

guard_registration::guard_registration() : text_("turnstile guard 2 register\ndescriptors") {
    descriptors_.reserve(most_descriptors);
}

// The other constructor comes first. So if this one throws, the destructor still runs, and closes
// the descriptors.
guard_registration::guard_registration(const session_key& key, const std::vector<pid_t>& others)
    : guard_registration() {
    auto key_to_send = key;
    add("process", process_descriptor(::getpid()));
    for (const auto each : others)
        if (const int process = process_descriptor(each); process >= 0 || errno != ESRCH)
            add("process", process); // a process that is gone (ESRCH) is left out
    if (key_to_send.tls)
        add_files(*key_to_send.tls);
    text_ += '\n' + key_to_send.str();
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
    descriptors_.push_back(descriptor); // does not throw: the room is reserved
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

// The role is the first word of the option. So the file and the folder of authorities are one copy.
void guard_registration::add_files(tls_options& options) {
    std::map<std::string, std::string> by_role;
    for (const auto& [name, value, is_path] : tls_options::texts)
        if (is_path && !(options.*value).empty()) {
            const auto path = std::exchange(options.*value, {});
            auto& text = by_role[std::string(name.substr(0, name.find('_')))];
            text +=
                name.ends_with("_folder") ? read_folder(name, path) : read_file(name, path) + '\n';
        }
    for (const auto& [role, text] : by_role)
        if (!text.empty()) // a folder may have no such file
            add_copy(role, text);
}

} // namespace turnstile::detail

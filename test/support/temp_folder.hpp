// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::test {

/// A new private folder in the system's temporary folder. The destructor removes it with all in it.
class temp_folder {
public:
    explicit temp_folder(std::string_view prefix) {
        std::string name =
            (std::filesystem::temp_directory_path() / std::string{prefix}).string() + "XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            throw std::system_error{errno, std::generic_category(), "mkdtemp " + name};
        path_ = name;
    }
    temp_folder(const temp_folder&) = delete;
    temp_folder& operator=(const temp_folder&) = delete;
    ~temp_folder() {
        // A folder that cannot be removed is no reason for a test to fail.
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace turnstile::test

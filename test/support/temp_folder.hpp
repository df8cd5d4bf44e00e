// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <string_view>

namespace turnstile::test {

/// A fresh private folder under the system's temporary folder, removed with its content at the end.
class temp_folder {
public:
    explicit temp_folder(std::string_view prefix);
    temp_folder(const temp_folder&) = delete;
    temp_folder& operator=(const temp_folder&) = delete;
    ~temp_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace turnstile::test

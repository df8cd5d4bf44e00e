// SPDX-License-Identifier: BSL-1.0
#include "temp_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace turnstile::test {

temp_folder::temp_folder(std::string_view prefix) {
    std::string name =
        (std::filesystem::temp_directory_path() / std::string{prefix}).string() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error{errno, std::generic_category(), "mkdtemp " + name};
    path_ = name;
}

temp_folder::~temp_folder() {
    // A folder that cannot be removed is not worth failing a test for.
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace turnstile::test

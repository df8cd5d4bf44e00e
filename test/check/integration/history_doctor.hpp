// SPDX-License-Identifier: BSL-1.0
// Changes one process's history of a run, so that a test can see what the checker says to it.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// The text of a file.
inline std::string content(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// Writes a file anew.
inline void put(const std::filesystem::path& file, const std::string& text) {
    std::ofstream{file, std::ios::binary} << text;
}

/// The lines of one file history/NAME.jsonl. A test changes them, and writes them back by save().
/// An unchanged copy can be saved later, to restore the file.
class history_doctor {
public:
    history_doctor(const std::filesystem::path& folder, const std::string& name)
        : file_{folder / "history" / (name + ".jsonl")} {
        std::istringstream in{content(file_)};
        for (std::string line; std::getline(in, line);)
            lines.push_back(boost::json::parse(line).as_object());
    }
    void save() const {
        std::string text;
        for (const auto& l : lines)
            text += boost::json::serialize(l) + '\n';
        put(file_, text);
    }
    /// The n-th line of a kind, counted from 0.
    boost::json::object& nth(const std::string& kind, std::size_t n) {
        for (auto& l : lines)
            if (std::string_view{l.at("k").as_string()} == kind && n-- == 0)
                return l;
        throw std::logic_error{"no such line"};
    }

    std::vector<boost::json::object> lines; ///< each has its kind in the field "k"

private:
    std::filesystem::path file_;
};

} // namespace turnstile::test

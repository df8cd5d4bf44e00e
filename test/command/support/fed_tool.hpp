// SPDX-License-Identifier: BSL-1.0
// A command that reads its standard input.
#pragma once

#include "tool.hpp"

#include "support/pch.hpp"
#include "support/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// Its input lasts until it is ended here.
class fed_tool {
public:
    explicit fed_tool(const std::vector<std::string>& arguments, tool::options how = {}) {
        std::array<int, 2> ends{};
        REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
        const unique_fd read_end{ends[0]};
        input_ = unique_fd{ends[1]};
        how.pipe = read_end.get();
        tool_.emplace(arguments, std::move(how));
    }

    tool* operator->() { return &*tool_; }
    void end_input() { input_.reset(); }
    /// Waits until the standard output has that.
    void await_word(const std::string& text,
                    std::source_location where = std::source_location::current()) {
        await([&] { return tool_->output().find(text) != std::string::npos; },
              std::chrono::seconds{40}, where);
    }

private:
    unique_fd input_;
    std::optional<tool> tool_;
};

} // namespace turnstile::test

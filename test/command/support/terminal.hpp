// SPDX-License-Identifier: BSL-1.0
// A terminal that nobody sits at.
#pragma once

#include "support/unique_fd.hpp"

#include <string>
#include <string_view>

namespace turnstile::test {

class terminal {
public:
    explicit terminal(unsigned short columns = 80);

    int inside() const noexcept { return inside_.get(); } ///< the program's end
    std::string name() const;                             ///< of that end

    void resize(unsigned short columns);
    void type(std::string_view keys);
    /// All that was written to it so far.
    const std::string& screen();

private:
    unique_fd outside_;
    unique_fd inside_;
    std::string screen_;
};

} // namespace turnstile::test

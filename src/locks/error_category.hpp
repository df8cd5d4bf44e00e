// SPDX-License-Identifier: BSL-1.0
// The category of Turnstile's own codes.
#pragma once

#include <boost/system/error_category.hpp>

#include <string>

namespace turnstile::detail {

/// Categories with one id are one category, whatever the address.
class turnstile_error_category : public boost::system::error_category {
public:
    turnstile_error_category() : error_category(0x6c2f0d4e91b75a31) {}
    const char* name() const noexcept override { return "turnstile"; }
    std::string message(int value) const override;
};

} // namespace turnstile::detail

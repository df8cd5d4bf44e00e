#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace turnstile::bench {

double sample::percentile(double share) const {
    if (times_.empty())
        return 0;
    auto sorted = times_;
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    const auto nth =
        sorted.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return *nth;
}

} // namespace turnstile::bench

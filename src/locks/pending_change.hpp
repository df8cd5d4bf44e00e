// An operation on a semaphore that takes no lease, in progress.
#pragma once

#include "locks/completion.hpp"
#include "locks/lock_record.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/time/instant.hpp"

#include <turnstile/error.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace turnstile::detail {

/// Its handler takes the limit, or the code alone.
class pending_change {
public:
    using plain = pending_operation<error_code>;
    using with_limit = pending_operation<error_code, std::uint32_t>;

    template <class Operation>
    pending_change(Operation&& waiting, std::shared_ptr<lock_record> of,
                   protocol::semaphore_change what, protocol::instant began)
        : waiting_(std::forward<Operation>(waiting)),
          of_(std::move(of)),
          what_(std::move(what)),
          began_(began) {}

    protocol::semaphore_change& what() { return what_; }
    const std::shared_ptr<lock_record>& of() const { return of_; }
    protocol::instant began() const { return began_; }
    /// To be filled before complete() where it fails; null where nobody asks.
    diagnostics* told() const {
        return std::visit([](const auto& waiting) { return waiting.told(); }, waiting_);
    }

    void complete(const home_executor& home, error_code result, std::uint32_t limit) && {
        if (auto* const asked = std::get_if<with_limit>(&waiting_))
            std::move(*asked).complete(home, result, limit);
        else
            std::move(std::get<plain>(waiting_)).complete(home, result);
    }

private:
    std::variant<plain, with_limit> waiting_;
    std::shared_ptr<lock_record> of_;
    protocol::semaphore_change what_;
    protocol::instant began_;
};

} // namespace turnstile::detail

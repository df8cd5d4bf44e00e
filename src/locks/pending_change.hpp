// SPDX-License-Identifier: BSL-1.0
// An operation on a path that takes no place there, in progress.
#pragma once

#include "locks/completion.hpp"
#include "locks/lock_record.hpp"
#include "locks/participant_view.hpp"
#include "protocol/inspect/access_probe.hpp"
#include "protocol/inspect/child_listing.hpp"
#include "protocol/inspect/semaphore_change.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/time/instant.hpp"

#include <turnstile/error.hpp>
#include <turnstile/path_access.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace turnstile::detail {

/// Its handler takes the code, and what the operation was to find out.
class pending_change {
public:
    using plain = pending_operation<error_code>;
    using with_limit = pending_operation<error_code, std::uint32_t>;
    using with_names = pending_operation<error_code, std::vector<std::string>>;
    using with_access = pending_operation<error_code, path_access>;
    using wish = std::variant<protocol::semaphore_change, protocol::ticket_removal,
                              protocol::child_listing, protocol::access_probe>;

    template <class Operation>
    pending_change(Operation&& waiting, std::shared_ptr<lock_record> of, wish what,
                   protocol::instant began)
        : waiting_(std::forward<Operation>(waiting)),
          of_(std::move(of)),
          what_(std::move(what)),
          began_(began) {}

    /// Null where it is about something else.
    protocol::semaphore_change* of_semaphore() {
        return std::get_if<protocol::semaphore_change>(&what_);
    }
    // As semaphore_change has them.
    protocol::request question() const {
        return std::visit([](const auto& what) { return what.question(); }, what_);
    }
    void on_answer(const protocol::reply& answer) {
        std::visit([&](auto& what) { what.on_answer(answer); }, what_);
    }
    bool over() const {
        return std::visit([](const auto& what) { return what.over(); }, what_);
    }
    protocol::failure why() const {
        return std::visit([](const auto& what) { return what.why(); }, what_);
    }
    protocol::zookeeper_code code() const {
        return std::visit([](const auto& what) { return what.code(); }, what_);
    }

    const std::shared_ptr<lock_record>& of() const { return of_; }
    protocol::instant began() const { return began_; }
    /// To be filled before complete() where it fails; null where nobody asks.
    diagnostics* told() const {
        return std::visit([](const auto& waiting) { return waiting.told(); }, waiting_);
    }

    void complete(const home_executor& home, error_code result, std::uint32_t limit) && {
        if (auto* const asked = std::get_if<with_limit>(&waiting_))
            std::move(*asked).complete(home, result, limit);
        else if (auto* const listing = std::get_if<with_names>(&waiting_))
            std::move(*listing).complete(home, result,
                                         std::get<protocol::child_listing>(what_).take());
        else if (auto* const probing = std::get_if<with_access>(&waiting_))
            std::move(*probing).complete(home, result,
                                         to_access(std::get<protocol::access_probe>(what_).take()));
        else
            std::move(std::get<plain>(waiting_)).complete(home, result);
    }

private:
    std::variant<plain, with_limit, with_names, with_access> waiting_;
    std::shared_ptr<lock_record> of_;
    wish what_;
    protocol::instant began_;
};

} // namespace turnstile::detail

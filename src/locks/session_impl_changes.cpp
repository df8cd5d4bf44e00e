// SPDX-License-Identifier: BSL-1.0
// Operations on a path that take no place there. Of a semaphore its limit is read or set, or all of
// it is removed. Of any lock a ticket or lease is deleted. Of any node the children or the
// session's rights are asked for.
//
// Each question of one is an inquiry, or a look-up, under the id of the operation: it has one at a
// time. All count from its beginning, so that one that servers never carry out ends.
#include "locks/failure_codes.hpp"
#include "locks/lease_view.hpp"
#include "locks/option_check.hpp"
#include "locks/session_impl_entry.hpp"

#include <boost/asio/error.hpp>

#include <utility>
#include <variant>

namespace turnstile::detail {

namespace {

error_code fault_of_node(const std::string& path) {
    return path == "/" ? error_code() : check_path(path);
}

} // namespace

template <class... Results>
void session_impl::begin_change(pending_change::wish what, const error_code& bad,
                                std::shared_ptr<lock_record> of,
                                erased_handler<void(error_code, Results...)> handler) {
    const auto id = next_id();
    tell_path(handler.told, of->path);
    if (refuse(bad ? bad : refusal_of_work(), handler, Results()...))
        return;
    make_cancellable(handler, id);
    enter([id,
           pending = pending_change(pending_of(std::move(handler)), std::move(of), std::move(what),
                                    to_instant(lease_clock::now()))](session_impl& impl) mutable {
        const auto group = pending.of()->group;
        impl.changes_.add(id, group, std::move(pending));
        impl.ask_for_change(id);
    });
}

void session_impl::change(pending_change::wish what, const error_code& bad,
                          std::shared_ptr<lock_record> of, plain_handler handler) {
    const auto semaphore = std::get_if<protocol::semaphore_change>(&what);
    if (semaphore && options_.acl.directories == acl::rule::creator_all)
        semaphore->makes_owned();
    begin_change(std::move(what), bad, std::move(of), std::move(handler));
}

void session_impl::ask_limit(const error_code& bad, std::shared_ptr<lock_record> of,
                             limit_handler handler) {
    auto what = protocol::semaphore_change::reads(of->path);
    begin_change(std::move(what), bad, std::move(of), std::move(handler));
}

void session_impl::children(std::string path, names_handler handler) {
    const auto bad = fault_of_node(path);
    auto of = std::make_shared<lock_record>(path, next_id());
    begin_change(protocol::child_listing(std::move(path)), bad, std::move(of), std::move(handler));
}

void session_impl::access(std::string path, access_handler handler) {
    const auto bad = fault_of_node(path);
    auto of = std::make_shared<lock_record>(path, next_id());
    const bool compares = options_.acl.directories != acl::rule::open;
    begin_change(protocol::access_probe(std::move(path), compares), bad, std::move(of),
                 std::move(handler));
}

void session_impl::ask_for_change(operation_id id) {
    const auto found = changes_.find(id);
    if (!found)
        return; // cancelled
    if (const auto* const what = found->of_semaphore(); what && what->needs_path())
        driver_->look_up_path(
            id, {.path = what->path(), .limit = {}, .leases = 1, .stated_limit = what->limit()},
            found->began());
    else
        driver_->inquire(id, found->question(), found->began());
}

// The machine is at work here: what is asked next is asked in a turn of its own.
void session_impl::continue_change(operation_id id) {
    const auto& what = *changes_.find(id);
    if (what.over())
        end_change(id, what.why(), what.code());
    else
        enter([id](session_impl& impl) { impl.ask_for_change(id); });
}

void session_impl::end_change(operation_id id, protocol::failure why,
                              protocol::zookeeper_code code) {
    auto& ending = *changes_.find(id);
    const auto* const semaphore = ending.of_semaphore();
    const auto limit = why == protocol::failure::none && semaphore ? semaphore->limit() : 0;
    if (why != protocol::failure::none)
        explain(ending.told());
    else if (semaphore && semaphore->is_set())
        ending.of()->limit_set = limit;
    changes_.complete(id, home_, reason_of(why, code), limit);
}

bool session_impl::cancel_change(operation_id id) {
    if (!changes_.contains(id))
        return false;
    driver_->cancel(id); // that ends it, if a question is open
    changes_.complete(id, home_, boost::asio::error::operation_aborted, 0);
    return true;
}

} // namespace turnstile::detail

// What an open request was sent for. Only test builds keep it: it tells states apart, and steers
// nothing.
#pragma once

#include <cstdint>

namespace turnstile::protocol {

/// Each is a place that sends, with a handler of its own.
enum class request_purpose {
    beat,
    find_path,
    make_parent,
    make_path,
    restart_counter,
    enqueue,
    enqueue_company,
    find_predecessor,
    find_reader,
    find_downgraded_before,
    mark_clear,
    list,
    watch_own,
    confirm,
    delete_ticket,
    downgrade,
    find_undowngraded,
    find_downgraded,
    ask_for_upgrade,
    upgrade,
    check_pending_delete,
    recover,
    read_for_recovery,
    rewatch,
    retire_path,
    inquiry,
    create_holder,
    ask_holder,
    examine_holder,
    confirm_holder,
    watch_holder,
    delete_holder,
    find_limit,
    prove_limit,
    look_around,
    make_semaphore,
    try_leases,
    list_leases,
    take_leases,
    confirm_leases,
    watch_lease,
    delete_lease,
    sweep_leases,
};

#ifdef TURNSTILE_MUTANTS
/// With what its handler keeps, unless the request itself tells that.
struct request_origin {
    request_origin(request_purpose the_purpose, std::uint64_t the_subject = 0,
                   std::uint64_t the_epoch = 0)
        : what(the_purpose), subject(the_subject), epoch(the_epoch) {}
    request_purpose what;
    std::uint64_t subject; // a ticket, a pending delete, or the attempt to take leases
    std::uint64_t epoch; // of the ticket; its node's czxid; or how many acquires the queue had seen
};
#else
struct request_origin {
    constexpr request_origin(request_purpose, std::uint64_t = 0, std::uint64_t = 0) {}
};
#endif

} // namespace turnstile::protocol

// Planted bugs, to prove that the tests would find them. Only test builds have them.
#pragma once

namespace turnstile::protocol {

/// Each stands for a rule of the design, left out.
enum class mutant {
    none,
    attempts_overlap,
    beats_not_hurried,
    beats_with_sync,
    cancel_in_flight_leaves_ticket,
    cancel_leaves_ticket,
    changed_session_kept,
    changed_trusted_everywhere,
    connect_limit_ends_acquires,
    czxid_not_looked_at,
    deadline_from_one_write,
    deadline_from_reads,
    deadline_from_receive_time,
    deleted_means_granted,
    denied_not_tried_again,
    denied_outlive_session,
    denied_waiters_kept,
    directory_not_made_again,
    downgrade_hands_over,
    downgrade_taken_for_done,
    downgraded_beside_handles,
    downgraded_lets_writer_in,
    expired_waiters_forgotten,
    fired_watch_inherited,
    first_handle_releases,
    gives_up_place_when_told,
    gives_up_unanswered,
    grant_on_stale_lease,
    grant_unseen,
    grant_when_neighbour_is_missing,
    grant_without_room,
    handshake_proves_lease,
    holder_beside_tickets,
    holder_deleted_by_name,
    holder_known_by_name,
    holder_not_watched,
    holder_waits_for_beats,
    late_holder_kept,
    late_holder_not_looked_for,
    leaving_ticket_is_neighbour,
    limit_survives_grant,
    line_not_looked_at,
    looks_all_at_once,
    looks_without_watch,
    loss_not_told_on_expiry,
    loss_told_late,
    marked_clear_while_waiting,
    moments_count_as_proof,
    names_without_incarnation,
    neighbour_granted_on_cancel,
    neighbours_not_passed_on,
    next_of_session_forgotten,
    no_barrier,
    no_looks_after_reconnect,
    no_own_watch_nor_check,
    no_owner_check,
    no_sweep,
    only_first_batch_of_looks,
    own_holder_waited_for,
    own_name_not_looked_for,
    own_unknown_ticket_deleted,
    proofs_survive_connection,
    reader_inherits_reader,
    reader_releases_like_owner,
    refusal_taken_for_release,
    refused_listing_is_empty,
    refused_read_is_foreign,
    release_forgotten_on_loss,
    releases_overtake,
    risk_not_told,
    slow_server_kept,
    string_order,
    throttled_barrier_counts,
    tickets_beside_holder,
    token_is_sequence,
    try_leaves_ticket,
    unarmed_watch_inherited,
    unknown_create_repeated,
    unmarked_reader_trusted,
    unread_is_deleted_by_name,
    watches_survive_connection,
};

#ifdef TURNSTILE_MUTANTS
/// The bug that is switched on, if any.
struct mutation {
    mutant active = mutant::none;
    bool is(mutant which) const { return active == which; }
};
#else
struct mutation {
    static constexpr bool is(mutant) { return false; }
};
#endif

} // namespace turnstile::protocol

// The planted bugs by name.
#pragma once

#include "protocol/mutation.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace turnstile::test {

inline constexpr std::array mutants{
    std::pair{std::string_view{"attempts_overlap"}, protocol::mutant::attempts_overlap},
    std::pair{std::string_view{"beats_not_hurried"}, protocol::mutant::beats_not_hurried},
    std::pair{std::string_view{"beats_with_sync"}, protocol::mutant::beats_with_sync},
    std::pair{std::string_view{"cancel_in_flight_leaves_ticket"},
              protocol::mutant::cancel_in_flight_leaves_ticket},
    std::pair{std::string_view{"cancel_leaves_ticket"}, protocol::mutant::cancel_leaves_ticket},
    std::pair{std::string_view{"changed_session_kept"}, protocol::mutant::changed_session_kept},
    std::pair{std::string_view{"changed_trusted_everywhere"},
              protocol::mutant::changed_trusted_everywhere},
    std::pair{std::string_view{"connect_limit_ends_acquires"},
              protocol::mutant::connect_limit_ends_acquires},
    std::pair{std::string_view{"czxid_not_looked_at"}, protocol::mutant::czxid_not_looked_at},
    std::pair{std::string_view{"deadline_from_one_write"},
              protocol::mutant::deadline_from_one_write},
    std::pair{std::string_view{"deadline_from_reads"}, protocol::mutant::deadline_from_reads},
    std::pair{std::string_view{"deadline_from_receive_time"},
              protocol::mutant::deadline_from_receive_time},
    std::pair{std::string_view{"deleted_means_granted"}, protocol::mutant::deleted_means_granted},
    std::pair{std::string_view{"denied_not_tried_again"}, protocol::mutant::denied_not_tried_again},
    std::pair{std::string_view{"denied_outlive_session"}, protocol::mutant::denied_outlive_session},
    std::pair{std::string_view{"denied_waiters_kept"}, protocol::mutant::denied_waiters_kept},
    std::pair{std::string_view{"directory_not_made_again"},
              protocol::mutant::directory_not_made_again},
    std::pair{std::string_view{"downgrade_hands_over"}, protocol::mutant::downgrade_hands_over},
    std::pair{std::string_view{"downgrade_taken_for_done"},
              protocol::mutant::downgrade_taken_for_done},
    std::pair{std::string_view{"downgraded_beside_handles"},
              protocol::mutant::downgraded_beside_handles},
    std::pair{std::string_view{"downgraded_lets_writer_in"},
              protocol::mutant::downgraded_lets_writer_in},
    std::pair{std::string_view{"expired_waiters_forgotten"},
              protocol::mutant::expired_waiters_forgotten},
    std::pair{std::string_view{"fired_watch_inherited"}, protocol::mutant::fired_watch_inherited},
    std::pair{std::string_view{"first_handle_releases"}, protocol::mutant::first_handle_releases},
    std::pair{std::string_view{"gives_up_place_when_told"},
              protocol::mutant::gives_up_place_when_told},
    std::pair{std::string_view{"gives_up_unanswered"}, protocol::mutant::gives_up_unanswered},
    std::pair{std::string_view{"grant_on_stale_lease"}, protocol::mutant::grant_on_stale_lease},
    std::pair{std::string_view{"grant_unseen"}, protocol::mutant::grant_unseen},
    std::pair{std::string_view{"grant_when_neighbour_is_missing"},
              protocol::mutant::grant_when_neighbour_is_missing},
    std::pair{std::string_view{"grant_without_room"}, protocol::mutant::grant_without_room},
    std::pair{std::string_view{"handshake_proves_lease"}, protocol::mutant::handshake_proves_lease},
    std::pair{std::string_view{"holder_beside_tickets"}, protocol::mutant::holder_beside_tickets},
    std::pair{std::string_view{"holder_deleted_by_name"}, protocol::mutant::holder_deleted_by_name},
    std::pair{std::string_view{"holder_known_by_name"}, protocol::mutant::holder_known_by_name},
    std::pair{std::string_view{"holder_not_watched"}, protocol::mutant::holder_not_watched},
    std::pair{std::string_view{"holder_waits_for_beats"}, protocol::mutant::holder_waits_for_beats},
    std::pair{std::string_view{"late_holder_kept"}, protocol::mutant::late_holder_kept},
    std::pair{std::string_view{"late_holder_not_looked_for"},
              protocol::mutant::late_holder_not_looked_for},
    std::pair{std::string_view{"leaving_ticket_is_neighbour"},
              protocol::mutant::leaving_ticket_is_neighbour},
    std::pair{std::string_view{"limit_survives_grant"}, protocol::mutant::limit_survives_grant},
    std::pair{std::string_view{"line_not_looked_at"}, protocol::mutant::line_not_looked_at},
    std::pair{std::string_view{"looks_all_at_once"}, protocol::mutant::looks_all_at_once},
    std::pair{std::string_view{"looks_without_watch"}, protocol::mutant::looks_without_watch},
    std::pair{std::string_view{"loss_not_told_on_expiry"},
              protocol::mutant::loss_not_told_on_expiry},
    std::pair{std::string_view{"loss_told_late"}, protocol::mutant::loss_told_late},
    std::pair{std::string_view{"marked_clear_while_waiting"},
              protocol::mutant::marked_clear_while_waiting},
    std::pair{std::string_view{"moments_count_as_proof"}, protocol::mutant::moments_count_as_proof},
    std::pair{std::string_view{"names_without_incarnation"},
              protocol::mutant::names_without_incarnation},
    std::pair{std::string_view{"neighbour_granted_on_cancel"},
              protocol::mutant::neighbour_granted_on_cancel},
    std::pair{std::string_view{"neighbours_not_passed_on"},
              protocol::mutant::neighbours_not_passed_on},
    std::pair{std::string_view{"next_of_session_forgotten"},
              protocol::mutant::next_of_session_forgotten},
    std::pair{std::string_view{"no_barrier"}, protocol::mutant::no_barrier},
    std::pair{std::string_view{"no_looks_after_reconnect"},
              protocol::mutant::no_looks_after_reconnect},
    std::pair{std::string_view{"no_own_watch_nor_check"}, protocol::mutant::no_own_watch_nor_check},
    std::pair{std::string_view{"no_owner_check"}, protocol::mutant::no_owner_check},
    std::pair{std::string_view{"no_sweep"}, protocol::mutant::no_sweep},
    std::pair{std::string_view{"only_first_batch_of_looks"},
              protocol::mutant::only_first_batch_of_looks},
    std::pair{std::string_view{"own_holder_waited_for"}, protocol::mutant::own_holder_waited_for},
    std::pair{std::string_view{"own_name_not_looked_for"},
              protocol::mutant::own_name_not_looked_for},
    std::pair{std::string_view{"own_unknown_ticket_deleted"},
              protocol::mutant::own_unknown_ticket_deleted},
    std::pair{std::string_view{"proofs_survive_connection"},
              protocol::mutant::proofs_survive_connection},
    std::pair{std::string_view{"reader_inherits_reader"}, protocol::mutant::reader_inherits_reader},
    std::pair{std::string_view{"reader_releases_like_owner"},
              protocol::mutant::reader_releases_like_owner},
    std::pair{std::string_view{"refusal_taken_for_release"},
              protocol::mutant::refusal_taken_for_release},
    std::pair{std::string_view{"refused_listing_is_empty"},
              protocol::mutant::refused_listing_is_empty},
    std::pair{std::string_view{"refused_read_is_foreign"},
              protocol::mutant::refused_read_is_foreign},
    std::pair{std::string_view{"release_forgotten_on_loss"},
              protocol::mutant::release_forgotten_on_loss},
    std::pair{std::string_view{"releases_overtake"}, protocol::mutant::releases_overtake},
    std::pair{std::string_view{"risk_not_told"}, protocol::mutant::risk_not_told},
    std::pair{std::string_view{"slow_server_kept"}, protocol::mutant::slow_server_kept},
    std::pair{std::string_view{"string_order"}, protocol::mutant::string_order},
    std::pair{std::string_view{"throttled_barrier_counts"},
              protocol::mutant::throttled_barrier_counts},
    std::pair{std::string_view{"tickets_beside_holder"}, protocol::mutant::tickets_beside_holder},
    std::pair{std::string_view{"token_is_sequence"}, protocol::mutant::token_is_sequence},
    std::pair{std::string_view{"try_leaves_ticket"}, protocol::mutant::try_leaves_ticket},
    std::pair{std::string_view{"unarmed_watch_inherited"},
              protocol::mutant::unarmed_watch_inherited},
    std::pair{std::string_view{"unknown_create_repeated"},
              protocol::mutant::unknown_create_repeated},
    std::pair{std::string_view{"unmarked_reader_trusted"},
              protocol::mutant::unmarked_reader_trusted},
    std::pair{std::string_view{"unread_is_deleted_by_name"},
              protocol::mutant::unread_is_deleted_by_name},
    std::pair{std::string_view{"watches_survive_connection"},
              protocol::mutant::watches_survive_connection},
};

inline std::optional<protocol::mutant> mutant_of(std::string_view name) {
    for (const auto& [known, which] : mutants)
        if (known == name)
            return which;
    return std::nullopt;
}

/// Empty where there is none.
inline std::string_view name_of(protocol::mutant planted) {
    for (const auto& [name, which] : mutants)
        if (which == planted)
            return name;
    return {};
}

} // namespace turnstile::test

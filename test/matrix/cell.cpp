#include "cell.hpp"

#include "support/dice.hpp"

#include <utility>

namespace turnstile::matrix {
namespace {

// A connection that ends loses its events, which is a cut. A deleted ticket matters where a
// hand-over follows.
bool is_repetition(const cell& each) {
    if (!each.is_of_event())
        return false;
    const bool ticketless = each.lock->lines.empty();
    return each.at->frame.op != test::op::watch_event || each.after != aftermath::same_server ||
           (each.what == fault::ticket_deletion && ticketless);
}

} // namespace

std::string cell::name() const {
    std::string result;
    for (const auto part : {lock->name, at->name, name_of(what), name_of(after)})
        result.append(result.empty() ? "" : "/").append(part);
    return result;
}

std::string_view cell::obstacle() const {
    const bool first_handshake =
        at->frame.op == test::op::connect && at->from == standing::unconnected;
    const bool server_answers =
        what == fault::cut_after || what == fault::black_hole_back || what == fault::split;
    if (first_handshake && after == aftermath::session_end && !server_answers)
        return "no session to expire: no server has got the request for the first one";
    if (what == fault::split && at->then == second_thought::cancel && at->may_believe())
        return "the answer comes before the second thought";
    if (at->closes() && (after != aftermath::same_server || what == fault::hold_till_back))
        return "a client that closes its session does not come back";
    return {};
}

// A cut keeps back the answer with which it would have been granted the lock.
bool cell::ends_at_server() const {
    const bool unanswered = effect_of(what, after) == effect::cut && !at->stands() &&
                            at->frame.direction == test::direction::to_server && !at->frame.marks();
    return after == aftermath::session_end && (unanswered || !at->may_believe());
}

bool cell::is_timeless() const {
    return ends_at_server() && effect_of(what, after) == effect::cut && !at->stands();
}

bool cell::is_of_event() const {
    return what == fault::lost_event || what == fault::ticket_deletion;
}

std::vector<cell> all_cells() {
    std::vector<cell> result;
    for (const auto& lock : subjects())
        for (const auto& at : lock.steps)
            for (const auto what : faults)
                for (const auto after : aftermaths)
                    result.push_back({&lock, &at, what, after});
    std::erase_if(result, is_repetition);
    return result;
}

std::vector<cell> part_of(std::vector<cell> cells, std::size_t part, std::size_t of,
                          std::uint64_t seed) {
    test::dice draws{seed, "parts of the matrix"};
    for (std::size_t i = cells.size(); i > 1; --i)
        std::swap(cells[i - 1], cells[draws.below(i)]);
    std::vector<cell> result;
    for (std::size_t i = part - 1; i < cells.size(); i += of)
        result.push_back(cells[i]);
    return result;
}

} // namespace turnstile::matrix

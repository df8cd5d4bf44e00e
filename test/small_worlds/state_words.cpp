#include "state_words.hpp"

#include "digest.hpp"
#include "small_numbers.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

namespace turnstile::test {

namespace {

std::uint64_t rank_in(const std::vector<std::uint64_t>& sorted, std::uint64_t value) {
    return static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                      sorted.begin());
}

void sort_out(std::vector<std::uint64_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

state_words::state_words(protocol::instant now, const std::vector<std::size_t>& groups)
    : now_(now), groups_(groups), rows_(groups.size() + 1), ranks_(groups.size()) {
    for (auto& row : rows_)
        row.reserve(256);
}

void state_words::of_client(std::size_t client) { row_ = client + 1; }

void state_words::part(std::string_view name) {
    left_out_ = !forgotten_.empty() && name == forgotten_;
}

void state_words::text(std::string_view value) { number(test::digest{}.add(value).value()); }

void state_words::node(std::string_view path) {
    const auto slash = path.rfind('/') + 1; // 0 where there is none
    const auto last = path.substr(slash);
    const auto with_number = std::string(last) + "0000000000"; // what is to be made has none yet
    auto name = protocol::ticket_name::parse(last);
    if (!name)
        name = protocol::ticket_name::parse(with_number);
    flag(name.has_value());
    if (!name) {
        const auto lease = protocol::lease_name::parse(last);
        const auto made = lease ? lease : protocol::lease_name::parse(with_number);
        flag(made.has_value());
        if (!made)
            return text(path);
        text(path.substr(0, slash));
        return add_lease(*made, lease.has_value());
    }
    text(path.substr(0, slash));
    flag(name->guarded);
    choice(name->kind);
    flag(name->downgraded);
    zxid(name->incarnation);
    number(static_cast<std::uint64_t>(name->sequence));
}

// Of the number it matters only which other leases come before.
void state_words::add_lease(const protocol::lease_name& name, bool has_number) {
    const auto of = static_cast<std::uint64_t>(name.session);
    flag(name.tried);
    zxid(name.incarnation);
    session(name.session);
    add(kind::attempt, ((small_numbers::client_of_session(of) + 1) << client_bits) | name.attempt);
    flag(has_number);
    if (has_number)
        add(kind::lease_number, std::uint64_t{1} + static_cast<std::uint32_t>(name.sequence));
}

void state_words::data(std::string_view of_node) {
    marked(protocol::request_of(of_node));
    flag(protocol::is_marked_clear(of_node));
    number(protocol::parse_limit(of_node).value_or(0));
}

void state_words::ticket(protocol::ticket_id id) {
    constexpr protocol::ticket_id first_place = protocol::ticket_id{1} << 62;
    if (id >= 2 * first_place)
        return number(1); // a session has one semaphore
    if (id > first_place)
        return add(kind::place, of_row(id - first_place));
    if (small_numbers::is_further(id, groups_.size()))
        return add(kind::further, id);
    add(kind::ticket, id);
}

void state_words::children_made(std::string_view path, std::int32_t count) {
    number(path.ends_with(protocol::leases_name) ? 0 : static_cast<std::uint64_t>(count));
}

void state_words::version(std::string_view path, std::int32_t value) {
    if (value < 0)
        return number(0);
    const auto which = test::digest{}.add(path).value() << client_bits;
    add(kind::version, which | (std::uint64_t{1} + static_cast<std::uint32_t>(value)));
}

void state_words::marked(std::string_view request) {
    std::uint64_t id = 0;
    request.remove_prefix(request.rfind('-') + 1);
    std::from_chars(request.data(), request.data() + request.size(), id);
    ticket(id);
}

bool state_words::is_never(protocol::instant when) const {
    return when - now_ >= small_numbers::longest_run;
}

void state_words::at(protocol::instant when) {
    number(is_never(when) ? ~std::uint64_t{0} : static_cast<std::uint64_t>((when - now_).count()));
}

void state_words::since(protocol::instant when, protocol::duration longest) {
    span(std::min(now_ - when, longest));
}

void state_words::rank() {
    for (const auto& row : rows_)
        for (const auto& [what, value] : row) {
            if (value == 0)
                continue;
            switch (what) {
            case kind::zxid:
                zxids_.push_back(value);
                break;
            case kind::version:
                versions_.push_back(value);
                break;
            case kind::lease_number:
                lease_numbers_.push_back(value);
                break;
            case kind::session:
                ranks_[small_numbers::client_of_session(value)].sessions.push_back(value);
                break;
            case kind::connection:
                ranks_[small_numbers::client_of_connection(value)].connections.push_back(value);
                break;
            case kind::further:
                ranks_[small_numbers::client_of_ticket(value, groups_.size())].further.push_back(
                    value);
                break;
            case kind::place:
                ranks_[client_of(value)].places.push_back(value);
                break;
            case kind::attempt:
                ranks_[client_of(value)].attempts.push_back(value);
                break;
            default:
                break;
            }
        }
    sort_out(zxids_);
    sort_out(versions_);
    sort_out(lease_numbers_);
    for (auto& each : ranks_) {
        sort_out(each.sessions);
        sort_out(each.connections);
        sort_out(each.further);
        sort_out(each.places);
        sort_out(each.attempts);
    }
}

std::uint64_t state_words::renamed(const word& which, const std::vector<std::size_t>& place) const {
    const auto value = which.value;
    if (value == 0 || which.what == kind::number)
        return value;
    switch (which.what) {
    case kind::zxid:
    case kind::zxid_beside: { // odd where it is one of the others
        const auto rank = rank_in(zxids_, value);
        const bool is_one = rank < zxids_.size() && zxids_[rank] == value;
        return 1 + 2 * rank + (is_one ? 1 : 0);
    }
    case kind::zxid_before:
        return 1 + zxids_.size() - rank_in(zxids_, value + 1);
    case kind::version: // those of one path stand together
        return 1 + rank_in(versions_, value) -
               rank_in(versions_, value >> client_bits << client_bits);
    case kind::lease_number:
    case kind::lease_number_beside:
        return 1 + rank_in(lease_numbers_, value);
    default:
        return renamed_of_client(which, place);
    }
}

std::uint64_t state_words::renamed_of_client(const word& which,
                                             const std::vector<std::size_t>& place) const {
    constexpr std::uint64_t client_unit = 1000;
    constexpr std::uint64_t first_further = client_unit / 4; // of what a client asks for beside
    constexpr std::uint64_t first_place = client_unit / 2;   // of its places
    const auto value = which.value;
    switch (which.what) {
    case kind::session: {
        const auto client = small_numbers::client_of_session(value);
        return (place[client] + 1) * client_unit + rank_in(ranks_[client].sessions, value);
    }
    case kind::connection: {
        const auto client = small_numbers::client_of_connection(value);
        return (place[client] + 1) * client_unit + rank_in(ranks_[client].connections, value);
    }
    case kind::ticket: {
        const auto client = small_numbers::client_of_ticket(value, groups_.size());
        return (place[client] + 1) * client_unit + (value - 1) / groups_.size();
    }
    case kind::further: {
        const auto client = small_numbers::client_of_ticket(value, groups_.size());
        return (place[client] + 1) * client_unit + first_further +
               rank_in(ranks_[client].further, value);
    }
    case kind::place: {
        const auto client = client_of(value);
        return (place[client] + 1) * client_unit + first_place +
               rank_in(ranks_[client].places, value);
    }
    default: { // an attempt that nothing speaks of has made no lease, and makes none
        const auto client = client_of(value);
        const auto& attempts = ranks_[client].attempts;
        const auto rank = rank_in(attempts, value);
        const bool is_one = rank < attempts.size() && attempts[rank] == value;
        return is_one ? (place[client] + 1) * client_unit + rank : 0;
    }
    }
}

std::uint64_t state_words::digest_of(const std::vector<std::size_t>& order) const {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    test::digest sum;
    const auto add = [&](const std::vector<word>& row) {
        sum.add(row.size());
        for (const auto& each : row)
            sum.add(renamed(each, place));
    };
    add(rows_.front());
    for (const auto client : order)
        add(rows_[client + 1]);
    return sum.value();
}

std::uint64_t state_words::digest() {
    rank();
    std::vector<std::size_t> order(groups_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto keeps_groups = [&] {
        for (std::size_t i = 0; i < order.size(); ++i)
            if (groups_[order[i]] != groups_[i])
                return false;
        return true;
    };
    auto smallest = digest_of(order);
    while (std::next_permutation(order.begin(), order.end()))
        if (keeps_groups())
            smallest = std::min(smallest, digest_of(order));
    return smallest;
}

} // namespace turnstile::test

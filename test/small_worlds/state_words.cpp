#include "state_words.hpp"

#include "digest.hpp"
#include "small_numbers.hpp"

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
    auto name = protocol::ticket_name::parse(path.substr(slash));
    if (!name) // what an enqueue asks for has no sequence yet
        name = protocol::ticket_name::parse(std::string(path.substr(slash)) + "0000000000");
    flag(name.has_value());
    if (!name)
        return text(path);
    text(path.substr(0, slash));
    flag(name->guarded);
    choice(name->kind);
    flag(name->downgraded);
    zxid(name->incarnation);
    number(static_cast<std::uint64_t>(name->sequence));
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
            if (what == kind::zxid)
                zxids_.push_back(value);
            else if (what == kind::session)
                ranks_[small_numbers::client_of_session(value)].sessions.push_back(value);
            else if (what == kind::connection)
                ranks_[small_numbers::client_of_connection(value)].connections.push_back(value);
        }
    sort_out(zxids_);
    for (auto& each : ranks_) {
        sort_out(each.sessions);
        sort_out(each.connections);
    }
}

std::uint64_t state_words::renamed(const word& which, const std::vector<std::size_t>& place) const {
    constexpr std::uint64_t client_unit = 1000;
    const auto value = which.value;
    if (value == 0 || which.what == kind::number)
        return value;
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
    default: { // odd where it is one of the others
        const auto rank = rank_in(zxids_, value);
        const bool is_one = rank < zxids_.size() && zxids_[rank] == value;
        return 1 + 2 * rank + (is_one ? 1 : 0);
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

#include "protocol/queue/line_table.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

namespace {

// Past this many lines they rest for a tenth of the time only.
constexpr std::size_t many_lines = 4096;

} // namespace

line& line_table::at(const std::string& path) {
    auto& entry = lines_[path];
    if (!entry) {
        entry = std::make_unique<line>(core_, path);
        looks_.push_back({.when = core_.now(), .path = path});
        arm();
    }
    return *entry;
}

bool line_table::is_nested(const std::string& path) const {
    if (lines_.contains(path))
        return false;
    for (const auto& parent : parents_of(path))
        if (lines_.contains(parent))
            return true;
    const auto below = lines_.upper_bound(path + '/');
    return below != lines_.end() && below->first.starts_with(path + '/');
}

std::optional<std::string> line_table::busy_path() const {
    for (const auto& [path, entry] : lines_)
        if (!entry->idle())
            return path;
    return std::nullopt;
}

void line_table::admit() {
    if (!std::exchange(core_.bytes_freed, false) || core_.hungry.empty())
        return;
    for (const auto& path : std::vector(core_.hungry.begin(), core_.hungry.end()))
        lines_.at(path)->admit();
}

void line_table::stop() {
    stopped_ = true;
    review_.cancel();
}

duration line_table::rest() const {
    return lines_.size() > many_lines ? core_.options.line_rest / 10 : core_.options.line_rest;
}

void line_table::arm() {
    if (stopped_ || looks_.empty() || retiring_ >= core_.options.look_window)
        return review_.cancel(); // an answer arms it again
    const auto due = looks_.front().when + rest();
    if (!review_.pending() || *review_.due() > due)
        review_.set(due, [this] { review(); });
}

void line_table::review() {
    const auto until = core_.now() - rest();
    while (!looks_.empty() && looks_.front().when <= until &&
           retiring_ < core_.options.look_window) {
        auto next = std::move(looks_.front());
        looks_.pop_front();
        auto& where = *lines_.at(next.path);
        if (where.idle() && next.uses == where.uses()) {
            retire(next.path, where);
            continue;
        }
        next.when = core_.now();
        next.uses = where.idle() ? std::optional{where.uses()} : std::nullopt;
        looks_.push_back(std::move(next));
    }
    arm();
}

void line_table::retire(const std::string& path, line& idle) {
    if (!core_.wire.connected()) {
        if (idle.directory().incarnation())
            looks_.push_back({.when = core_.now(), .path = path});
        else
            lines_.erase(path); // nothing is open, and nothing was made
        return;
    }
    // The answer comes behind all others that this line may still be waiting for.
    const auto op = idle.directory().is_own() ? operation::remove : operation::exists;
    ++retiring_;
    core_.wire.send({.op = op, .path = path}, {purpose::retire_path, 0, idle.uses()},
                    [this, path, op, uses = idle.uses()](const reply& answer) {
                        --retiring_;
                        auto& where = *lines_.at(path);
                        if (op == operation::remove && answer.code == zookeeper_code::ok)
                            where.path_vanished();
                        // Others stand there still: the path is ours to delete, later.
                        const bool over = !outcome_unknown(answer.code) &&
                                          answer.code != zookeeper_code::not_empty;
                        if (over && where.idle() && where.uses() == uses)
                            lines_.erase(path);
                        else
                            looks_.push_back({.when = core_.now(), .path = path});
                        arm();
                    });
}

} // namespace turnstile::protocol

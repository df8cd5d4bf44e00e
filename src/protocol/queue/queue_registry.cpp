#include "protocol/queue/queue_registry.hpp"

#include "protocol/names/lock_path.hpp"

#include <utility>
#include <vector>

namespace turnstile::protocol {

namespace {

// Past this many queues they rest for a tenth of the time only.
constexpr std::size_t many_queues = 4096;

} // namespace

lock_queue& queue_registry::at(const std::string& path, lock_queue::purpose why,
                               ticket_naming naming) {
    auto& entry = queues_[path];
    if (!entry) {
        entry = std::make_unique<lock_queue>(context_, path, why, naming);
        idle_reviews_.push_back({.when = context_.now(), .path = path});
        arm();
    }
    return *entry;
}

bool queue_registry::is_nested(const std::string& path) const {
    if (queues_.contains(path))
        return false;
    for (const auto& parent : parents_of(path))
        if (queues_.contains(parent))
            return true;
    const auto above = path + '/';
    for (auto below = queues_.upper_bound(above);
         below != queues_.end() && below->first.starts_with(above); ++below)
        if (!below->second->is_part())
            return true;
    return false;
}

std::optional<std::string> queue_registry::busy_path() const {
    for (const auto& [path, entry] : queues_)
        if (!entry->idle())
            return path;
    return std::nullopt;
}

void queue_registry::admit() {
    context_.bytes_freed = false;
    for (const auto& path : std::vector(context_.paths_waiting_for_budget.begin(),
                                        context_.paths_waiting_for_budget.end()))
        queues_.at(path)->admit();
}

void queue_registry::stop() {
    stopped_ = true;
    review_.cancel();
}

duration queue_registry::rest() const {
    return queues_.size() > many_queues ? context_.options.queue_rest / 10
                                        : context_.options.queue_rest;
}

void queue_registry::arm() {
    if (stopped_ || idle_reviews_.empty() || retiring_ >= context_.options.rewatch_window)
        return review_.cancel(); // an answer arms it again
    const auto due = idle_reviews_.front().when + rest();
    if (!review_.pending() || *review_.due() > due)
        review_.set(due, [this] { review(); });
}

void queue_registry::review() {
    const auto until = context_.now() - rest();
    while (!idle_reviews_.empty() && idle_reviews_.front().when <= until &&
           retiring_ < context_.options.rewatch_window) {
        auto next = std::move(idle_reviews_.front());
        idle_reviews_.pop_front();
        auto& where = *queues_.at(next.path);
        if (where.idle() && next.uses == where.uses()) {
            retire(next.path, where);
            continue;
        }
        next.when = context_.now();
        next.uses = where.idle() ? std::optional{where.uses()} : std::nullopt;
        idle_reviews_.push_back(std::move(next));
    }
    arm();
}

void queue_registry::retire(const std::string& path, lock_queue& idle) {
    if (!context_.requests.connected()) {
        if (idle.directory().incarnation())
            idle_reviews_.push_back({.when = context_.now(), .path = path});
        else
            queues_.erase(path); // nothing is open, and nothing was made
        return;
    }
    // The answer comes behind all others that this queue may still be waiting for.
    const auto op = idle.directory().is_own() ? operation::remove : operation::exists;
    ++retiring_;
    context_.requests.send({.op = op, .path = path}, [this, path, op,
                                                      uses = idle.uses()](const reply& answer) {
        --retiring_;
        auto& where = *queues_.at(path);
        if (op == operation::remove && answer.code == zookeeper_code::ok)
            where.path_vanished();
        // Others stand there still: the path is ours to delete, later.
        const bool over = !outcome_unknown(answer.code) && answer.code != zookeeper_code::not_empty;
        if (over && where.idle() && where.uses() == uses)
            queues_.erase(path);
        else
            idle_reviews_.push_back({.when = context_.now(), .path = path});
        arm();
    });
}

} // namespace turnstile::protocol

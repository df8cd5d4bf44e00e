// What is there before the unlucky one comes.
#include "scene.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace turnstile::matrix {

void scene::set_up() {
    auto& s = stage_;
    s.open_only({s.home});
    s.first.connect();
    s.last.connect();
    s.until("the lucky sessions are connected",
            [&] { return s.first.connected && s.last.connected; });
    const auto scenery = s.what.at->scenery;
    if (!s.what.lock->parts.empty())
        make_parts();
    else if (scenery == setting::empty_path || is_crowded())
        make_path();
    if (is_crowded())
        make_crowd();
    if (s.what.at->behind_holder && !s.first.user.holds()) {
        s.first.user.acquire();
        s.until("the first one holds the lock", [&] { return s.first.user.holds(); });
    }
    if (scenery == setting::crowd && s.first.user.holds())
        s.until_seen("the first one has marked its ticket", [&] { return is_marked(); });
    if (scenery == setting::gap)
        make_gap();
    if (scenery == setting::behind_last)
        let_last_join();
    if (scenery == setting::crowd)
        s.listed = s.home_proxy().add_rule(
            {.op = test::op::get_children2, .path = s.path, .without = "-lock-", .times = 0});
    if (s.what.at->from == standing::unconnected)
        return;
    s.unlucky.connect();
    s.until("the unlucky session is connected", [&] { return s.unlucky.connected.has_value(); });
}

// The lock path exists, and is empty.
void scene::make_path() {
    auto& s = stage_;
    s.last.user.acquire();
    s.until("the path is made", [&] { return s.last.user.holds(); });
    s.last.user.release();
    s.until("the path is free", [&] { return s.last.is_done(); });
}

// The lock paths of several, but where that is the step.
void scene::make_parts() {
    auto& s = stage_;
    const auto& frame = s.what.at->frame;
    if (frame.op == test::op::create_container)
        return;
    s.make(s.path.substr(0, s.path.rfind('/')));
    s.make(s.path);
    for (const auto& part : s.what.lock->parts) {
        s.make(s.path + part);
        if (part == s.what.lock->semaphore && frame.what != frame_pattern::about::second_path)
            make_semaphore();
    }
}

// By the first one, whose part it is.
void scene::make_semaphore() {
    auto& s = stage_;
    s.first.user.acquire();
    s.until("the semaphore is made", [&] { return s.first.user.holds(); });
    if (s.what.at->behind_holder)
        return;
    s.first.user.release();
    s.until("the semaphore is free", [&] { return s.first.is_done(); });
}

bool scene::is_crowded() const {
    const auto scenery = stage_.what.at->scenery;
    return scenery == setting::crowd || scenery == setting::behind_last;
}

// So many children that a reader marks its ticket. They are no tickets.
void scene::make_crowd() {
    auto& s = stage_;
    constexpr std::size_t many = 8;
    for (; s.crowd < many; ++s.crowd)
        s.make(s.path + "/crowd-" + std::to_string(s.crowd));
}

bool scene::is_marked() {
    auto& s = stage_;
    return std::ranges::any_of(s.eyes.children(s.path), [&](const std::string& name) {
        std::string data;
        s.eyes.client().get(s.path + '/' + name, &data);
        return data.find("clear=1") != std::string::npos;
    });
}

// The sequence before the unlucky one's is gone: its look has to list.
void scene::make_gap() {
    auto& s = stage_;
    s.last.user.acquire();
    s.until_seen("one more is in line", [&] { return s.standing() == 2; });
    s.last.user.cancel();
    s.until("it is cancelled", [&] { return s.last.is_done(); });
    s.until_seen("its ticket is gone", [&] { return s.standing() == 1; });
}

} // namespace turnstile::matrix

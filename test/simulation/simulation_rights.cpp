// SPDX-License-Identifier: BSL-1.0
// Denials of rights on lock paths. Without DELETE a ticket stays until its session ends. Without
// READ no session can find out what became of a create. Without CREATE no writer becomes a reader.
#include "simulation.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;

// The sequence number of a node is the last ten characters of its name.
std::vector<std::string> simulation::sorted_by_sequence(std::vector<std::string> names) {
    constexpr std::size_t digits = 10;
    const auto sequence = [](const std::string& name) {
        return name.size() < digits ? name : name.substr(name.size() - digits);
    };
    std::ranges::sort(names, {}, sequence);
    return names;
}

std::vector<std::string> simulation::folders_of(const std::string& path) {
    if (path != semaphore_path)
        return {path};
    return {path, path + "/leases", path + "/queue"};
}

void simulation::change_right(model_right which, std::set<std::string>& lacking) {
    if (!working_)
        return;
    const auto path = any_path();
    const bool given = one_in(2);
    if (!given)
        lacking.insert(path);
    auto folders = folders_of(path);
    if (which == model_right::read)
        folders.resize(1);
    const auto folder = folders[folders.size() > 1 ? ensemble_.below(folders.size()) : 0];
    if (path != denied() || which == model_right::remove) // another right is denied for good there
        ensemble_.change_right(which, folder, given);
    events_.after(up_to(which == model_right::read ? 300ms : 500ms),
                  [this, which, &lacking] { change_right(which, lacking); });
}

// Gives a right back wherever it is denied, and looks again until it is denied nowhere: while no
// server leads, nothing is given back. Once DELETE is back, sessions delete their nodes without
// another call.
void simulation::give_rights_back(model_right which) {
    rights_lack_ = true;
    bool lacked = false;
    for (const auto& path : paths())
        for (const auto& folder : folders_of(path))
            if (path != denied() && ensemble_.truth().denies(which, folder)) {
                ensemble_.change_right(which, folder, true);
                lacked = true;
            }
    events_.after(250ms, [this, which, lacked] {
        if (lacked)
            return give_rights_back(which);
        rights_lack_ = false;
        if (which == model_right::remove)
            undeletable_.clear();
    });
}

} // namespace turnstile::test

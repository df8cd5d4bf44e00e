#include "limit_hand_off.hpp"

#include "limit_api.hpp"

#include <utility>

namespace turnstile::bench {

limit_hand_off::limit_hand_off(const target& server, std::string directory)
    : directory_(std::move(directory)),
      plain_{.owner = limit_client(server.first()), .watcher = limit_client(server.first())},
      redirected_{.owner = limit_client(server.first(), redirected_api),
                  .watcher = limit_client(server.first(), redirected_api)} {
    plain_.owner.make_directory(directory_);
}

clock::duration limit_hand_off::hand_off(copy& of) {
    const auto start = clock::now();
    const auto taken = limit_client::hand_off(of.owner, of.watcher, directory_);
    spent_ += clock::now() - start;
    ++count_;
    return taken;
}

// Both at once would let the line rest twice as long between hand-offs.
void limit_hand_off::sample_one() {
    sample_of(plain_.times.count() <= redirected_.times.count() ? plain_ : redirected_);
}

void limit_hand_off::sample_both() {
    sample_of(plain_);
    sample_of(redirected_);
}

void limit_hand_off::warm_up() {
    hand_off(plain_);
    hand_off(redirected_);
}

void limit_hand_off::breathe() {
    for (auto* const of : {&plain_, &redirected_}) {
        of->owner.breathe();
        of->watcher.breathe();
    }
}

} // namespace turnstile::bench

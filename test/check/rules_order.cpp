// Rules "token" and "order": who came first, by the clock and by the server.
#include "rules.hpp"

namespace turnstile::check {
namespace {

/// Whether the first ticket has the place after the second in one and the same line.
bool stands_behind(const ticket& first, const ticket& second) {
    return first.place.incarnation && first.place.incarnation == second.place.incarnation &&
           first.place.sequence > second.place.sequence;
}

class lock_order {
public:
    lock_order(const evidence& e, verdict& out) : e_{e}, out_{out} {}

    void grant(const acquire& a) {
        if (e_.excused.cover(a, a.granted)) {
            return; // told late
        }
        if (a.exclusive && last_exclusive_ != nullptr && a.token <= last_exclusive_->token) {
            out_.add("token",
                     e_.describe(a) + ": its token falls, after " + e_.describe(*last_exclusive_));
        }
        overtaken(a, last_exclusive_);
        if (a.exclusive) {
            overtaken(a, last_shared_);
        }
        auto& last = a.exclusive ? last_exclusive_ : last_shared_;
        if (last == nullptr || a.token > last->token) {
            last = &a;
        }
    }

private:
    void overtaken(const acquire& a, const acquire* before) {
        if (before == nullptr) {
            return;
        }
        const auto* const own = e_.book.find(a.lock, a.token);
        const auto* const its = e_.book.find(before->lock, before->token);
        if (own != nullptr && its != nullptr && stands_behind(*its, *own)) {
            out_.add("order",
                     e_.describe(a) + " came first and was served after " + e_.describe(*before));
        }
    }

    const evidence& e_;
    verdict& out_;
    const acquire* last_exclusive_ = nullptr;
    const acquire* last_shared_ = nullptr;
};

} // namespace

void check_order(const evidence& e, verdict& out) {
    for (const auto& grants : e.grants_by_lock) {
        lock_order order{e, out};
        for (const auto* a : grants) {
            order.grant(*a);
        }
    }
}

} // namespace turnstile::check

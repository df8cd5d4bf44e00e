// SPDX-License-Identifier: BSL-1.0
// What has become of a writer that became a reader, or of a reader that tried to become a writer.
#include "support/pch.hpp"
#include "verdicts.hpp"

namespace turnstile::matrix {

// The writer behind goes on waiting, by the journal.
void verdicts::check_downgrade() {
    const auto& user = s_.unlucky.user;
    s_.until("the end of the downgrade is told", [&] { return user.downgrade_result.has_value(); });
    const auto why = *user.downgrade_result;
    expect(!why || (expires() && why == condition::lock_lost), "downgrade: " + text_of(why));
    if (expires())
        return;
    expect(user.lock.is_held(), "a reader has lost its lock for nothing");
    const auto names = s_.eyes.children(s_.path);
    expect(std::ranges::count_if(names,
                                 [](const std::string& name) {
                                     return name.find("-down-read-lock-") != std::string::npos;
                                 }) == 1,
           "a writer became a reader, and its new name is not there");
}

void verdicts::check_upgrade() {
    const auto& user = s_.unlucky.user;
    s_.until("the end of the upgrade is told", [&] { return user.upgrade_result.has_value(); });
    const auto why = *user.upgrade_result;
    const bool lost = expires() && why == condition::lock_lost;
    expect(!why || why == error::would_block || lost, "upgrade: " + text_of(why));
    // A connection that goes before the answer ends it; its old ticket goes after that.
    const bool answered = s_.what.at->frame.what == frame_pattern::about::shared;
    expect(answered == !why, why ? "a reader that is alone stays a reader"
                                 : "an upgrade without an answer is told as done");
    if (!expires() && s_.what.at->keeps())
        check_node_of_upgrade(!why);
}

// One ticket is left, and it is the one whose token the holder has.
void verdicts::check_node_of_upgrade(bool succeeded) {
    const auto& user = s_.unlucky.user;
    const auto own = [&] { return s_.nodes_of(s_.unlucky.line.id()); };
    s_.until_seen("the other ticket of the upgrade is gone", [&] { return own().size() == 1; });
    const auto nodes = own();
    expect(nodes.size() == 1 &&
               static_cast<std::uint64_t>(nodes[0].czxid) == user.lock.fencing_token().czxid(),
           "the token is not that of the ticket that is left");
    std::ptrdiff_t readers = 0;
    for (const auto& name : s_.eyes.children(s_.path))
        if (name.find("-read-lock-") != std::string::npos &&
            s_.eyes.info(s_.path + '/' + name).ephemeral_owner == s_.unlucky.line.id())
            ++readers;
    expect(readers == (succeeded ? 0 : 1), "the ticket that is left is of the other kind");
}

} // namespace turnstile::matrix

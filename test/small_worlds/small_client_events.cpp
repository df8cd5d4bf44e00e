// What the machine of a small world asks of its port, and tells its listener.
#include "small_client.hpp"

#include "small_numbers.hpp"

#include "support/names.hpp"

#include <memory>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::failure;
using protocol::ticket_id;

void small_client::connect(const protocol::connect_request& to) {
    connection_ = std::make_shared<small_connection>();
    connection_->number = small_numbers::connection(number_, ++connections_);
    connection_->up.emplace_back(small_connection::attach{to.session.session_id});
}

void small_client::send(protocol::request_id id, const protocol::request& what) {
    if (!connection_)
        return;
    open_.emplace(id, what);
    if (connection_->open_there)
        connection_->up.emplace_back(small_connection::ask{id, what});
}

void small_client::drop() { drop_asked_ = true; }

void small_client::close_session() {
    if (connection_)
        connection_->up.emplace_back(small_connection::close_session{});
}

void small_client::on_phase(protocol::session_phase) {}

void small_client::on_connect_result(failure) {}

void small_client::on_closed() { closed_ = true; }

void small_client::on_granted(ticket_id id, std::int64_t czxid) {
    if (forsaken_ == session())
        see(id, {.what = happening::excused});
    see(id, {.what = happening::granted, .token = {static_cast<std::uint64_t>(czxid), 0}});
    tell_part(id, happening::granted, failure::none);
}

void small_client::on_acquire_failed(ticket_id id, failure why, protocol::zookeeper_code) {
    see(id,
        {.what = happening::failed,
         .expected = may_fail_.contains(id) || (parts_.contains(id) && why == failure::taken_back),
         .reason = name_of(why)});
    tell_part(id, happening::failed, why);
}

void small_client::on_looked_up(protocol::inquiry_id id, failure why, protocol::zookeeper_code,
                                const protocol::lock_key& key) {
    if (ear_.key)
        ear_.key(id, why, key);
}

void small_client::tell_part(ticket_id id, happening what, failure why) {
    if (parts_.contains(id))
        ear_.part(id, what, why);
}

// Nothing refuses it here: it has no handles, and all rights.
void small_client::on_downgraded(ticket_id id, failure why, protocol::zookeeper_code) {
    if (why != failure::none && stage_of(id) == stage::held)
        see(id, {.what = happening::takes_other, .takes = judge_.lock_of(id).kind.all()});
}

void small_client::on_upgraded(ticket_id id, failure why, protocol::zookeeper_code,
                               std::int64_t czxid) {
    if (why != failure::none || stage_of(id) != stage::held)
        return;
    if (forsaken_ == session())
        see(id, {.what = happening::excused});
    see(id, {.what = happening::takes_other,
             .takes = judge_.lock_of(id).kind.all(),
             .token = {static_cast<std::uint64_t>(czxid), 0}});
}

void small_client::on_lost(ticket_id id, failure why) {
    see(id, {.what = happening::lost});
    tell_part(id, happening::lost, why);
}

void small_client::on_released(ticket_id id, failure, protocol::zookeeper_code) {
    see(id, {.what = happening::released});
}

} // namespace turnstile::test

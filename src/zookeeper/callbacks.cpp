#include "zookeeper/callbacks.hpp"

#include <zookeeper/zookeeper.h>

#include <cstring>
#include <utility>

namespace turnstile::zookeeper {

connection* callbacks::current = nullptr;

protocol::node_stat callbacks::convert(const Stat* stat) {
    if (!stat)
        return {};
    return {.czxid = stat->czxid,
            .mzxid = stat->mzxid,
            .ephemeral_owner = stat->ephemeralOwner,
            .children = stat->numChildren};
}

const void* callbacks::context_of(protocol::request_id id) {
    static_assert(sizeof(id) <= sizeof(std::uintptr_t));
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(id)); // NOLINT: a number
}

void callbacks::note(int rc, const void* context, protocol::reply answer) {
    answer.code = static_cast<protocol::zookeeper_code>(rc);
    // Whoever lost the connection learns that from its end, for all requests at once.
    if (current && !protocol::outcome_unknown(answer.code))
        current->events_.emplace_back(
            reply_event{reinterpret_cast<std::uintptr_t>(context), std::move(answer)});
}

void callbacks::watcher(_zhandle*, int type, int state, const char* path, void*) {
    if (!current)
        return;
    if (type == ZOO_SESSION_EVENT) {
        if (state != ZOO_CONNECTED_STATE)
            return; // losses are read off the state after each call
        connected_event event;
        const auto id = zoo_client_id(current->handle_.get());
        event.session.session_id = id->client_id;
        static_assert(sizeof(id->passwd) == sizeof(event.session.password));
        std::memcpy(event.session.password.data(), id->passwd, sizeof(id->passwd));
        event.timeout = std::chrono::milliseconds{zoo_recv_timeout(current->handle_.get())};
        current->status_ = connection::status::connected;
        current->events_.emplace_back(event);
        return;
    }
    auto what = protocol::watch_event::other;
    if (type == ZOO_CHANGED_EVENT)
        what = protocol::watch_event::changed;
    else if (type == ZOO_DELETED_EVENT)
        what = protocol::watch_event::deleted;
    current->events_.emplace_back(watch_fired_event{what, path});
}

void callbacks::log(const char* message) {
    if (current)
        current->events_.emplace_back(log_event{message});
}

void callbacks::on_void(int rc, const void* context) { note(rc, context, {}); }

void callbacks::on_transaction(int rc, const void* context) {
    if (current)
        note(rc, context, current->finish_transaction());
}

void callbacks::on_stat(int rc, const Stat* stat, const void* context) {
    note(rc, context, {.stat = convert(stat)});
}

void callbacks::on_data(int rc, const char* value, int length, const Stat* stat,
                        const void* context) {
    protocol::reply answer{.stat = convert(stat)};
    if (rc == ZOK && length > 0)
        answer.data.assign(value, static_cast<std::size_t>(length));
    note(rc, context, std::move(answer));
}

void callbacks::on_children(int rc, const String_vector* names, const Stat* stat,
                            const void* context) {
    protocol::reply answer{.stat = convert(stat)};
    if (names)
        answer.children.assign(names->data, names->data + names->count);
    note(rc, context, std::move(answer));
}

void callbacks::on_string(int rc, const char*, const void* context) { note(rc, context, {}); }

void callbacks::on_create(int rc, const char* path, const Stat* stat, const void* context) {
    protocol::reply answer{.stat = convert(stat)};
    if (rc == ZOK && path)
        answer.path = path;
    note(rc, context, std::move(answer));
}

} // namespace turnstile::zookeeper

// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/callbacks.hpp"

#include <zookeeper/zookeeper.h>

#include <cstring>
#include <optional>
#include <utility>

namespace turnstile::zookeeper {

namespace {

std::optional<protocol::watch_event> event_of(int type) {
    if (type == ZOO_CHANGED_EVENT)
        return protocol::watch_event::changed;
    if (type == ZOO_DELETED_EVENT)
        return protocol::watch_event::deleted;
    if (type == ZOO_CREATED_EVENT)
        return protocol::watch_event::created;
    if (type == ZOO_CHILD_EVENT)
        return protocol::watch_event::children;
    return std::nullopt; // that a watch was taken off
}

} // namespace

connection* callbacks::current = nullptr;

protocol::node_stat callbacks::convert(const Stat* stat) {
    if (!stat)
        return {};
    return {.czxid = stat->czxid,
            .mzxid = stat->mzxid,
            .ctime = stat->ctime,
            .ephemeral_owner = stat->ephemeralOwner,
            .data_bytes = stat->dataLength,
            .children = stat->numChildren,
            .version = stat->version,
            .child_version = stat->cversion};
}

const void* callbacks::context_of(protocol::request_id id) {
    static_assert(sizeof(id) <= sizeof(std::uintptr_t));
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(id)); // NOLINT: a number
}

template <class Fill>
void callbacks::note(int rc, const void* context, Fill fill) noexcept {
    if (!current)
        return;
    current->answered();
    if (rc == ZSESSIONCLOSEDREQUIRESASLAUTH)
        return current->refused();
    const auto code = static_cast<protocol::zookeeper_code>(rc);
    const protocol::request_id id = reinterpret_cast<std::uintptr_t>(context);
    // Whoever lost the connection learns that from its end, for all requests at once.
    if (protocol::outcome_unknown(code))
        return current->answered_unclearly(id, rc);
    current->keep<reply_event>([&](reply_event& event) {
        event.id = id;
        event.answer.code = code;
        fill(event.answer);
    });
}

std::size_t callbacks::read(void* to, std::size_t most) noexcept {
    return current ? current->read(to, most) : 0;
}

bool callbacks::write(std::string_view bytes) noexcept { return !current || current->write(bytes); }

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
        return current->opened(event);
    }
    if (const auto what = event_of(type))
        current->keep<watch_fired_event>([&](watch_fired_event& event) {
            event.what = *what;
            event.node = path;
        });
}

void callbacks::log(const char* message) {
    if (current)
        current->keep<log_event>([&](log_event& event) { event.text = message; });
}

void callbacks::on_void(int rc, const void* context) {
    note(rc, context, [](protocol::reply&) {});
}

void callbacks::on_transaction(int rc, const void* context) {
    if (!current)
        return;
    const auto done = current->take_transaction();
    note(rc, context, [&](protocol::reply& answer) {
        if (done)
            connection::read_transaction(*done, answer);
    });
}

void callbacks::on_stat(int rc, const Stat* stat, const void* context) {
    note(rc, context, [&](protocol::reply& answer) { answer.stat = convert(stat); });
}

void callbacks::on_data(int rc, const char* value, int length, const Stat* stat,
                        const void* context) {
    note(rc, context, [&](protocol::reply& answer) {
        answer.stat = convert(stat);
        if (rc == ZOK && length > 0)
            answer.data.assign(value, static_cast<std::size_t>(length));
    });
}

void callbacks::on_children(int rc, const String_vector* names, const Stat* stat,
                            const void* context) {
    note(rc, context, [&](protocol::reply& answer) {
        answer.stat = convert(stat);
        if (names)
            answer.children.assign(names->data, names->data + names->count);
    });
}

void callbacks::on_acl(int rc, ACL_vector* acl, Stat*, const void* context) {
    note(rc, context, [&](protocol::reply& answer) {
        answer.gives_more = rc == ZOK && acl && current->gives_more(*acl);
    });
}

void callbacks::on_string(int rc, const char*, const void* context) { on_void(rc, context); }

void callbacks::on_create(int rc, const char* path, const Stat* stat, const void* context) {
    note(rc, context, [&](protocol::reply& answer) {
        answer.stat = convert(stat);
        if (rc == ZOK && path)
            answer.path = path;
    });
}

} // namespace turnstile::zookeeper

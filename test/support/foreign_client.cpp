// SPDX-License-Identifier: BSL-1.0
#include "foreign_client.hpp"

#include "blocking_handle.hpp"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace turnstile::test {
namespace {

using clock = std::chrono::steady_clock;
using reply = zookeeper_reply;

/// What each callback does first. The context is the reply that send_function was given.
reply& finish(const void* context, int rc) {
    auto& r = *static_cast<reply*>(const_cast<void*>(context));
    r.done = true;
    r.rc = rc;
    return r;
}

node_info to_info(const Stat& s) {
    return {s.ephemeralOwner, s.czxid, s.mzxid, s.version, s.cversion, s.numChildren};
}

void on_void(int rc, const void* context) { finish(context, rc); }

void on_string(int rc, const char* value, const void* context) {
    auto& r = finish(context, rc);
    if (rc == ZOK && value != nullptr)
        r.text = value;
}

void on_stat(int rc, const Stat* stat, const void* context) {
    auto& r = finish(context, rc);
    if (rc == ZOK && stat != nullptr)
        r.info = to_info(*stat);
}

void on_data(int rc, const char* value, int size, const Stat* stat, const void* context) {
    on_stat(rc, stat, context);
    if (rc == ZOK && value != nullptr && size > 0)
        finish(context, rc).text.assign(value, static_cast<std::size_t>(size));
}

void on_strings(int rc, const String_vector* strings, const void* context) {
    auto& r = finish(context, rc);
    if (rc == ZOK && strings != nullptr)
        r.names.assign(strings->data, strings->data + strings->count);
}

void on_acl(int rc, ACL_vector* acl, Stat*, const void* context) {
    auto& r = finish(context, rc);
    if (rc == ZOK && acl != nullptr)
        for (int i = 0; i < acl->count; ++i)
            r.rights.push_back({acl->data[i].id.scheme, acl->data[i].id.id, acl->data[i].perms});
}

int to_flags(create_mode mode) {
    switch (mode) {
    case create_mode::persistent:
        return ZOO_PERSISTENT;
    case create_mode::persistent_sequential:
        return ZOO_PERSISTENT_SEQUENTIAL;
    case create_mode::ephemeral:
        return ZOO_EPHEMERAL;
    case create_mode::ephemeral_sequential:
        return ZOO_EPHEMERAL_SEQUENTIAL;
    case create_mode::container:
        return ZOO_CONTAINER;
    }
    throw std::invalid_argument{"create_mode"};
}

} // namespace

foreign_client::foreign_client(options how)
    : impl_{std::make_unique<blocking_handle>(std::move(how))} {}

foreign_client::foreign_client(foreign_client&&) noexcept = default;
foreign_client& foreign_client::operator=(foreign_client&&) noexcept = default;
foreign_client::~foreign_client() = default;

int foreign_client::create(const std::string& path, std::string_view data, create_mode mode,
                           std::string* created) {
    reply r;
    const int rc = impl_->call(
        [&](zhandle_t* zh, reply& to) {
            ACL all_but_delete{ZOO_PERM_ALL & ~ZOO_PERM_DELETE, ZOO_ANYONE_ID_UNSAFE};
            const ACL_vector no_delete{1, &all_but_delete};
            const auto* acl = impl_->owner_only()       ? &ZOO_CREATOR_ALL_ACL
                              : impl_->keeps_children() ? &no_delete
                                                        : &ZOO_OPEN_ACL_UNSAFE;
            return ::zoo_acreate(zh, path.c_str(), data.data(), static_cast<int>(data.size()), acl,
                                 to_flags(mode), on_string, &to);
        },
        &r);
    if (created != nullptr)
        *created = std::move(r.text);
    return rc;
}

int foreign_client::set(const std::string& path, std::string_view data, int version) {
    return impl_->call([&](zhandle_t* zh, reply& to) {
        return ::zoo_aset(zh, path.c_str(), data.data(), static_cast<int>(data.size()), version,
                          on_stat, &to);
    });
}

int foreign_client::remove(const std::string& path, int version) {
    return impl_->call([&](zhandle_t* zh, reply& to) {
        return ::zoo_adelete(zh, path.c_str(), version, on_void, &to);
    });
}

int foreign_client::exists(const std::string& path, node_info* info) {
    reply r;
    const int rc = impl_->call(
        [&](zhandle_t* zh, reply& to) { return ::zoo_aexists(zh, path.c_str(), 0, on_stat, &to); },
        &r);
    if (info != nullptr)
        *info = r.info;
    return rc;
}

int foreign_client::get(const std::string& path, std::string* data, node_info* info) {
    reply r;
    const int rc = impl_->call(
        [&](zhandle_t* zh, reply& to) { return ::zoo_aget(zh, path.c_str(), 0, on_data, &to); },
        &r);
    if (data != nullptr)
        *data = std::move(r.text);
    if (info != nullptr)
        *info = r.info;
    return rc;
}

int foreign_client::children(const std::string& path, std::vector<std::string>* names) {
    reply r;
    const int rc = impl_->call(
        [&](zhandle_t* zh, reply& to) {
            return ::zoo_aget_children(zh, path.c_str(), 0, on_strings, &to);
        },
        &r);
    if (names != nullptr)
        *names = std::move(r.names);
    return rc;
}

int foreign_client::get_acl(const std::string& path, std::vector<node_right>* rights) {
    reply r;
    const int rc = impl_->call(
        [&](zhandle_t* zh, reply& to) { return ::zoo_aget_acl(zh, path.c_str(), on_acl, &to); },
        &r);
    if (rights != nullptr)
        *rights = std::move(r.rights);
    return rc;
}

int foreign_client::set_acl(const std::string& path, const std::vector<node_right>& rights) {
    auto texts = rights; // the C client wants texts that are not const
    std::vector<ACL> entries;
    for (auto& right : texts)
        entries.push_back({right.permissions, {right.scheme.data(), right.id.data()}});
    ACL_vector acl{static_cast<std::int32_t>(entries.size()), entries.data()};
    return impl_->call([&](zhandle_t* zh, reply& to) {
        return ::zoo_aset_acl(zh, path.c_str(), -1, &acl, on_void, &to);
    });
}

int foreign_client::remove_members(const std::string& numbers) {
    return impl_->call([&](zhandle_t* zh, reply& to) {
        return ::zoo_areconfig(zh, nullptr, numbers.c_str(), nullptr, -1, on_data, &to);
    });
}

int foreign_client::sync(const std::string& path) {
    return impl_->call(
        [&](zhandle_t* zh, reply& to) { return ::zoo_async(zh, path.c_str(), on_string, &to); });
}

void foreign_client::idle(std::chrono::milliseconds duration) {
    const auto deadline = clock::now() + duration;
    impl_->drive([&] { return clock::now() >= deadline || impl_->unusable(); }, deadline);
}

std::int64_t foreign_client::session_id() const {
    const std::lock_guard lock{zookeeper_library_mutex()};
    return ::zoo_client_id(impl_->get())->client_id;
}

std::array<char, 16> foreign_client::password() const {
    const std::lock_guard lock{zookeeper_library_mutex()};
    std::array<char, 16> result{};
    const auto* id = ::zoo_client_id(impl_->get());
    std::copy(std::begin(id->passwd), std::end(id->passwd), result.begin());
    return result;
}

std::chrono::milliseconds foreign_client::session_timeout() const {
    const std::lock_guard lock{zookeeper_library_mutex()};
    return std::chrono::milliseconds{::zoo_recv_timeout(impl_->get())};
}

bool foreign_client::connected() const { return impl_->connected(); }

bool foreign_client::expired() const { return impl_->unusable(); }

int foreign_client::close() { return impl_->close(); }

void foreign_client::abandon() { impl_->drop(); }

void expire_session(const std::string& address, const session_credentials& session) {
    foreign_client thief{foreign_client::options{.address = address, .resume = session}};
    if (const int rc = thief.close(); rc != ZOK)
        throw std::runtime_error{"cannot close the session to expire: " + std::to_string(rc)};
}

void expire_session(const std::string& address, std::int64_t id,
                    const std::array<char, 16>& password) {
    expire_session(address, session_credentials{id, password});
}

void insist_on_expiry(const std::string& address, const session_credentials& session) {
    // The owner may take its session back before the thief has closed it. Or the thief misses the
    // answer, and the next try finds the session gone.
    for (int i = 0;; ++i) {
        try {
            return expire_session(address, session);
        } catch (const std::runtime_error& e) {
            if (i > 0 && std::string_view(e.what()).find("expired") != std::string_view::npos)
                return;
            if (i == 5)
                throw;
        }
    }
}

} // namespace turnstile::test

// SPDX-License-Identifier: BSL-1.0
#include "zookeeper/kerberos.hpp"

#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5/krb5.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

namespace {

std::string new_cache_name() {
    static constinit std::atomic<unsigned long> drawn{0};
    return "MEMORY:turnstile-" + std::to_string(++drawn);
}

void destroy_cache(const std::string& name) {
    krb5_context context = nullptr;
    krb5_ccache cache = nullptr;
    if (krb5_init_context(&context) != 0)
        return;
    if (krb5_cc_resolve(context, name.c_str(), &cache) == 0)
        krb5_cc_destroy(context, cache);
    krb5_free_context(context);
}

// The text of a status of GSSAPI. `kind`: whether it is a major or a minor one (GSS_C_GSS_CODE or
// GSS_C_MECH_CODE).
std::string words_of(OM_uint32 status, int kind) {
    OM_uint32 minor = 0;
    OM_uint32 more = 0;
    gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
    std::string result;
    do {
        // The function asks for a pointer to non-const, but changes nothing.
        if (GSS_ERROR(gss_display_status(&minor, status, kind,
                                         const_cast<gss_OID>(gss_mech_krb5), // NOLINT
                                         &more, &text)))
            return result;
        result += (result.empty() ? "" : ", ") +
                  std::string(static_cast<const char*>(text.value), text.length);
        gss_release_buffer(&minor, &text);
    } while (more != 0);
    return result;
}

struct name_releaser {
    void operator()(gss_name_t which) const noexcept {
        OM_uint32 ignored = 0;
        gss_release_name(&ignored, &which);
    }
};
using name_ptr = std::unique_ptr<std::remove_pointer_t<gss_name_t>, name_releaser>;

} // namespace

std::string kerberos::wrong_with(const sasl_gssapi& how) {
    if (how.service.empty())
        return "sasl.service is empty: the servers' principals begin with one, such as zookeeper";
    if (!how.keytab.empty() && !how.ticket_cache.empty())
        return "sasl.keytab and sasl.ticket_cache are both set: tickets come from one of them";
    return {};
}

std::string kerberos::trouble() const {
    constexpr std::string_view prefix = "FILE:";
    const auto file = keytab_.starts_with(prefix) ? keytab_.substr(prefix.size()) : keytab_;
    if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
        return "sasl.keytab = \"" + keytab_ +
               "\" cannot be used: " + std::generic_category().message(errno);
    return {};
}

kerberos::kerberos(const sasl_gssapi& how)
    : principal_(how.principal),
      service_(how.service),
      keytab_(how.keytab),
      cache_(keytab_.empty() ? how.ticket_cache : new_cache_name()) {}

kerberos::~kerberos() {
    if (!keytab_.empty())
        destroy_cache(cache_);
}

kerberos_credential kerberos::renew(std::string& wrong) {
    if (keytab_.empty()) {
        drop_service_tickets();
        return acquire(wrong);
    }
    auto before = std::exchange(cache_, new_cache_name());
    auto made = acquire(wrong);
    if (made && !has_time_left(made.get())) { // its ticket was left for later, and cannot be got
        made.reset();
        wrong = "Kerberos gives this session no new ticket in place of one that was refused";
    }
    if (!made)
        cache_.swap(before);
    destroy_cache(before);
    return made;
}

// Deletes the tickets for the servers' service from the cache. The user's own ticket stays.
void kerberos::drop_service_tickets() const {
    krb5_context context = nullptr;
    krb5_ccache cache = nullptr;
    krb5_cc_cursor next = nullptr;
    if (krb5_init_context(&context) != 0)
        return;
    const auto failed = cache_.empty() ? krb5_cc_default(context, &cache)
                                       : krb5_cc_resolve(context, cache_.c_str(), &cache);
    std::vector<krb5_creds> tickets;
    if (failed == 0 && krb5_cc_start_seq_get(context, cache, &next) == 0) {
        krb5_creds each{};
        while (krb5_cc_next_cred(context, cache, &next, &each) == 0)
            tickets.push_back(each);
        krb5_cc_end_seq_get(context, cache, &next);
    }
    for (auto& each : tickets) {
        const auto service = krb5_princ_component(context, each.server, 0);
        if (service && std::string_view(service->data, service->length) == service_)
            krb5_cc_remove_cred(context, cache, 0, &each);
        krb5_free_cred_contents(context, &each);
    }
    if (cache)
        krb5_cc_close(context, cache);
    krb5_free_context(context);
}

bool kerberos::has_time_left(gss_cred_id_t which) {
    OM_uint32 minor = 0;
    OM_uint32 seconds_left = 0;
    const auto major = gss_inquire_cred(&minor, which, nullptr, &seconds_left, nullptr, nullptr);
    return !GSS_ERROR(major) && seconds_left > 0;
}

kerberos_credential kerberos::acquire(std::string& wrong) const {
    OM_uint32 minor = 0;
    const auto failed = [&](OM_uint32 major) {
        if (GSS_ERROR(major)) {
            wrong = minor == 0 ? words_of(major, GSS_C_GSS_CODE) : words_of(minor, GSS_C_MECH_CODE);
            wrong = "Kerberos has no ticket for this session: " + wrong;
            if (keytab_.empty())
                wrong += ". The program kinit gets one";
            else if (static_cast<krb5_error_code>(minor) == KRB5_FCC_NOFILE)
                wrong += ". The keytab has no key of " +
                         (principal_.empty() ? "anybody" : '"' + principal_ + '"');
        }
        return !wrong.empty();
    };

    name_ptr name;
    if (!principal_.empty()) {
        gss_buffer_desc text{principal_.size(), const_cast<char*>(principal_.data())}; // NOLINT
        gss_name_t made = GSS_C_NO_NAME;
        const auto major = gss_import_name(
            &minor, &text, const_cast<gss_OID>(GSS_KRB5_NT_PRINCIPAL_NAME), &made); // NOLINT
        name.reset(made);
        if (failed(major))
            return nullptr;
    }

    std::array<gss_key_value_element_desc, 2> elements{};
    gss_key_value_set_desc store{0, elements.data()};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty())
            elements.at(store.count++) = {key, value.c_str()};
    };
    add("client_keytab", keytab_);
    add("ccache", cache_);
    gss_OID_set_desc mechanisms{1, const_cast<gss_OID>(gss_mech_krb5)}; // NOLINT
    gss_cred_id_t made = GSS_C_NO_CREDENTIAL;
    const auto major =
        gss_acquire_cred_from(&minor, name.get(), GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
                              store.count == 0 ? nullptr : &store, &made, nullptr, nullptr);
    kerberos_credential result(made);
    if (failed(major))
        return nullptr;
    if (keytab_.empty() && !has_time_left(made)) { // with a keytab Kerberos gets a new ticket
        wrong =
            "Kerberos has no ticket for this session: it has expired. The program kinit gets one";
        return nullptr;
    }
    return result;
}

} // namespace turnstile::zookeeper

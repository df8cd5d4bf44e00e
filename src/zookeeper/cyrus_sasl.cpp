// SPDX-License-Identifier: BSL-1.0
// SASL by the library Cyrus SASL: DIGEST-MD5, and GSSAPI for Kerberos. Not compiled if Turnstile is
// built without it (no_sasl.cpp).
#include "zookeeper/kerberos.hpp"
#include "zookeeper/sasl_exchange.hpp"

#include <sasl/sasl.h>
#include <sasl/saslplug.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string.h> // explicit_bzero
#include <utility>
#include <vector>

namespace turnstile::zookeeper {

namespace {

// In DIGEST-MD5 all servers of ZooKeeper have these names, on whichever hosts they run.
constexpr const char* digest_service = "zookeeper";
constexpr const char* digest_host = "zk-sasl-md5";

// Cyrus' DIGEST-MD5 keeps what it learns of servers in one list for the whole process. Its own
// mutex does nothing unless the program has set its functions. So the steps of DIGEST-MD5 of all
// sessions take turns by this mutex.
constinit std::mutex digest_mutex;

const char* name_of(const sasl_options& how) {
    return std::holds_alternative<sasl_gssapi>(how) ? "GSSAPI" : "DIGEST-MD5";
}

// Initialises Cyrus SASL, until that has once been done. If the program has done so before, its
// settings stay, and this only adds to a count.
int initialise_cyrus() {
    constinit static std::mutex turn;
    static bool is_done = false;
    const std::lock_guard lock(turn);
    const int result = is_done ? SASL_OK : sasl_client_init(nullptr);
    is_done = result == SASL_OK;
    return result;
}

// Whether the plug-in for the mechanism is installed.
bool is_installed(const sasl_options& how) {
    bool installed = false;
    sasl_client_plugin_info(
        name_of(how),
        [](client_sasl_mechanism_t*, sasl_info_callback_stage_t stage, void* to) {
            if (stage == SASL_INFO_LIST_MECH)
                *static_cast<bool*>(to) = true;
        },
        &installed);
    return installed;
}

// Takes the part of GSSAPI's message that says something: the one in parentheses, if there is one.
std::string short_form(const std::string& words) {
    constexpr std::string_view before = "Minor code may provide more information (";
    const auto begin = words.find(before);
    const auto end = words.rfind(')');
    if (begin == words.npos || end == words.npos || end < begin + before.size())
        return words;
    return words.substr(begin + before.size(), end - begin - before.size());
}

// The password in Cyrus' form: a length, and the bytes behind it.
class secret {
public:
    explicit secret(std::string_view password)
        : words_((offsetof(sasl_secret_t, data) + password.size()) / sizeof(unsigned long) + 1) {
        get()->len = password.size();
        std::memcpy(get()->data, password.data(), password.size());
    }
    ~secret() { explicit_bzero(words_.data(), words_.size() * sizeof(words_.front())); }
    secret(const secret&) = delete;
    secret& operator=(const secret&) = delete;

    sasl_secret_t* get() { return reinterpret_cast<sasl_secret_t*>(words_.data()); } // NOLINT

private:
    std::vector<unsigned long> words_;
};

// The functions by which Cyrus asks for names and secrets. SASL tells two names apart: that of the
// one who authenticates (SASL_CB_AUTHNAME), and that of the user to act as. The second one is
// empty: so they are the same.
int give_user(void* context, int id, const char** result, unsigned* length) {
    *result = id == SASL_CB_AUTHNAME ? static_cast<const char*>(context) : "";
    if (length)
        *length = static_cast<unsigned>(std::strlen(*result));
    return SASL_OK;
}
int give_password(sasl_conn_t*, void* context, int, sasl_secret_t** result) {
    *result = static_cast<secret*>(context)->get();
    return SASL_OK;
}
int give_realm(void*, int, const char** offered, const char** result) {
    *result = offered ? *offered : nullptr;
    return SASL_OK;
}
int say_nothing(void*, int, const char*) { return SASL_OK; } // Cyrus would use the system's log

template <class Function>
sasl_callback_t callback(unsigned long id, Function* function, void* context = nullptr) {
    const auto any = reinterpret_cast<void (*)()>(function); // NOLINT: as Cyrus has it,
    return {id, reinterpret_cast<int (*)()>(any), context};  // NOLINT: which casts it back
}

struct connection_disposer {
    void operator()(sasl_conn_t* which) const noexcept { sasl_dispose(&which); }
};

/// One exchange: begin(), then answer() for each token of the server. Any of them may fail, and
/// then the exchange is over.
class cyrus_exchange final : public sasl_exchange {
public:
    cyrus_exchange(std::shared_ptr<const sasl_options> how, std::shared_ptr<kerberos> tickets,
                   const std::string& server, bool renews_tickets)
        : how_(std::move(how)),
          digest_(std::get_if<sasl_digest_md5>(how_.get())),
          tickets_(std::move(tickets)),
          server_(server),
          renews_tickets_(renews_tickets),
          password_(digest_ ? std::string_view(digest_->password) : ""),
          callbacks_{callback(SASL_CB_USER, give_user, user()),
                     callback(SASL_CB_AUTHNAME, give_user, user()),
                     callback(SASL_CB_PASS, give_password, &password_),
                     callback(SASL_CB_GETREALM, give_realm),
                     callback(SASL_CB_LOG, say_nothing),
                     {SASL_CB_LIST_END, nullptr, nullptr}} {}

    sasl_step begin() override {
        if (digest_)
            return begin(digest_service, digest_host);
        const auto& how = std::get<sasl_gssapi>(*how_);
        std::string wrong;
        credential_ = renews_tickets_ ? tickets_->renew(wrong) : tickets_->acquire(wrong);
        return wrong.empty()
                   ? begin(how.service.c_str(), (how.host.empty() ? server_ : how.host).c_str())
                   : sasl_step{.wrong = std::move(wrong)};
    }

    sasl_step answer(std::string_view server_token) override {
        // An empty token means that the server has no SASL, or could not begin with it.
        if (server_token.empty())
            return {.wrong = "the server has no answer in SASL: its authProvider and its JAAS file "
                             "may not name it, or name another mechanism",
                    .by_server = true};
        const auto turn = our_turn();
        const char* token = nullptr;
        unsigned length = 0;
        const int code =
            sasl_client_step(connection_.get(), server_token.data(),
                             static_cast<unsigned>(server_token.size()), nullptr, &token, &length);
        auto step = step_of(code, token, length);
        step.by_server = digest_ ? code != SASL_NOMEM : kerberos::has_time_left(credential_.get());
        return step;
    }

private:
    /// The context of give_user.
    void* user() const {
        return const_cast<char*>(digest_ ? digest_->user.c_str() : ""); // NOLINT: only read
    }
    /// The turn among all sessions, which DIGEST-MD5 alone needs.
    std::unique_lock<std::mutex> our_turn() const {
        return digest_ ? std::unique_lock(digest_mutex) : std::unique_lock<std::mutex>();
    }

    /// Makes Cyrus' connection, and the first token.
    sasl_step begin(const char* service, const char* host) {
        sasl_conn_t* made = nullptr;
        const int refused = // this looks up the name of this host, and may block
            sasl_client_new(service, host, nullptr, nullptr, callbacks_.data(), 0, &made);
        connection_.reset(made);
        if (refused != SASL_OK)
            return {.wrong =
                        std::string("Cyrus SASL: ") + sasl_errstring(refused, nullptr, nullptr)};
        if (credential_ && sasl_setprop(made, SASL_GSS_CREDS, credential_.get()) != SASL_OK)
            return {.wrong = "Cyrus SASL is too old: it takes no Kerberos credential"};
        const auto turn = our_turn();
        const char* token = nullptr;
        unsigned length = 0;
        // Without a place for a token DIGEST-MD5 lets the server begin. With one it would try to go
        // on where an earlier connection ended. Servers on an old Java take that for a failure
        // (JDK-6682540).
        const int code =
            digest_ ? sasl_client_start(made, name_of(*how_), nullptr, nullptr, nullptr, nullptr)
                    : sasl_client_start(made, name_of(*how_), nullptr, &token, &length, nullptr);
        return step_of(code, token, length);
    }

    /// Makes the result of a step out of Cyrus' code and its token.
    sasl_step step_of(int code, const char* token, unsigned length) {
        if (code != SASL_OK && code != SASL_CONTINUE)
            return {.wrong = std::string(name_of(*how_)) + ": " +
                             short_form(sasl_errdetail(connection_.get()))};
        return {.token = token ? std::string(token, length) : std::string(),
                .sends = code == SASL_CONTINUE || length > 0,
                .is_last = code == SASL_OK};
    }

    std::shared_ptr<const sasl_options> how_;
    const sasl_digest_md5* digest_;     // null: Kerberos is used
    std::shared_ptr<kerberos> tickets_; // null with DIGEST-MD5
    std::string server_;
    bool renews_tickets_;
    secret password_; // empty with Kerberos
    std::array<sasl_callback_t, 6> callbacks_;
    kerberos_credential credential_; // null with DIGEST-MD5
    // The last member: it points to callbacks and credential, so it is destroyed before them.
    std::unique_ptr<sasl_conn_t, connection_disposer> connection_;
};

class cyrus_sasl final : public sasl {
public:
    explicit cyrus_sasl(const sasl_options& how) : how_(std::make_shared<const sasl_options>(how)) {
        if (const auto kerberos_options = std::get_if<sasl_gssapi>(&how))
            tickets_ = std::make_shared<kerberos>(*kerberos_options);
    }

    std::string trouble() const override {
        if (const int refused = initialise_cyrus(); refused != SASL_OK)
            return std::string("Cyrus SASL cannot begin: ") +
                   sasl_errstring(refused, nullptr, nullptr);
        if (!is_installed(*how_))
            return std::string("Cyrus SASL has no ") + name_of(*how_) + " here: install Debian's " +
                   (tickets_ ? "libsasl2-modules-gssapi-mit" : "libsasl2-modules");
        return tickets_ ? tickets_->trouble() : "";
    }
    std::unique_ptr<sasl_exchange> with(const std::string& server,
                                        bool renews_tickets) const override {
        return std::make_unique<cyrus_exchange>(how_, tickets_, server, renews_tickets);
    }
    bool has_tickets() const override { return tickets_ != nullptr; }
    std::string identity() const override {
        if (const auto digest = std::get_if<sasl_digest_md5>(how_.get()))
            return "user \"" + digest->user + '"';
        const auto& principal = std::get<sasl_gssapi>(*how_).principal;
        return principal.empty() ? "our principal" : "principal \"" + principal + '"';
    }

private:
    std::shared_ptr<const sasl_options> how_;
    std::shared_ptr<kerberos> tickets_; // null with DIGEST-MD5
};

} // namespace

std::shared_ptr<const sasl> make_sasl(const sasl_options& how, std::string& wrong) {
    if (const auto kerberos_options = std::get_if<sasl_gssapi>(&how))
        wrong = kerberos::wrong_with(*kerberos_options);
    else if (std::get<sasl_digest_md5>(how).user.empty())
        wrong = "sasl.user is empty";
    return wrong.empty() ? std::make_shared<const cyrus_sasl>(how) : nullptr;
}

} // namespace turnstile::zookeeper

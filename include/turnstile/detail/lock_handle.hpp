// What every lock object owns: a lock path of a session, and its operations.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lock_names.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile {
class session;
}

namespace turnstile::detail {

class lock_object;

/// How an acquire stands in line.
struct acquire_manner {
    bool shared = false;
    bool single_node = false;
    bool patient = true;       // false: fail instead of waiting
    bool later_part = false;   // of a multi_lock that holds other parts by then
    bool states_limit = false; // of the semaphore: `stated_limit`
    lock_names names = lock_names::turnstile;
    std::uint32_t leases = 0; // of a semaphore; 0: it is another lock
    std::uint32_t stated_limit = 0;
    time_limit limit{};
    std::int64_t incarnation = 0; // of the lock path: in another one it fails. 0: any
};

/// How much is asked of those who stand in line.
struct survey_manner {
    std::size_t most = 0; // of whom details are asked
    time_limit limit{};
};

/// Moves, and cancels its operations when it goes.
class lock_handle {
public:
    TURNSTILE_API lock_handle(session& owner, std::string path);
    lock_handle(lock_handle&& other) noexcept = default;
    TURNSTILE_API lock_handle& operator=(lock_handle&& other) noexcept;
    TURNSTILE_API ~lock_handle();

    const std::shared_ptr<lock_object>& state() const noexcept { return state_; }
    TURNSTILE_API const std::string& path() const noexcept;
    TURNSTILE_API boost::asio::any_io_executor get_executor() const noexcept;
    TURNSTILE_API lock_usage usage() const noexcept;

    template <class Token, class... Told>
    auto acquire(const acquire_manner& how, std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code, held_lock), Token>(
            state_,
            [how](const std::shared_ptr<lock_object>& state, handler&& done) {
                start_acquire(state, how, std::move(done));
            },
            token, told...);
    }

    template <class Token, class... Told>
    auto participants(const survey_manner& how, std::remove_reference_t<Token>& token,
                      Told... told) {
        return initiate<void(error_code, std::vector<participant>), Token>(
            state_,
            [how](const std::shared_ptr<lock_object>& state, survey_handler done) {
                start_survey(state, how, std::move(done));
            },
            token, told...);
    }

    template <class Token, class... Told>
    auto evict(participant who, std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code), Token>(
            state_,
            [who = std::move(who)](const std::shared_ptr<lock_object>& state, plain_handler done) {
                start_evict(state, who, std::move(done));
            },
            token, told...);
    }

    // Of a semaphore.
    template <class Token, class... Told>
    auto set_limit(std::uint32_t limit, std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code), Token>(
            state_,
            [limit](const std::shared_ptr<lock_object>& state, plain_handler done) {
                start_set_limit(state, limit, std::move(done));
            },
            token, told...);
    }
    template <class Token, class... Told>
    auto limit(std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code, std::uint32_t), Token>(state_, &start_limit, token,
                                                                told...);
    }
    template <class Token, class... Told>
    auto remove(std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code), Token>(state_, &start_remove, token, told...);
    }

private:
    using handler = erased_handler<void(error_code, held_lock)>;
    using plain_handler = erased_handler<void(error_code)>;
    using limit_handler = erased_handler<void(error_code, std::uint32_t)>;
    using survey_handler = erased_handler<void(error_code, std::vector<participant>)>;

    TURNSTILE_API static void start_acquire(const std::shared_ptr<lock_object>& state,
                                            const acquire_manner& how, handler&& done);
    TURNSTILE_API static void start_survey(const std::shared_ptr<lock_object>& state,
                                           const survey_manner& how, survey_handler done);
    TURNSTILE_API static void start_evict(const std::shared_ptr<lock_object>& state,
                                          const participant& who, plain_handler done);
    TURNSTILE_API static void start_set_limit(const std::shared_ptr<lock_object>& state,
                                              std::uint32_t limit, plain_handler done);
    TURNSTILE_API static void start_limit(const std::shared_ptr<lock_object>& state,
                                          limit_handler done);
    TURNSTILE_API static void start_remove(const std::shared_ptr<lock_object>& state,
                                           plain_handler done);

    std::shared_ptr<lock_object> state_;
};

} // namespace turnstile::detail

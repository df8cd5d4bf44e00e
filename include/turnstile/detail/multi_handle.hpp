// What a multi_lock owns: its parts, and its operations.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lock_part.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace turnstile::detail {

class multi_object;

/// Moves, and cancels its operations when it goes.
class multi_handle {
public:
    TURNSTILE_API explicit multi_handle(std::vector<lock_part> parts);
    multi_handle(multi_handle&& other) noexcept = default;
    TURNSTILE_API multi_handle& operator=(multi_handle&& other) noexcept;
    TURNSTILE_API ~multi_handle();

    TURNSTILE_API boost::asio::any_io_executor get_executor() const noexcept;
    TURNSTILE_API std::size_t size() const noexcept;
    TURNSTILE_API lock_usage usage() const noexcept;

    template <class Token, class... Told>
    auto acquire(const acquire_manner& how, std::remove_reference_t<Token>& token, Told... told) {
        return initiate<void(error_code, held_lock), Token>(
            state_,
            [how](const std::shared_ptr<multi_object>& state, handler done) {
                start_acquire(state, how, std::move(done));
            },
            token, told...);
    }

private:
    using handler = erased_handler<void(error_code, held_lock)>;

    TURNSTILE_API static void start_acquire(const std::shared_ptr<multi_object>& state,
                                            const acquire_manner& how, handler done);

    std::shared_ptr<multi_object> state_;
};

} // namespace turnstile::detail

// SPDX-License-Identifier: BSL-1.0
// Everything that Turnstile offers.
#pragma once

#include <turnstile/acl.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/election.hpp>
#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/leader_info.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/lock_base.hpp>
#include <turnstile/lock_event.hpp>
#include <turnstile/lock_name.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/lockable.hpp>
#include <turnstile/logger.hpp>
#include <turnstile/multi_lock.hpp>
#include <turnstile/mutex.hpp>
#include <turnstile/options.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/path_lock.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/session.hpp>
#include <turnstile/session_key.hpp>
#include <turnstile/shared_mutex.hpp>
#include <turnstile/single_node_mutex.hpp>
#include <turnstile/usage.hpp>
#include <turnstile/version.hpp>
#include <turnstile/with_diagnostics.hpp>
#include <turnstile/with_lock.hpp>
#include <turnstile/yield_request.hpp>

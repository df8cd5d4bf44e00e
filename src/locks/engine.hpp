// The protocol machine on the reactor: client below, clock beside.
#pragma once

#include "protocol/session_machine.hpp"
#include "zookeeper/client.hpp"

#include <turnstile/options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <memory>
#include <optional>

namespace turnstile::detail {

/// Everything that belongs to the execution context, in one place, so that it can go with it. All
/// members but strand() are called on the strand.
class engine final : public std::enable_shared_from_this<engine>, public zookeeper::client_events {
public:
    using strand_type = boost::asio::strand<boost::asio::any_io_executor>;

    static std::shared_ptr<engine> make(const boost::asio::any_io_executor& executor,
                                        const session_options& options,
                                        const protocol::server_list& servers,
                                        protocol::listener& events);
    engine(const strand_type& executor, const session_options& options,
           const protocol::server_list& servers, protocol::listener& events);
    ~engine() override;

    const strand_type& strand() const { return strand_; }
    const protocol::session_machine& machine() const { return machine_; }

    void connect();
    void close();
    void stop();
    void acquire(protocol::ticket_id ticket, const protocol::acquire_request& what);
    void cancel(protocol::ticket_id ticket);
    void release(protocol::ticket_id ticket);

private:
    void arm();
    void on_timer();

    void on_connected(const protocol::credentials& session, protocol::duration timeout) override;
    void on_disconnected(protocol::disconnect_reason why) override;
    void on_reply(protocol::request_id id, const protocol::reply& answer) override;
    void on_watch(protocol::watch_event what, const std::string& node) override;
    void on_log(protocol::note_level level, std::string_view text) override;

    const int process_;
    strand_type strand_;
    protocol::listener& events_;
    std::shared_ptr<zookeeper::client> client_;
    protocol::session_machine machine_;
    boost::asio::steady_timer timer_;
    std::optional<protocol::instant> armed_;
    bool stopped_ = false;
};

} // namespace turnstile::detail

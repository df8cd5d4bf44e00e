// SPDX-License-Identifier: BSL-1.0
#include "frame_proxy.hpp"

#include "free_port.hpp"
#include "proxy_link.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace turnstile::test {

namespace asio = boost::asio;
using asio::ip::tcp;

/// The proxy itself. All that touches links or the acceptor runs in its thread, by in_thread().
class frame_proxy::impl {
public:
    impl(tcp::endpoint server, const place& where, const proxy_link::observers& told = {})
        : ip_{asio::ip::make_address_v4(where.ip)},
          port_{where.port != 0 ? where.port : free_port()},
          server_{std::move(server)},
          told_{told} {
        listen();
        thread_ = std::thread{[this] { io_.run(); }};
    }

    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    ~impl() {
        io_.stop();
        thread_.join();
    }

    /// Runs `f` in the proxy's thread and waits for it.
    template <class Function>
    void in_thread(Function f) {
        // Shared, because the waiting thread may be gone before set_value() returns.
        const auto done = std::make_shared<std::promise<void>>();
        asio::post(io_, [&f, done] {
            try {
                f();
                done->set_value();
            } catch (...) {
                done->set_exception(std::current_exception());
            }
        });
        done->get_future().get();
    }

    void listen() {
        tcp::acceptor acceptor{io_};
        acceptor.open(tcp::v4());
        acceptor.set_option(tcp::acceptor::reuse_address{true});
        acceptor.bind({ip_, port_});
        acceptor.listen();
        acceptor_ = std::make_shared<tcp::acceptor>(std::move(acceptor));
        asio::co_spawn(io_, accept_loop(acceptor_), asio::detached);
    }

    void set_outage(bool on, refusal how) {
        reset_new_ = on && how == refusal::reset;
        const bool listening = !on || how == refusal::reset;
        if (!listening && acceptor_) {
            acceptor_->close();
            acceptor_.reset();
        } else if (listening && !acceptor_) {
            listen();
        }
    }

    void set_black_hole(bool on) {
        black_hole_ = on;
        for_each_link([on](proxy_link& link) {
            if (on)
                link.swallow_everything();
            else if (link.swallowing())
                link.cut();
        });
    }

    template <class Function>
    void for_each_link(Function f) {
        for (const auto& weak : links_)
            if (const auto link = weak.lock(); link && link->open())
                f(*link);
    }

    [[nodiscard]] proxy_stats stats() {
        proxy_stats result;
        in_thread([&] {
            result = stats_;
            for_each_link([&](proxy_link&) { ++result.open_connections; });
        });
        return result;
    }

    void replace_server(std::optional<stranger> by) { stranger_ = std::move(by); }

    void redirect(std::uint16_t server_port) { server_.port(server_port); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string address() const {
        return ip_.to_string() + ':' + std::to_string(port_);
    }
    [[nodiscard]] rule_book& rules() noexcept { return rules_; }

private:
    /// Shares its acceptor, because a new one may listen before this loop has noticed the close.
    asio::awaitable<void> accept_loop(std::shared_ptr<tcp::acceptor> acceptor) {
        while (acceptor->is_open()) {
            auto [failure, socket] =
                co_await acceptor->async_accept(asio::as_tuple(asio::use_awaitable));
            if (!failure)
                accepted(std::move(socket));
        }
    }

    void accepted(tcp::socket socket) {
        ++stats_.connections;
        if (stranger_) {
            asio::co_spawn(io_, serve(*stranger_, std::move(socket)), asio::detached);
            return;
        }
        const auto link = std::make_shared<proxy_link>(std::move(socket), rules_, stats_, told_,
                                                       stats_.connections, reset_new_);
        if (reset_new_) {
            link->cut();
            return;
        }
        std::erase_if(links_, [](const auto& weak) { return weak.expired(); });
        links_.push_back(link);
        if (black_hole_)
            link->swallow_everything();
        link->start(server_);
    }

    rule_book rules_; // before io_, whose end destroys the links that use them
    proxy_stats stats_;
    asio::io_context io_;
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    const asio::ip::address_v4 ip_;
    const std::uint16_t port_;
    tcp::endpoint server_;
    proxy_link::observers told_;
    std::shared_ptr<tcp::acceptor> acceptor_;
    std::vector<std::weak_ptr<proxy_link>> links_;
    std::optional<stranger> stranger_;
    bool reset_new_ = false;  // an outage: new clients are reset
    bool black_hole_ = false; // new connections swallow everything
    std::thread thread_;
};

frame_proxy::frame_proxy(std::uint16_t server_port, const place& where)
    : impl_{std::make_unique<impl>(tcp::endpoint{asio::ip::address_v4::loopback(), server_port},
                                   where)} {}

frame_proxy::frame_proxy(const std::string& server_host, std::uint16_t server_port,
                         session_book* sessions, wire_notes* notes)
    : impl_{std::make_unique<impl>(tcp::endpoint{asio::ip::make_address(server_host), server_port},
                                   place{}, proxy_link::observers{sessions, notes})} {}

frame_proxy::~frame_proxy() = default;

std::uint16_t frame_proxy::port() const noexcept { return impl_->port(); }

std::string frame_proxy::address() const { return impl_->address(); }

rule_id frame_proxy::add_rule(proxy_rule rule) { return impl_->rules().add(std::move(rule)); }

void frame_proxy::remove_rule(rule_id id) { impl_->rules().remove(id); }

void frame_proxy::clear_rules() { impl_->rules().clear(); }

bool frame_proxy::wait_until_hit(rule_id id, int times, std::chrono::milliseconds limit) const {
    return impl_->rules().wait_until_hit(id, times, limit);
}

int frame_proxy::hits(rule_id id) const { return impl_->rules().hits(id); }

void frame_proxy::cut_all() {
    impl_->in_thread([&] { impl_->for_each_link([](proxy_link& link) { link.cut(); }); });
}

void frame_proxy::release_held() {
    impl_->in_thread([&] { impl_->for_each_link([](proxy_link& link) { link.release_held(); }); });
}

void frame_proxy::set_outage(bool on, refusal how) {
    impl_->in_thread([&] { impl_->set_outage(on, how); });
}

void frame_proxy::set_black_hole(bool on) {
    impl_->in_thread([&] { impl_->set_black_hole(on); });
}

void frame_proxy::replace_server(std::optional<stranger> by) {
    impl_->in_thread([&] { impl_->replace_server(std::move(by)); });
}

void frame_proxy::redirect(std::uint16_t server_port) {
    impl_->in_thread([&] { impl_->redirect(server_port); });
}

proxy_stats frame_proxy::stats() const { return impl_->stats(); }

} // namespace turnstile::test

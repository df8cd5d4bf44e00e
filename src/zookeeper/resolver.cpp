#include "zookeeper/resolver.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <iterator>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;

void resolver::resolve(const protocol::server_address& server, std::size_t attempt, handler done) {
    boost::system::error_code not_numeric;
    const auto numeric = asio::ip::make_address(server.host, not_numeric);
    if (!not_numeric) {
        asio::post(executor_, [endpoint = asio::ip::tcp::endpoint{numeric, server.port},
                               done = std::move(done)] { done(endpoint); });
        return;
    }
    if (!names_)
        names_.emplace(executor_);
    names_->async_resolve(
        server.host, std::to_string(server.port), asio::ip::tcp::resolver::numeric_service,
        asio::bind_executor(executor_, [attempt, done = std::move(done)](
                                           const boost::system::error_code& error,
                                           const asio::ip::tcp::resolver::results_type& found) {
            if (error == asio::error::operation_aborted)
                return;
            if (error || found.empty())
                return done(std::nullopt);
            const auto chosen =
                std::next(found.begin(), static_cast<std::ptrdiff_t>(attempt % found.size()));
            done(chosen->endpoint());
        }));
}

// Its own cancel() allocates.
void resolver::cancel() noexcept { names_.reset(); }

} // namespace turnstile::zookeeper

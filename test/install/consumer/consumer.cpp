#include <turnstile.hpp>

#include <boost/asio/io_context.hpp>

int main() {
    boost::asio::io_context ctx;
    turnstile::session s{ctx.get_executor(), {.servers = "127.0.0.1:1"}};
    turnstile::mutex m{s, "/locks/x"};
    return 0;
}

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <iostream>
#include <turnstile.hpp>

boost::asio::awaitable<void> serve(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = co_await orders.acquire(); // waits in line, blocks no thread
    std::cout << "holding, token " << lock.fencing_token() << '\n'; // goes with each write
    co_await lock.release();                                        // or let it go out of scope
    co_await session.close();
}

int main(int argc, char** argv) {
    boost::asio::io_context context;
    turnstile::session session{context, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};
    boost::asio::co_spawn(context, serve(session), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
}

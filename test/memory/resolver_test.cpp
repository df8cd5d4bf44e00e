// A name that nobody asks for any more, where there is no memory.
#include "allocation_fault.hpp"
#include "zookeeper/resolver.hpp"

#include "support/pch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <new>

using namespace turnstile::test;
using namespace turnstile::zookeeper;

TEST_CASE("a look-up of a name is cancelled without memory") {
    boost::asio::io_context context;
    resolver names{session_strand(boost::asio::any_io_executor(context.get_executor())),
                   {{.host = "localhost", .port = 1}}};
    names.look_up(0, [] {});
    allocation_fault fault(1);
    bool failed = false;
    try {
        const allocation_fault::window open(fault);
        names.cancel();
    } catch (const std::bad_alloc&) {
        failed = true;
    }
    CHECK_FALSE(failed);
}

// SPDX-License-Identifier: BSL-1.0
// The files of TLS are read once for each of their changes, and never on the sessions' strand.
#include "support/certificates.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"
#include "zookeeper/tls_contexts.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ssl/context.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <sys/stat.h>

namespace asio = boost::asio;
using namespace turnstile::test;
using turnstile::tls_options;
using turnstile::zookeeper::find_tls_context;
using turnstile::zookeeper::session_strand;
using turnstile::zookeeper::tls_context;

namespace {

session_strand strand_on(asio::io_context& context) {
    return session_strand(asio::any_io_executor(context.get_executor()));
}

/// While it lives, no thread can be started: its stack would not fit into the address space.
class no_more_threads {
public:
    no_more_threads() {
        ::pthread_getattr_default_np(&usual_);
        pthread_attr_t vast{};
        ::pthread_attr_init(&vast);
        ::pthread_attr_setstacksize(&vast, std::size_t{1} << 47U);
        ::pthread_setattr_default_np(&vast);
        ::pthread_attr_destroy(&vast);
    }
    ~no_more_threads() {
        ::pthread_setattr_default_np(&usual_);
        ::pthread_attr_destroy(&usual_);
    }
    no_more_threads(const no_more_threads&) = delete;
    no_more_threads& operator=(const no_more_threads&) = delete;

private:
    pthread_attr_t usual_{};
};

/// What there is to find once all that has to be read was read.
tls_context found(asio::io_context& context, const tls_options& how) {
    const auto work = asio::make_work_guard(context);
    context.restart(); // it stopped when it had no work
    std::optional<tls_context> result;
    find_tls_context(strand_on(context), how, [&](const tls_context& what) { result = what; });
    while (!result)
        context.run_one();
    return *result;
}

} // namespace

TEST_CASE("the sessions of a context share what was read of TLS's files") {
    const certificates files;
    const tls_options how{.authorities_file = files.file("ca")};
    asio::io_context context;
    const auto first = found(context, how);
    REQUIRE(first.made);
    CHECK(found(context, how).made == first.made);
    CHECK(found(context, {.authorities_file = files.file("other")}).made != first.made);
    asio::io_context another;
    CHECK(found(another, how).made != first.made);
    SECTION("until one of them is renewed") {
        std::filesystem::copy_file(files.file("other"), files.file("next"));
        std::filesystem::rename(files.file("next"), files.file("ca"));
        const auto renewed = found(context, how);
        REQUIRE(renewed.made);
        CHECK(renewed.made != first.made);
    }
}

TEST_CASE("sessions that ask at the same time wait for one reading") {
    const certificates files;
    const tls_options how{.authorities_file = files.file("ca")};
    asio::io_context context;
    const auto work = asio::make_work_guard(context);
    const auto strand = strand_on(context);
    const auto other_strand = strand_on(context);
    std::vector<tls_context> all;
    const auto done = [&](const tls_context& what) { all.push_back(what); };
    find_tls_context(strand, how, done);
    find_tls_context(other_strand, how, done);
    find_tls_context(strand, how, done);
    REQUIRE(all.empty());
    while (all.size() < 3)
        context.run_one();
    REQUIRE(all.front().made);
    CHECK(all[1].made == all[0].made);
    CHECK(all[2].made == all[0].made);
}

TEST_CASE("what is wrong with a file of TLS is told until it is mended") {
    const certificates files;
    const tls_options how{.authorities_file = files.file("late")};
    asio::io_context context;
    const auto missing = found(context, how);
    CHECK_FALSE(missing.made);
    CHECK_THAT(missing.wrong, Catch::Matchers::Contains("tls.authorities_file"));
    std::filesystem::copy_file(files.file("ca"), files.file("late"));
    CHECK(found(context, how).made);
}

TEST_CASE("an authority that is changed in its folder is read again") {
    const certificates files;
    const temp_folder folder{"turnstile-authorities-"};
    const auto place = folder.path() / "0123abcd.0";
    const tls_options how{.authorities_folder = folder.path().string()};
    asio::io_context context;
    std::filesystem::copy_file(files.file("ca"), place);
    const auto first = found(context, how);
    REQUIRE(first.made);
    CHECK(found(context, how).made == first.made);
    SECTION("written anew, in the same file") {
        std::ofstream(place, std::ios::app) << "# renewed\n";
    }
    SECTION("behind a link") {
        std::filesystem::rename(place, folder.path() / "ca.pem");
        std::filesystem::create_symlink("ca.pem", place);
        const auto linked = found(context, how);
        REQUIRE(linked.made != first.made);
        std::ofstream(folder.path() / "ca.pem", std::ios::app) << "# renewed\n";
        CHECK(found(context, how).made != linked.made);
    }
    SECTION("a further one") {
        std::filesystem::copy_file(files.file("other"), folder.path() / "4567abcd.0");
    }
    CHECK(found(context, how).made != first.made);
}

TEST_CASE("where no thread can be started the files of TLS are not read, until one can be") {
    const certificates files;
    const tls_options how{.authorities_file = files.file("ca")};
    asio::io_context context;
    {
        const no_more_threads full;
        const auto none = found(context, how);
        CHECK_FALSE(none.made);
        CHECK_THAT(none.wrong, Catch::Matchers::Contains("no thread can be started"));
        CHECK(none.may_pass);
    }
    const auto later = found(context, how);
    CHECK(later.made);
    CHECK_FALSE(found(context, {.authorities_file = files.file("none")}).may_pass);
}

TEST_CASE("a context may end while TLS's files are read for it") {
    const certificates files;
    for (int i = 0; i < 20; ++i) {
        asio::io_context context;
        find_tls_context(strand_on(context), {},
                         [](const tls_context&) { FAIL("the context is gone"); });
    }
}

TEST_CASE("a context may end while a file of TLS blocks its reader") {
    const certificates files;
    const auto pipe = files.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    unique_fd writer; // can be opened once the reader has opened its end
    {
        asio::io_context context;
        find_tls_context(strand_on(context), {.authorities_file = pipe},
                         [](const tls_context&) { FAIL("the context is gone"); });
        while (!writer) {
            writer = unique_fd{::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
            // justified: nothing tells of a thread that is blocked by a file
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
    writer.reset(); // the reader goes on, with nothing to tell it to
}

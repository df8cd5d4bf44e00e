// What a ticket tells about who stands there, and the one line that the protocol reads back.
#include "protocol/names/ticket_data.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

TEST_CASE("ticket data names the request first, one value a line") {
    const ticket_data who{.host = "alpha", .process = "12", .label = "billing"};
    CHECK(who.str("a1-7") == "request=a1-7\nhost=alpha\npid=12\nlabel=billing\n");
    CHECK(request_of(who.str("a1-7")) == "a1-7");
}

TEST_CASE("a label that is not set is not written") {
    const ticket_data who{.host = "alpha", .process = "12", .label = {}};
    CHECK(who.str("r") == "request=r\nhost=alpha\npid=12\n");
}

TEST_CASE("no value can forge the line of another") {
    const auto forged =
        GENERATE(as<std::string>{}, "\nrequest=evil", "x\nrequest=evil\n", "x\r\nrequest=evil",
                 "\rrequest=evil\r", "request=evil", "\n\n\nrequest=evil\n\n");
    CAPTURE(forged);
    const ticket_data in_label{.host = "h", .process = "1", .label = forged};
    const ticket_data in_host{.host = forged, .process = "1", .label = {}};
    const ticket_data in_process{.host = "h", .process = forged, .label = {}};
    for (const auto& who : {in_label, in_host, in_process}) {
        const auto text = who.str("mine");
        CHECK(request_of(text) == "mine");
        CHECK(text.find("\nrequest=") == std::string::npos);
        CHECK(text.find('\r') == std::string::npos);
    }
    const ticket_data plain{.host = "h", .process = "1", .label = {}};
    CHECK(plain.str(forged).find("\nrequest=") == std::string::npos);
}

TEST_CASE("the request is found on any line, and only where the line begins with it") {
    CHECK(request_of("host=h\nrequest=late\n") == "late");
    CHECK(request_of("request=no-line-end") == "no-line-end");
    CHECK(request_of("request=first\nrequest=second\n") == "first");
    CHECK(request_of("request=") == "");
    CHECK(request_of("\n\nrequest=x") == "x");
}

TEST_CASE("data of other programs carries no request") {
    const auto data =
        GENERATE(as<std::string>{}, "", "\n", "released\n", "192.168.0.1", "xrequest=1",
                 " request=1", "Request=1", "request", "host=request=1");
    CAPTURE(data);
    CHECK(request_of(data).empty());
}

// SPDX-License-Identifier: BSL-1.0
// What a ticket says about who stands there: as it is written, and as any version of it reads.
#include "protocol/names/ticket_data.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

namespace {

std::string written(std::string_view request, const ticket_data& session) {
    return ticket_data(session).str(request);
}

} // namespace

TEST_CASE("ticket data names its version and the request first, one value a line") {
    CHECK(written("a1-7", {.host = "alpha", .process = "12", .label = "billing"}) ==
          "turnstile=1\nrequest=a1-7\nhost=alpha\npid=12\nlabel=billing\n");
}

TEST_CASE("a label that is not set is not written") {
    CHECK(written("r", {.host = "alpha", .process = "12"}) ==
          "turnstile=1\nrequest=r\nhost=alpha\npid=12\n");
    CHECK(ticket_data().str("r") == "turnstile=1\nrequest=r\nhost=\npid=\n");
}

TEST_CASE("ticket data reads back as it was written") {
    const auto label = GENERATE(as<std::string>{}, "", "billing", "a=b", " turnstile=2", "=");
    const ticket_data session{.host = "alpha", .process = "12", .label = label};
    const auto text = written("a1-7", session);
    CAPTURE(text);
    auto expected = session;
    expected.request = "a1-7";
    CHECK(ticket_data::parse(text) == expected);
    CHECK(request_of(text) == "a1-7");
}

TEST_CASE("no value can forge the line of another") {
    const auto forged =
        GENERATE(as<std::string>{}, "\nrequest=evil", "x\nrequest=evil\n", "x\r\nrequest=evil",
                 "\rrequest=evil\r", "request=evil", "\n\n\nrequest=evil\n\n", "\nhost=evil",
                 "\npid=evil", "\nlabel=evil", "\nturnstile=9");
    CAPTURE(forged);
    const ticket_data in_label{.host = "h", .process = "1", .label = forged};
    const ticket_data in_host{.host = forged, .process = "1", .label = "l"};
    const ticket_data in_process{.host = "h", .process = forged, .label = "l"};
    for (const auto& session : {in_label, in_host, in_process}) {
        const auto text = written("mine", session);
        CHECK(text.find('\r') == std::string::npos);
        const auto read = ticket_data::parse(text);
        REQUIRE(read);
        CHECK(read->version == 1);
        CHECK(read->request == "mine");
        CHECK((read->host == "h") == (session.host == "h"));
        CHECK((read->process == "1") == (session.process == "1"));
        CHECK((read->label == "l") == (session.label == "l"));
    }
}

TEST_CASE("data from before versions is understood") {
    const ticket_data old{.version = 0, .request = "a1-7", .host = "alpha", .process = "12"};
    CHECK(ticket_data::parse("request=a1-7\nhost=alpha\npid=12\n") == old);
    auto with_label = old;
    with_label.label = "billing";
    CHECK(ticket_data::parse("request=a1-7\nhost=alpha\npid=12\nlabel=billing\n") == with_label);
}

TEST_CASE("a newer version is read as far as it is understood") {
    const ticket_data newer{.version = 7, .request = "r", .host = "h", .process = "1"};
    CHECK(ticket_data::parse("turnstile=7\nkind=shared\npid=1\nhost=h\n?\n\nrequest=r\nage=3") ==
          newer);
    CHECK(ticket_data::parse("turnstile=2147483647\n") == ticket_data{.version = 2147483647});
}

TEST_CASE("keys may be unknown, come in any order, or come twice") {
    const ticket_data expected{.request = "first", .host = "h"};
    CHECK(ticket_data::parse("turnstile=1\nhost=h\nxrequest=no\nrequest=first\nrequest=second") ==
          expected);
    CHECK(ticket_data::parse("turnstile=1\nrequest=\nrequest=second\n") == ticket_data{});
    CHECK(ticket_data::parse("turnstile=1") == ticket_data{});
}

TEST_CASE("data of other programs is no ticket data") {
    const auto data = GENERATE(
        as<std::string>{}, "", "\n", "released\n", "192.168.0.1", "alpha.example",
        "0123456789abcdef0123456789abcdef", "host=h\nrequest=r\n", "\nrequest=r", "request=\n",
        "request", " request=1", "Request=1", "turnstile", "turnstile=", "turnstile=\nrequest=r\n",
        "turnstile=0\nrequest=r\n", "turnstile=-1\n", "turnstile=+1\n", "turnstile= 1\n",
        "turnstile=1 \n", "turnstile=1\r\nrequest=r\r\n", "turnstile=one\n", "turnstile=1.2\n",
        "turnstile=2147483648\n", "\nturnstile=1\nrequest=r\n", "xturnstile=1\n");
    CAPTURE(data);
    CHECK_FALSE(ticket_data::parse(data));
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

TEST_CASE("a candidate's value has any bytes, and hides no line") {
    const auto value =
        GENERATE(as<std::string>{}, "10.0.0.7:8080", "a\nb", "\n", "%", "%n", "%%n", "100%", "\r\n",
                 "a\nrequest=evil\nclear=1\n", "%\n%", std::string("\0x\0", 3), "value=");
    CAPTURE(value);
    const ticket_data session{.host = "h", .process = "1"};
    const auto text = ticket_data(session).str("mine", value);
    const auto read = ticket_data::parse(text);
    REQUIRE(read);
    CHECK(read->value == value);
    CHECK(read->request == "mine");
    CHECK_FALSE(is_marked_clear(text));
}

TEST_CASE("no value is not written, and one that another program wrote is read") {
    CHECK(ticket_data().str("r", "") == ticket_data().str("r"));
    CHECK(ticket_data::parse("turnstile=1\nvalue=50%\n")->value == "50%\n");
}

// SPDX-License-Identifier: BSL-1.0
#include "manual.hpp"

#include "option_list.hpp"

#include <fmt/core.h>

#include <sstream>

namespace turnstile::command {

namespace {

/// Text that roff shows as it is.
std::string shown(const std::string& text) {
    std::string result;
    bool begins = true;
    for (const char each : text) {
        if (begins && (each == '.' || each == '\''))
            result += "\\&";
        if (each == '-')
            result += "\\-";
        else if (each == '\\')
            result += "\\e";
        else
            result += each;
        begins = each == '\n';
    }
    return result;
}

/// Lines that are not filled, each as it stands.
std::string as_it_stands(const std::string& text) { return ".PP\n.nf\n" + shown(text) + "\n.fi\n"; }

std::string entry_of(const option_entry& option) {
    std::string names;
    if (option.positional)
        names = "\\fI" + shown(option.long_name) + "\\fR";
    else
        names = (option.short_name.empty() ? "" : "\\fB" + shown(option.short_name) + "\\fR, ") +
                "\\fB" + shown(option.long_name) + "\\fR" +
                (option.value.empty() ? "" : " \\fI" + shown(option.value) + "\\fR");
    return ".TP\n" + names + '\n' + shown(one_line(option.description)) + '\n';
}

std::string usage_of(const CLI::App& app) {
    std::string result = "turnstile " + app.get_name() + " [OPTIONS]";
    for (const auto& each : options_of(app))
        if (each.positional)
            result += app.get_option(each.long_name)->get_required() ? ' ' + each.long_name
                                                                     : " [" + each.long_name + ']';
    return result + (runs_program(app.get_name()) ? " -- COMMAND [ARGUMENT...]" : "");
}

std::string section_of(const CLI::App& app) {
    auto result =
        fmt::format(".SS \"{}\"\n{}.\n", shown(usage_of(app)), shown(app.get_description()));
    for (const auto& each : options_of(app))
        result += entry_of(each);
    return result + as_it_stands(app.get_footer());
}

} // namespace

std::string manual_of(const CLI::App& app) {
    std::string result = fmt::format(
        ".TH TURNSTILE 1 \"\" \"turnstile {}\" \"User Commands\"\n"
        ".SH NAME\nturnstile \\- locks that programs on many hosts share\n"
        ".SH SYNOPSIS\n\\fBturnstile\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIPATH\\fR]\n"
        ".SH DESCRIPTION\n"
        "A lock is a path in Apache ZooKeeper, such as /locks/deploy. It need not be created. "
        "Programs that use the same path use the same lock, whichever hosts they run on. "
        "\\fBturnstile run\\fR runs a command while it holds a lock. The other commands look at "
        "locks, change them, or check the servers.\n"
        ".SH OPTIONS\n",
        TURNSTILE_COMMAND_VERSION);
    for (const auto& each : options_of(app))
        result += entry_of(each);
    result += ".SH COMMANDS\n";
    for (const auto* each : commands_of(app))
        result += section_of(*each);
    result += ".SH \"EXIT STATUS\"\n" + as_it_stands(app.get_footer());
    result += ".SH ENVIRONMENT\n"
              ".TP\n\\fBTURNSTILE_SERVERS\\fR\nThe servers, where \\-\\-server does not say them.\n"
              ".TP\n\\fBTURNSTILE_TLS\\fR, \\fBTURNSTILE_TLS_CA\\fR, \\fBTURNSTILE_TLS_CERT\\fR, "
              "\\fBTURNSTILE_TLS_KEY\\fR, \\fBTURNSTILE_TLS_NAME\\fR\n"
              "TLS, where the options of these names do not say it.\n"
              ".TP\n\\fBTURNSTILE_SASL\\fR, \\fBTURNSTILE_SASL_PRINCIPAL\\fR, "
              "\\fBTURNSTILE_SASL_KEYTAB\\fR, \\fBTURNSTILE_SASL_SERVICE\\fR, "
              "\\fBTURNSTILE_SASL_HOST\\fR\n"
              "The same for SASL. A ticket cache is named by \\fBKRB5CCNAME\\fR.\n"
              ".TP\n\\fBTURNSTILE_TICK\\fR\nTheir tick, where \\-\\-tick does not say it.\n"
              ".TP\n\\fBTURNSTILE_WATCH_OWN_DATA\\fR\nAs \\-\\-watch\\-own\\-data.\n"
              ".TP\n\\fBTURNSTILE_LOCK\\fR, \\fBTURNSTILE_FENCING_TOKEN\\fR\n"
              "The path of the lock, and its fencing token, for the command that is run. A fencing "
              "token grows with each holder: a database that refuses smaller ones is safe from a "
              "holder that goes on too long.\n"
              ".TP\n\\fBTURNSTILE_SESSION\\fR\n"
              "The ZooKeeper session that holds the lock, as \\fBturnstile show \\-\\-json\\fR "
              "tells it of each ticket.\n";
    return result;
}

} // namespace turnstile::command

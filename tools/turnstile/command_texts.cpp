// SPDX-License-Identifier: BSL-1.0
#include "command_texts.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace turnstile::command {

namespace {

// Of the commands that run a program: `run` and `elect`.
const std::vector<term_text> exits_of_program{
    {"0 to 118", "the command's own: greater ones of it are passed on, too"},
    {"119", "the time of --at-most was over, and the command was ended"},
    {"122", "others have the lock: -E gives another code"},
    {"123", "the lock was lost, and the command was ended"},
    {"126, 127", "the command cannot be run, or is not there"},
    {"128 + N", "signal N ended the command, or the wait for the lock"}};

const std::vector<manual_section> sections_of_program{
    {"SIGNALS",
     "SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 go on to the process group of the "
     "command. While turnstile waits for the lock, they end the wait. A signal that asks the "
     "command to end also ends the time of --at-least.\n\n"
     "On a terminal the command shares the process group of turnstile: it can read from the "
     "terminal, and Ctrl-C ends both. Ctrl-Z does not stop them, for the lock would be lost. "
     "Without a terminal the command has a process group of its own."},
    {"WHAT ENDS WITH THE LOCK",
     "Nothing of the command runs beside the next holder. This counts for all processes that "
     "descend from it.\n\n"
     "The command ends by itself: what it leaves behind has a second to end, too. After that it "
     "gets SIGTERM, and SIGKILL after --grace. Only then is the lock released. A daemon of such a "
     "command, which is a process with a session of its own (setsid) whose parent has ended, is "
     "left alone.\n\n"
     "The command is ended, by a signal, by the loss of the lock, or because turnstile was killed: "
     "then its daemons end with it.\n\n"
     "What another program starts for the command does not descend from it, such as a service or "
     "a container. A process of another user cannot be killed: turnstile waits for its end."},
    {"LOSS OF THE LOCK",
     "A lock is lost when the servers have not heard of turnstile for too long, when somebody "
     "deletes its ticket, or when the time of --at-most is over. All processes of the command get "
     "SIGTERM then, and SIGKILL after --grace: before others get the lock, unless the ticket was "
     "deleted.\n\n"
     "If turnstile is killed, a second process, the guardian, kills the command, and ends the "
     "session, so that the next one gets the lock at once. If turnstile is stopped, it kills the "
     "command at the moment at which others may get the lock.\n\n"
     "A process that stands still can go on after the loss. Only the fencing token protects data "
     "from it: give TURNSTILE_FENCING_TOKEN to the database with each write, and let the database "
     "refuse smaller ones."}};

const std::vector<command_text> command_texts{
    {.name = "run",
     .notes = "The command finds TURNSTILE_LOCK, TURNSTILE_FENCING_TOKEN and TURNSTILE_SESSION\n"
              "in its environment.",
     .exits = exits_of_program,
     .example = "turnstile run --no-wait --at-least 10m /locks/nightly -- ./nightly.sh",
     .sections = sections_of_program},
    {.name = "elect",
     .notes = "As `turnstile run`: it ends with the command. `turnstile leader` tells who leads.",
     .exits = exits_of_program,
     .example = "turnstile elect --value 10.0.0.7:8080 /locks/reports -- ./serve.sh",
     .sections = sections_of_program},
    {.name = "hold",
     .notes = "It writes a line when it holds the lock: the fencing token, or an empty line with\n"
              "--permits. It releases the lock when its standard input ends, or at a signal. The\n"
              "input is a pipe, a socket or a terminal, and is not read. The loss of the lock\n"
              "ends it, and not the section of the script.",
     .exits = {{"0", "the lock was released at the end of the input"},
               {"119", "the time of --at-most was over"},
               {"122", "others have the lock, or the input ended first: -E gives another code"},
               {"123", "the lock was lost"},
               {"128 + N", "signal N ended it"}},
     .example = "coproc turnstile hold /locks/deploy"},
    {.name = "show", .example = "turnstile show /locks/deploy"},
    {.name = "ls",
     .exits = {{"124", "the path itself may not be read"}},
     .example = "turnstile ls /locks"},
    {.name = "watch",
     .notes = "A holder that comes and leaves between two looks is not seen. It goes on while no\n"
              "server answers, and says so. It ends with the reader of its output.",
     .exits = {{"0", "Ctrl-C, or SIGTERM"}, {"141", "nothing reads the output any more"}},
     .example = "turnstile watch /locks/deploy"},
    {.name = "leader",
     .notes =
         "With --watch it goes on while no server answers, and says so. It ends with the\n"
         "reader of its output. Of leaders that follow each other quickly, or while no server\n"
         "answers, the last one alone may be told.",
     .exits = {{"122", "nobody leads"}, {"141", "nothing reads the output any more"}},
     .example = "turnstile leader --watch /locks/reports"},
    {.name = "yield",
     .notes = "`turnstile run --on-yield` hears of it, as programs with the library can.",
     .exits = {{"0", "the holder has let go"},
               {"1", "nobody held the lock"},
               {"122", "it was not let go within --wait: the request is taken back"},
               {"128 + N", "signal N ended it: the request is taken back"}},
     .example = "turnstile yield --reason 'a new version' --wait 30s /locks/reports"},
    {.name = "limit", .example = "turnstile limit /locks/pool 3"},
    {.name = "break",
     .notes =
         "The holder is told that it has lost the lock, and may go on for a while. Only fencing\n"
         "tokens keep it apart from the next one.",
     .exits = {{"122", "nobody holds the lock, or you did not agree"}},
     .example = "turnstile break /locks/deploy"},
    {.name = "drill",
     .notes = "It ends with the time of --for, or else with its standard input; or by Ctrl-C.",
     .exits = {{"0", "the lock was never at risk"},
               {"1", "it was"},
               {"123", "it was lost"},
               {"128 + N", "signal N ended the wait for it"}},
     .example = "turnstile drill --for 10m /locks/drill"},
    {.name = "doctor",
     .exits = {{"0", "all is well"}, {"1", "there are warnings"}, {"2", "there are errors"}},
     .example = "turnstile doctor --server zk1:2181,zk2:2181,zk3:2181 /locks"},
    {.name = "guard",
     .notes = "Programs name the same socket (session_options::host_guard, TURNSTILE_GUARD).",
     .example = "turnstile guard --socket /run/turnstile/guard.sock"},
    {.name = "completion", .example = "source <(turnstile completion bash)"}};

} // namespace

const command_text& text_of(const std::string& command) {
    static const command_text none;
    const auto text = std::ranges::find(command_texts, command, &command_text::name);
    return text != command_texts.end() ? *text : none;
}

const std::vector<term_text>& common_exits() {
    static const std::vector<term_text> result{
        {"0", "done"},
        {"119", "the time of --at-most was over, and the command was ended"},
        {"120", "an option or an argument is wrong"},
        {"121", "no server answers"},
        {"122", "others have the lock"},
        {"123", "the lock was lost, and the command was ended"},
        {"124", "a server refused: a right is missing, another kind of lock is there,\n"
                "or the path's node has data of its own"},
        {"125", "turnstile itself failed"},
        {"126, 127", "the command cannot be run, or is not there"},
        {"128 + N", "signal N ended the command, or turnstile"}};
    return result;
}

const std::vector<term_text>& program_variables() {
    static const std::vector<term_text> result{
        {"TURNSTILE_LOCK", "The path of the lock, for the command that is run, and for the lines "
                           "of --on-lost and --on-yield."},
        {"TURNSTILE_FENCING_TOKEN",
         "The fencing token, for the command. It grows with each holder: a database that refuses "
         "smaller ones is safe from a holder that goes on too long."},
        {"TURNSTILE_SESSION", "The ZooKeeper session that holds the lock, for the command, as "
                              "`turnstile show --json` tells it of each ticket."},
        {"TURNSTILE_REASON", "Why the lock is lost, for the line of --on-lost, or why it is asked "
                             "for, for that of --on-yield."},
        {"TURNSTILE_FROM", "Who asks for the lock, for the line of --on-yield."},
        {"TURNSTILE_PID", "Which process to signal, for the line of --on-yield."},
        {"TURNSTILE_HELD", "Which locks are held around the command. It is for turnstile alone, "
                           "which would wait for itself."}};
    return result;
}

std::string footer_of(const command_text& about) {
    auto result = about.notes.empty() ? "" : about.notes + "\n\n";
    if (!about.exits.empty()) {
        result += "Exit codes, beside those of `turnstile --help`:\n";
        for (const auto& [code, meaning] : about.exits)
            result += fmt::format("  {:<10}{}\n", code, meaning);
        result += '\n';
    }
    return result + "Example: " + about.example;
}

} // namespace turnstile::command

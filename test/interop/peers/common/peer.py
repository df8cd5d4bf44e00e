"""One contender for one lock, told by lines on the standard input what to do (see peers/README.md)."""

import os
import queue
import sys
import threading
import traceback


class Setting:
    """What the program was started with."""

    def __init__(self, words):
        self.lock, self.servers, self.path = words[:3]
        self.timeout = int(words[3]) / 1000.0
        self.counter = words[4] if len(words) > 4 else None


class Torn(Exception):
    """Somebody else wrote the counter while the lock was held."""


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Peer:
    """Subclasses have connect() -> session id, acquire(), release(), close() and shared."""

    shared = False

    def __init__(self, setting):
        self.setting = setting
        self.seen = None  # of the counter, when the lock was granted

    def read(self):
        with open(self.setting.counter, encoding="ascii") as file:
            return file.read().strip()

    def enter(self):
        if self.setting.counter:
            self.seen = self.read()

    def leave(self):
        if not self.setting.counter:
            return
        now = self.read()
        if now != self.seen:
            raise Torn("the counter was %s and is %s" % (self.seen, now))
        if not self.shared:
            with open(self.setting.counter, "w", encoding="ascii") as file:
                file.write(str(int(now) + 1))

    def obey(self, commands):
        try:
            say("ready %x" % self.connect())
            while True:
                command = commands.get()
                if command == "acquire":
                    self.acquire()
                    self.enter()
                    say("held")
                elif command == "release":
                    self.leave()
                    self.release()
                    say("released")
                else:
                    raise ValueError("no command: " + command)
        except Torn as error:
            say("torn %s" % error)
        except BaseException as error:
            traceback.print_exc()
            say("failed %r" % error)

    def end(self):
        """Ends the session and the program, also if the library hangs."""
        closer = threading.Thread(target=self.close, daemon=True)
        closer.start()
        closer.join(5)
        os._exit(0)

    def run(self):
        commands = queue.Queue()

        def work():
            self.obey(commands)
            self.end()

        threading.Thread(target=work, daemon=True).start()
        for line in sys.stdin:
            commands.put(line.strip())
        self.end()

# SPDX-License-Identifier: BSL-1.0
"""One contender for one lock (see peers/README.md)."""

from program import Program


class Setting:
    """What the program was started with."""

    def __init__(self, words):
        self.lock, self.servers, self.path = words[:3]
        self.timeout = int(words[3]) / 1000.0
        self.counter = words[4] if len(words) > 4 else None


class Torn(Exception):
    """Somebody else wrote the counter while the lock was held."""


class Peer(Program):
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

    def ready(self):
        return "ready %x" % self.connect()

    def answer(self, command):
        if command == "acquire":
            self.acquire()
            self.enter()
            return "held"
        if command == "release":
            self.leave()
            self.release()
            return "released"
        raise ValueError("no command: " + command)

    def failed(self, error):
        return "torn %s" % error if isinstance(error, Torn) else "failed %r" % error

# SPDX-License-Identifier: BSL-1.0
"""A line of contenders of one library, each a thread, in one process (see bench/peers/README.md)."""

import json
import os
import platform
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../test/interop/peers/common"))

from program import Program


class Setting:
    """What the program was started with."""

    def __init__(self, words):
        self.servers, self.path = words[:2]
        self.sessions = int(words[2])
        self.timeout = int(words[3]) / 1000.0


class Line(Program):
    """Subclasses have:

    version()                the library's name and release
    connect()                opens the sessions
    prepare(contenders)      opens what so many need, and closes what they do not; returns how many sessions are open
    lock(contender, path)    with acquire() and release(); neighbours belong to different sessions
    close()
    """

    def __init__(self, setting):
        self.setting = setting
        self.failure = None
        self.sessions = 0
        self.reset()

    def reset(self):
        # Of the line that stands. Its contenders are counted from 0, who holds the lock first.
        self.contenders = 0
        self.first_may_release = threading.Event()
        self.drained = threading.Event()  # or failed
        self.answered = threading.Semaphore(0)  # releases that have returned
        self.taken = []  # from a release to the next contender's acquire
        self.released = 0  # when the last release was called

    def contend(self, contender):
        try:
            lock = self.lock(contender, self.setting.path)
            lock.acquire()
            now = time.monotonic_ns()
            if contender == 0:
                self.first_may_release.wait()
            else:
                if len(self.taken) != contender - 1:
                    raise RuntimeError("contender %d was served after %d others" % (contender, len(self.taken)))
                self.taken.append(now - self.released)
                self.answered.acquire()  # The release before is no part of the next hand-off.
            self.released = time.monotonic_ns()
            lock.release()
            self.answered.release()
            if contender == self.contenders - 1:
                self.drained.set()
        except BaseException as error:
            self.failure = error
            self.drained.set()

    def stands(self, contender):
        """Returns when the contender stands in line. Who drives the program sees the line on ZooKeeper by itself."""

    def settle(self):
        """Returns when everybody waits, likewise."""

    def join(self):
        contender = self.contenders
        self.contenders += 1
        threading.Thread(target=self.contend, args=(contender,), daemon=True).start()
        self.stands(contender)
        return {}

    def check(self):
        if self.failure:
            raise RuntimeError("a contender failed") from self.failure

    def use_each_session(self):
        """Every connection went cold while nothing was under way."""
        for i in range(min(self.sessions, self.contenders)):
            aside = self.lock(i, self.setting.path + "-aside")
            aside.acquire()
            aside.release()

    def drain(self):
        self.settle()
        self.use_each_session()
        start = time.monotonic_ns()
        self.first_may_release.set()
        self.drained.wait()
        end = time.monotonic_ns()
        self.check()
        return {"drain_s": (end - start) / 1e9, "samples_ns": self.taken}

    def uncontended(self, pairs):
        lock = self.lock(0, self.setting.path)
        lock.acquire()  # The first of a path may make it.
        lock.release()
        self.reset()
        for _ in range(pairs):
            start = time.monotonic_ns()
            lock.acquire()
            lock.release()
            self.taken.append(time.monotonic_ns() - start)
        return {"samples_ns": self.taken}

    def ready(self):
        self.connect()
        return json.dumps({"version": "%s, Python %s" % (self.version(), platform.python_version())})

    def answer(self, command):
        self.check()
        word, *numbers = command.split()
        if word == "prepare":
            self.reset()
            self.sessions = self.prepare(int(numbers[0]))
            return json.dumps({"sessions": self.sessions})
        if word == "join":
            return json.dumps(self.join())
        if word == "drain":
            return json.dumps(self.drain())
        if word == "uncontended":
            return json.dumps(self.uncontended(int(numbers[0])))
        raise ValueError("no command: " + command)

    def failed(self, error):
        return json.dumps({"failed": repr(error.__cause__ or error)})

    def unfinished(self):
        return json.dumps({"unfinished": True, "samples_ns": self.taken})

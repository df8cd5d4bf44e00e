# SPDX-License-Identifier: BSL-1.0
"""A contender of Kazoo (see peers/README.md)."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from kazoo.recipe.lock import Lock, ReadLock, WriteLock

from kazoo_client import make_client
from peer import Peer, Setting

# What makes Kazoo wait for names that end in lock-<seq>.
PATTERNS = ["lock-"]


class EarlierOnly(ReadLock):
    """Kazoo's ReadLock before 2.9.0 also waits for writers behind it, who wait for it (kazoo#649): for ever.
    This one sees only those before it, as later releases do."""

    def _get_predecessor(self, node):
        listing = self.client.get_children

        def earlier(path):
            return [name for name in listing(path) if name == node or name[-10:] < node[-10:]]

        self.client.get_children = earlier
        try:
            return super()._get_predecessor(node)
        finally:
            self.client.get_children = listing


def waits_for_later_writers():
    class Line:
        """A client that knows one line: a reader, and a writer behind it."""

        @staticmethod
        def get_children(path):
            return ["me__rlock__0000000001", "other__lock__0000000002"]

    lock = ReadLock.__new__(ReadLock)
    lock.client = Line()
    lock.path = "/"
    lock.prefix = "me__rlock__"
    lock._contenders_re = re.compile(r"(?:__lock__)(-?\d{10})$")
    return lock._get_predecessor("me__rlock__0000000001") is not None


class KazooPeer(Peer):
    def __init__(self, setting):
        super().__init__(setting)
        self.shared = setting.lock == "read-lock"
        self.client = make_client(setting.servers, setting.timeout)
        self.lock = None

    def connect(self):
        self.client.start(timeout=30)
        return self.client.client_id[0]

    def make(self):
        kind = self.setting.lock
        if kind == "stock-lock":
            return Lock(self.client, self.setting.path)
        if kind == "lock":
            return Lock(self.client, self.setting.path, extra_lock_patterns=PATTERNS)
        if kind == "write-lock":
            return WriteLock(self.client, self.setting.path, extra_lock_patterns=PATTERNS)
        if kind == "read-lock":
            reader = EarlierOnly if waits_for_later_writers() else ReadLock
            return reader(self.client, self.setting.path, extra_lock_patterns=PATTERNS)
        raise ValueError("no lock: " + kind)

    def acquire(self):
        if self.lock is None:
            self.lock = self.make()
        self.lock.acquire()

    def release(self):
        self.lock.release()

    def close(self):
        self.client.stop()
        self.client.close()


KazooPeer(Setting(sys.argv[1:])).run()

# SPDX-License-Identifier: BSL-1.0
"""A contender that behaves as go-zookeeper's Lock, over Kazoo's connection (see peers/README.md).

An emulation: the names that go-zookeeper makes, the sequence numbers that it reads, the order in which it asks."""

import os
import sys
import threading
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from kazoo.exceptions import NoNodeError

from kazoo_client import make_client
from peer import Peer, Setting


def sequence_of(name):
    """The number after the last "lock-", or, where there is none, after the last "__" (Kazoo's names).
    A name without one is an error, which fails the acquire."""
    parts = name.split("lock-")
    if len(parts) == 1:
        parts = name.split("__")
    return int(parts[-1])


class GoNamesPeer(Peer):
    def __init__(self, setting):
        super().__init__(setting)
        if setting.lock != "lock":
            raise ValueError("no lock: " + setting.lock)
        self.client = make_client(setting.servers, setting.timeout)
        self.node = None

    def connect(self):
        self.client.start(timeout=30)
        self.client.ensure_path(self.setting.path)
        return self.client.client_id[0]

    def acquire(self):
        name = "_c_%s-lock-" % uuid.uuid4().hex
        path = self.setting.path
        self.node = self.client.create(path + "/" + name, b"", ephemeral=True, sequence=True)
        mine = sequence_of(self.node[len(path) + 1 :])
        while True:
            before = [(sequence_of(child), child) for child in self.client.get_children(path)]
            before = [entry for entry in before if entry[0] < mine]
            if not before:
                return
            changed = threading.Event()
            try:
                self.client.get(path + "/" + max(before)[1], watch=lambda event: changed.set())
            except NoNodeError:
                continue
            changed.wait()

    def release(self):
        self.client.delete(self.node)

    def close(self):
        # Without a connection the server would not be told, and the line would wait for the session timeout.
        self.client.retry(self.client.exists, "/")
        self.client.stop()
        self.client.close()


GoNamesPeer(Setting(sys.argv[1:])).run()

# SPDX-License-Identifier: BSL-1.0
"""A line of Kazoo's Lock (see bench/peers/README.md)."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from line import Line, Setting

from kazoo.recipe.lock import Lock
from kazoo.version import __version__

from kazoo_client import make_client


class KazooLine(Line):
    def __init__(self, setting):
        super().__init__(setting)
        self.clients = []

    def version(self):
        return "Kazoo " + __version__

    def connect(self):
        for _ in range(self.setting.sessions):
            self.clients.append(make_client(self.setting.servers, self.setting.timeout))
            self.clients[-1].start(timeout=30)

    def prepare(self, contenders):
        return len(self.clients)

    # An object for each contender: its acquire lets one thread in at a time.
    def lock(self, contender, path):
        return Lock(self.clients[contender % len(self.clients)], path)

    def close(self):
        for client in self.clients:
            client.stop()
            client.close()


KazooLine(Setting(sys.argv[1:])).run()

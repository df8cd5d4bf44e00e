# SPDX-License-Identifier: BSL-1.0
"""A line of etcd's own lock, through the JSON gateway of one server (see bench/peers/README.md)."""

import base64
import http.client
import json
import os
import resource
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from line import Line, Setting

# In seconds. No run takes as long, so that nobody has to keep a lease alive.
LEASE = 600
# In seconds: how long the server may take to start.
START = 30


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class Connection:
    """It has one request under way at a time, so each contender needs its own."""

    def __init__(self, server):
        self.http = http.client.HTTPConnection(server)

    def send(self, method, path, body=None):
        self.http.request(method, path, body)
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError("etcd answers %d to %s: %r" % (answer.status, path, text))
        return text

    def ask(self, path, **what):
        return json.loads(self.send("POST", path, json.dumps(what).encode()))

    def close(self):
        self.http.close()


class Contender:
    """A connection and a lease. The lock takes all who come with one lease for the same."""

    def __init__(self, server):
        self.connection = Connection(server)
        self.lease = self.connection.ask("/v3/lease/grant", TTL=LEASE)["ID"]

    def close(self):
        self.connection.ask("/v3/lease/revoke", ID=self.lease)
        self.connection.close()


class EtcdLock:
    def __init__(self, contender, path):
        self.contender = contender
        self.name = encoded(path)
        self.key = None

    def acquire(self):
        answer = self.contender.connection.ask("/v3/lock/lock", name=self.name, lease=self.contender.lease)
        self.key = answer["key"]

    def release(self):
        self.contender.connection.ask("/v3/lock/unlock", key=self.key)


class EtcdLine(Line):
    def __init__(self, setting):
        super().__init__(setting)
        self.open = []
        self.eyes = None

    def version(self):
        return "etcd " + json.loads(self.eyes.send("GET", "/version"))["etcdserver"]

    def connect(self):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a connection for each contender
        deadline = time.monotonic() + START
        while True:
            self.eyes = Connection(self.setting.servers)
            try:
                if json.loads(self.eyes.send("GET", "/health"))["health"] == "true":
                    break
            except (OSError, RuntimeError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)  # A server tells only who asks.
        self.prepare(1)

    def prepare(self, contenders):
        wanted = max(1, contenders)
        while len(self.open) > wanted:
            self.open.pop().close()
        while len(self.open) < wanted:
            self.open.append(Contender(self.setting.servers))
        return len(self.open)

    def lock(self, contender, path):
        return EtcdLock(self.open[contender], path)

    def stands(self, contender):
        key = self.setting.path + "/"
        end = self.setting.path + "0"  # the sign after "/"
        while True:
            found = self.eyes.ask("/v3/kv/range", key=encoded(key), range_end=encoded(end), count_only=True)
            if int(found.get("count", 0)) > contender:
                return
            self.check()

    def settle(self):
        """Whoever waits has a watch, which the server's metrics count."""
        while True:
            for line in self.eyes.send("GET", "/metrics").decode().splitlines():
                if line.startswith("etcd_debugging_mvcc_watcher_total ") and float(line.split()[1]) >= self.contenders - 1:
                    return
            self.check()

    def use_each_session(self):
        """Each has its request under way."""

    def close(self):
        while self.open:
            self.open.pop().close()


EtcdLine(Setting(sys.argv[1:])).run()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""zookeeper_store.py SERVERS TOKEN LATER_TOKEN: a store in ZooKeeper that refuses old fencing tokens, and the race that it
stops.

A node has the token and the value. ZooKeeper counts how often a node was written, its version. A write that names the
version fails if somebody else wrote in between, also where the server that was read from was behind.
Needs Kazoo (Debian's python3-kazoo)."""
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, NodeExistsError


class OldToken(Exception):
    pass


class OrderStore:
    def __init__(self, client):
        self.client = client

    def read(self, order, token):
        """Registers the token: from here on the store refuses older ones."""
        return self.update(order, token, lambda pieces: pieces)

    def write(self, order, pieces, token):
        self.update(order, token, lambda _: pieces)

    def update(self, order, token, change):
        path = "/store/" + order
        try:
            self.client.create(path, b"", makepath=True)
        except NodeExistsError:
            pass
        while True:
            data, node = self.client.get(path)
            newest, pieces = data.decode().split() if data else ("", "0")
            if token < newest:  # as text: that is the order of the tokens
                raise OldToken("order " + order + " is refused")
            pieces = change(int(pieces))
            try:
                self.client.set(path, f"{token} {pieces}".encode(), version=node.version)
                return pieces
            except BadVersionError:
                pass  # somebody else wrote: compare with that one's token


def race(store, token, later_token):
    print("first holder: read", store.read("4711", token))
    print("second holder: read", store.read("4711", later_token))
    try:
        store.write("4711", 1, token)
        print("first holder: wrote 1")
    except OldToken as refused:
        print("first holder:", refused)
    store.write("4711", 1, later_token)
    print("second holder: wrote 1")


def main():
    servers, token, later_token = sys.argv[1:]
    client = KazooClient(servers)
    client.start()
    race(OrderStore(client), token, later_token)
    client.stop()


main()

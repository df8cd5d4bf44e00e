# SPDX-License-Identifier: BSL-1.0
"""How each program that uses Kazoo connects."""

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry


def make_client(servers, timeout):
    """Tries for ever."""
    return KazooClient(
        hosts=servers,
        timeout=timeout,
        command_retry=KazooRetry(max_tries=-1, max_delay=1),
        connection_retry=KazooRetry(max_tries=-1, max_delay=1),
    )

#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""closed_ensemble.py TURNSTILE: follows docs/closed_ensemble.md to the letter, from nothing to a closed ensemble.

It runs what the page says to run, in one shell and a new folder. The hosts of the page are addresses of a network namespace of
its own. What the page says of a server is done for each of the three. Ends with 77 where no namespace is allowed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
block = re.compile(r"^```sh( \w+)?\n(.*?)^```$", re.M | re.S)
hosts = ("zk1", "zk2", "zk3")

BEGIN = """set -eu
ip link set lo up
mount --bind hosts /etc/hosts
declare -A servers
serves() { until turnstile show --server $1.example.org:2281 --connect-timeout 2s /locks/kept >/dev/null 2>&1; do :; done; }
trap 'kill ${servers[*]} 2>/dev/null; wait' EXIT
"""

# Before the plain port is closed, and so before servers are restarted.
HOLD = """coproc hold { exec turnstile hold /locks/kept; }
holder=$hold_PID
read -r token <&"${hold[0]}"
"""

END = """
echo "# the lock was kept"
exec {hold[1]}>&-
wait $holder
echo "# another group is refused, and told who it is"
code=0
TURNSTILE_TLS_CERT=stock.pem TURNSTILE_TLS_KEY=stock.key turnstile run /locks/invoices -- true 2>said || code=$?
cat said
test $code = 124
grep -q 'x509 CN=stock,OU=Shop,O=Example GmbH' said
echo "# who has no certificate gets no session"
code=0
env -u TURNSTILE_TLS_CERT -u TURNSTILE_TLS_KEY turnstile show --connect-timeout 2s /locks/invoices 2>said || code=$?
test $code = 121
echo "# the plain ports are closed"
for host in zk1 zk2 zk3; do
    if (: </dev/tcp/$host.example.org/2181) 2>/dev/null; then exit 1; fi
done
"""


def script(page):
    server = None
    for kind, text in block.findall(page):
        shown = "".join(f"# {line}\n" for line in text.splitlines())
        yield f"cat <<'SHOWN'\n{shown}SHOWN\n"
        if kind == " server":
            server = text
            for host in hosts:
                yield f"({text.replace('zk1', host).replace('java', 'exec java', 1)}) >{host}.log 2>&1 & servers[{host}]=$!\n"
        elif kind == " restart":
            yield HOLD + text
            for host in hosts:
                yield f"kill ${{servers[{host}]}}; wait ${{servers[{host}]}} || true\n"
                yield f"({server.replace('zk1', host).replace('java', 'exec java', 1)}) >{host}.log 2>&1 & servers[{host}]=$!\n"
                yield f"serves {host}\n"
        else:
            if "turnstile doctor" in text:
                text = text.replace("turnstile doctor", "for host in zk1 zk2 zk3; do serves $host; done\nturnstile doctor")
            yield text


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: closed_ensemble.py TURNSTILE")
    namespace = ["unshare", "--net", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    if subprocess.run([*namespace, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no network namespace is allowed here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        names = "".join(f"127.0.0.{i} {host}.example.org\n" for i, host in enumerate(hosts, 1))
        pathlib.Path(folder, "hosts").write_text("127.0.0.1 localhost\n" + names)
        path = f"{pathlib.Path(sys.argv[1]).resolve().parent}:/usr/sbin:/sbin:{os.environ['PATH']}"
        page = (root / "docs/closed_ensemble.md").read_text()
        done = subprocess.run(
            [*namespace, "bash", "-c", BEGIN + "".join(script(page)) + END],
            cwd=folder,
            env=os.environ | {"PATH": path},
        )
        if done.returncode != 0:
            for host in hosts:
                log = pathlib.Path(folder, f"{host}.log")
                print(f"--- {log.name}\n{log.read_text()[-2000:] if log.exists() else 'none'}")
            sys.exit(f"that failed with exit code {done.returncode}")
    print("the ensemble is closed")


main()

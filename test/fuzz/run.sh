#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# run.sh [SECONDS]: whatever parses bytes or names from outside, under clang's libFuzzer with sanitizers. Builds into
# build/fuzz, starts from the inputs below, and leaves what fails there. The last line is one JSON object.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
seconds="${1:-20}"
build="$root/build/fuzz"
mkdir -p "$build/corpus"

compiler="$(command -v clang++ || command -v clang++-14 || true)"
[[ -n "$compiler" ]] || {
    echo "fuzz: clang++ with its runtime is needed (Debian: clang-14 libclang-rt-14-dev)" >&2
    exit 2
}
protocol="$root/src/protocol"
"$compiler" -std=c++20 -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -I "$root/src" -I "$root/include" "$root/test/fuzz/parsers.cpp" \
    "$protocol"/names/{ticket_name,ticket_data,lock_path,server_list}.cpp \
    "$root/src/session/values/fencing_token.cpp" "$root/src/zookeeper/digest.cpp" -o "$build/parsers"

# PARSER (0 name, 1 data, 2 path, 3 servers, 4 fencing token, 5 digest id) and a text each.
number=0
while IFS=' ' read -r parser text; do
    number=$((number + 1))
    printf "\\x0$parser%b" "$text" >"$build/corpus/seed-$number"
done <<'SEEDS'
0 turn-1a2b-lock-0000000001
0 turn-1a2b-read-lock-2147483647
0 open-7fffffffffffffff-lock-0000000000
0 _c_8f3b2c1d-0a4e-4d7f-9b6a-112233445566-lock-0000000003
0 turn-1a2b-__WRIT__0000000001
0 _c_8f3b2c1d-0a4e-4d7f-9b6a-112233445566-__READ__0000000003
0 2d3c__lock__0000000004
0 2d3c__rlock__0000000005
0 x-72057594037927936-0000000006
0 turn-1-lock--000000001
1 host=a\nprocess=1\nlabel=b\nrequest=5f-7\n
1 turnstile=1\nrequest=5f-7\nhost=a\npid=1\nlabel=b\n
1 turnstile=2\nkind=shared\nrequest=5f-7\n
1 request=5f-7\nhost=a\npid=1\n
1 192.168.0.1
1 released\n
2 /locks/orders
2 /a/../b
2 /zookeeper/quota
2 /\xc3\xa4\xef\xbf\xbf
3 zk1:2181,zk2:2181,[::1]:2181/chroot
3 127.0.0.1
3 [fe80::1%eth0]:65535,a:0
4 0000000100000002-0000000000000000
4 7fffffffffffffff-8000000000000000
4 7FFFffffFFFFffff-0000000000000000
4 0000000100000002
4 -000000100000002--000000000000000
4 0x00000000000001-0000000000000000
5 alice:Zux4vhXTtSTr2Gnex/TzoKI8F1c=
5 alice:wonder-8271
5 :Zux4vhXTtSTr2Gnex/TzoKI8F1c=
5 alice:Zux4vhXTtSTr2Gnex/TzoKI8F1=c
5 a:b:Zux4vhXTtSTr2Gnex/TzoKI8F1c=
SEEDS

cd "$build"
status=0
./parsers -max_total_time="$seconds" -max_len=2048 -print_final_stats=1 -artifact_prefix="$build/failed-" corpus \
    >"$build/log" 2>&1 || status=$?
((status == 0)) || tail -n 40 "$build/log" >&2
printf '{"executions": %s, "violations": %d}\n' \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log" | grep . || echo 0)" "$((status != 0))"
exit "$status"

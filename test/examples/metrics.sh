#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# metrics.sh PROGRAM ADDRESS: reads the metrics until they show a lock that was taken.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start worker "$1" "$2" 0
worker=$!
port="$(port_of worker)"
request() { # TARGET
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3
}
shows_a_wait() { request /metrics >"$folder/metrics.log" && says metrics '^turnstile_wait_seconds_count [1-9]'; }
await "an acquire in the metrics" shows_a_wait
says metrics '^HTTP/1.1 200 ' && says metrics '^turnstile_acquires_total [1-9]' && says metrics '^turnstile_lost_total 0$' &&
    says metrics '^turnstile_wait_seconds_bucket\{le="0.0001"\} ' &&
    says metrics '^turnstile_wait_seconds_bucket\{le="\+Inf"\} [1-9]' ||
    fail "some of the metrics are missing"
[[ "$(request /)" == "HTTP/1.1 404 "* ]] || fail "another path is answered"

kill -TERM "$worker"
ends_with 0 "$worker"
echo "the metrics are there"

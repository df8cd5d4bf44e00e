#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# prometheus.sh PROGRAM ADDRESS: what the example of the metrics serves is read by Prometheus, in both formats. Exits with 77
# and says why where Prometheus is not installed.
if ! command -v promtool >/dev/null || ! command -v prometheus >/dev/null; then
    echo "SKIPPED: not installed: promtool and prometheus (Debian's package prometheus)"
    exit 77
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

get() { # PORT TARGET [HEADER]
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\n\r\n' "$2" "${3:+$3$'\r\n'}" >&3
    cat <&3
    exec 3>&-
}

start worker "$1" "$2" 0
port="$(port_of worker)"

# The older format, by which promtool judges names and texts as well.
get "$port" /metrics | sed '1,/^\r$/d' >"$folder/metrics.log"
says metrics '^# TYPE turnstile_acquires_total counter$' || fail "the older format is not served"
promtool check metrics <"$folder/metrics.log" || fail "promtool finds faults"
get "$port" /metrics 'Accept: application/openmetrics-text' >"$folder/open.log"
says open '^Content-Type: application/openmetrics-text; version=1.0.0' && says open '^# EOF$' || fail "OpenMetrics is not served"

# OpenMetrics, which Prometheus asks for: only there is a unit.
cat >"$folder/prometheus.yml" <<YAML
global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs: [{job_name: turnstile, static_configs: [{targets: ['127.0.0.1:$port']}]}]
YAML
start_prometheus() { # a port may be in use
    web="$((20000 + RANDOM % 10000))"
    start prometheus prometheus --config.file "$folder/prometheus.yml" --storage.tsdb.path "$folder/data" \
        --web.listen-address "127.0.0.1:$web"
    local process="$!"
    until get "$web" /-/ready 2>/dev/null | grep -q '^HTTP/1.1 200'; do
        kill -0 "$process" 2>/dev/null || return 1
        sleep 0.05
    done
}
await "Prometheus starts" start_prometheus
has() { get "$web" "$1" >"$folder/answer.log" && says answer "$2"; } # TARGET PATTERN
await "a sample" has '/api/v1/query?query=turnstile_acquires_total%3E0' '"__name__":"turnstile_acquires_total"'
await "a unit" has '/api/v1/metadata?metric=turnstile_wait_seconds' '"type":"histogram",.*"unit":"seconds"'
await "a quantile" has '/api/v1/query?query=histogram_quantile(0.5,turnstile_wait_seconds_bucket)' '"value":'
has /api/v1/targets '"lastError":"","lastScrape"' || fail "Prometheus finds faults"
echo "Prometheus reads the metrics"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# fenced_write.sh PROGRAM ADDRESS: a worker is paused in its work until its lock is lost. Another one does the work. The
# first one goes on, and is cancelled.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start first "$1" "$2" "$folder/orders.db" 600
first=$!
await "the first worker reads" says first ': read 0'
kill -STOP "$first"
start second "$1" "$2" "$folder/orders.db" 0
ends_with 0 $!
says second ': wrote 1$' || fail "the second worker does not write"
kill -CONT "$first"
ends_with 1 "$first"
says first '^with_lock: the lock was lost' || fail "the first worker does not say why it ends"
! says first wrote || fail "the first worker writes"
cat "$folder/second.log" "$folder/first.log"

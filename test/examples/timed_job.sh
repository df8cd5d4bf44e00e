#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# timed_job.sh PROGRAM ADDRESS: a job that takes too long; and a process that leaves while another one runs the job.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start late "$1" "$2" 60 1
ends_with 1 $!
says late '^the job took too long, and was cancelled$' || fail "it does not say why it ends"
! says late 'the job is done' || fail "the job goes on"

start next "$1" "$2" 0 # the lock is free at once
ends_with 0 $!
says next '^the job is done$' || fail "the job that took too long keeps its lock"

start long "$1" "$2" 60
await "the job runs" says long '^running the job$'
start other "$1" "$2" 0
ends_with 0 $!
says other '^another machine runs the job$' || fail "the job runs twice"
cat "$folder"/{late,next,other}.log

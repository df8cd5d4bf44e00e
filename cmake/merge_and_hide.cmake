# SPDX-License-Identifier: BSL-1.0
# Script (cmake -P): links OBJECTS and what they need of ARCHIVE into the one relocatable object OUTPUT, in which all
# that ARCHIVE defines is local. The calls of ARCHIVE that CALLS lists ("call function" in each line) are bound to
# functions that OBJECTS define, which are local in OUTPUT too.
# Variables: CXX, NM, OBJCOPY, ARCHIVE, CALLS, OBJECTS, OUTPUT.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE "${OUTPUT}")
    message(FATAL_ERROR "${ARGN}\nfailed (${result}):\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${NM}" --defined-only --extern-only --format=posix "${ARCHIVE}")
string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(symbols)
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+) [A-Z] ")
    list(APPEND symbols "${CMAKE_MATCH_1}")
  endif()
endforeach()
list(REMOVE_DUPLICATES symbols)
if(NOT "zookeeper_init" IN_LIST symbols)
  message(FATAL_ERROR "${ARCHIVE} defines no zookeeper_init: this is not the static ZooKeeper C client")
endif()
# Each call that reaches a socket, waits, or draws on the process's random numbers must be ours.
file(STRINGS "${CALLS}" pairs)
set(bound)
foreach(pair IN LISTS pairs)
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 call)
  list(GET pair 1 function)
  list(APPEND bound "${call}")
  list(APPEND symbols "${function}")
endforeach()
set(to_be_bound
  accept bind clock_nanosleep close connect drand48 fcntl fcntl64 getpeername getsockopt listen nanosleep open open64
  poll ppoll pselect random read readv recv recvfrom recvmsg select send sendmsg sendto setsockopt shutdown sleep
  socket srand srand48 srandom usleep write writev)
run("${NM}" --undefined-only --format=posix "${ARCHIVE}")
string(REGEX MATCHALL "[^\n]+" lines "${output}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([a-z0-9_]+) U")
    set(name "${CMAKE_MATCH_1}")
    string(REGEX REPLACE "^__|(_chk|_2)$" "" call "${name}") # what the C library's headers make of it
    if("${call}" IN_LIST to_be_bound AND NOT "${name}" IN_LIST bound)
      message(FATAL_ERROR "${ARCHIVE} calls ${name}, which ${CALLS} binds to nothing")
    endif()
  endif()
endforeach()

list(JOIN symbols "\n" text)
file(WRITE "${OUTPUT}.symbols" "${text}\n")

run("${OBJCOPY}" "--redefine-syms=${CALLS}" "${ARCHIVE}" "${OUTPUT}.client.a")
# A function of its own that is ours now gives way to ours.
run("${OBJCOPY}" --weaken-symbol=turnstile_client_get_xid "${OUTPUT}.client.a")
run("${CXX}" -r -nostdlib -fno-lto -o "${OUTPUT}.merged" ${OBJECTS} "${OUTPUT}.client.a")
run("${OBJCOPY}" "--localize-symbols=${OUTPUT}.symbols" "${OUTPUT}.merged" "${OUTPUT}")
file(REMOVE "${OUTPUT}.merged" "${OUTPUT}.client.a")

# SPDX-License-Identifier: BSL-1.0
# cmake -DROOT= -DOUTPUT= -DCOMPILER= -DBUILD_TYPE= -DCLIENT= -P write_build.cmake
# Writes the definitions of build.hpp. Run at each build: a commit changes without a new configuration.
find_package(Git QUIET)
set(commit "unknown")
if(Git_FOUND)
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${ROOT}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "${described}")
  endif()
endif()
# Not written anew if it is the same, so nothing is compiled for it.
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "report/build.hpp"

namespace turnstile::bench {

const std::string_view built_from_commit = "@commit@";
const std::string_view compiler = "@COMPILER@";
const std::string_view build_type = "@BUILD_TYPE@";
const std::string_view zookeeper_client_version = "@CLIENT@";

} // namespace turnstile::bench
]])

cmake_minimum_required(VERSION 3.25)

# Writes the commit of SOURCE to HEADER, which is touched only when it changes.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT
  "#pragma once\n\nnamespace timers {\ninline constexpr const char* kCommit = \"@commit@\";\n}\n"
  @ONLY)

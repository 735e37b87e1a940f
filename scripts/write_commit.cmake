cmake_minimum_required(VERSION 3.25)

# Writes the commit of SOURCE to HEADER. The file is written only if its content changes.
execute_process(
  COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
# Results are left out here: new results do not change the code that measured them.
execute_process(
  COMMAND git -C "${SOURCE}" diff --quiet HEAD -- . ":(exclude)results"
  RESULT_VARIABLE changed ERROR_QUIET)
if(changed EQUAL 1)
  string(APPEND commit "-dirty")
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT
  "#pragma once\n\nnamespace timers {\ninline constexpr const char* kCommit = \"@commit@\";\n}\n"
  @ONLY)

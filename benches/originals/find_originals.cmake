# Finds Java and the originals that scripts/setup.sh --originals has fetched. Sets `originals`, a list
# of jars, which is empty if Java or the jars are missing. Sets `missing`, which says what to do in this
# case. Sets `asm`, the jar that only the recorder of Netty needs.
set(originals "")
set(missing "scripts/setup.sh --originals installs Java and fetches the originals")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/jars.sha256 jars)
list(TRANSFORM jars REPLACE "^[0-9a-f]+  " ${PROJECT_SOURCE_DIR}/build/originals/)
list(POP_FRONT jars asm)
list(GET jars 0 first)
find_package(Java 17 QUIET COMPONENTS Development Runtime)
if(Java_FOUND AND EXISTS ${first})
  set(originals ${jars})
  include(UseJava)
  set(CMAKE_JAVA_COMPILE_FLAGS --release 17 -Xlint:all)
  if(CMAKE_COMPILE_WARNING_AS_ERROR)
    list(APPEND CMAKE_JAVA_COMPILE_FLAGS -Werror)
  endif()
endif()

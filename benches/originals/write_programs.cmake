# Writes PROGRAMS, each of which runs the class Main for the bench of its name. A program contains the
# hashes of the PARTS, so it differs when one of them differs: results of different parts are never
# mixed.
set(hashes "")
foreach(part IN LISTS PARTS)
  file(SHA256 ${part} hash)
  cmake_path(GET part FILENAME name)
  string(APPEND hashes "# ${hash}  ${name}\n")
endforeach()
foreach(program IN LISTS PROGRAMS)
  cmake_path(GET program FILENAME bench)
  file(WRITE ${program}
"#!/bin/sh
${hashes}exec '${JAVA}' -XX:+UseSerialGC -Xshare:auto -XX:TieredStopAtLevel=1 \\
  -Doriginals.home='${HOME}' -cp '${CLASS_PATH}' program.Main ${bench} \"$@\"
")
  file(CHMOD ${program} PERMISSIONS
       OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()

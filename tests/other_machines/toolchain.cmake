# Builds for another machine: OTHER_MACHINE is its name, as gcc and qemu spell it. The libraries of that
# machine are where scripts/setup.sh --other-machines puts them. Its programs run under qemu.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OTHER_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${OTHER_MACHINE})
set(CMAKE_CXX_COMPILER ${OTHER_MACHINE}-linux-gnu-g++)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroots/${OTHER_MACHINE})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${OTHER_MACHINE} -L ${CMAKE_SYSROOT})

# Only programs are taken from this machine. Headers, libraries and packages are taken from the sysroot.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${CMAKE_SYSROOT}/usr/lib/${OTHER_MACHINE}-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

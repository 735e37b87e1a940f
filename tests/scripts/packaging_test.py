"""Tests of scripts/packaging: the calls of a package manager, with a stand-in for it.

The command `conan create scripts/packaging/conan` tries Conan's recipe. Tests do not have Conan.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PORT = ROOT / "scripts" / "packaging" / "vcpkg" / "timerbench"

# The functions of vcpkg that the port calls.
VCPKG = """
set(CURRENT_PACKAGES_DIR "{packages}")
set(PORT timerbench)
function(vcpkg_cmake_configure)
  cmake_parse_arguments(of "" SOURCE_PATH OPTIONS ${{ARGN}})
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${{CMAKE_COMMAND}} -S ${{of_SOURCE_PATH}} -B {build} -DCMAKE_INSTALL_LIBDIR=lib
            -DCMAKE_INSTALL_PREFIX={packages} ${{of_OPTIONS}})
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${{CMAKE_COMMAND}} --install {build})
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(of "" CONFIG_PATH "" ${{ARGN}})
  file(MAKE_DIRECTORY {packages}/share)
  file(RENAME {packages}/${{of_CONFIG_PATH}} {packages}/share/timerbench)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(of "" "" FILE_LIST ${{ARGN}})
  file(COPY_FILE ${{of_FILE_LIST}} {packages}/share/timerbench/copyright)
endfunction()
include("{port}/portfile.cmake")
"""


def test_the_port_installs_headers_kits_and_what_finds_them(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    script = tmp_path / "vcpkg.cmake"
    script.write_text(VCPKG.format(packages=packages, build=tmp_path / "build", port=PORT))
    subprocess.run(["cmake", "-P", script], check=True, capture_output=True)
    headers = packages / "include" / "timerbench"
    assert (headers / "impls" / "queues" / "lazy_wheel.hpp").is_file()
    assert (headers / "tests" / "conformance").is_dir()
    share = packages / "share" / "timerbench"
    assert {"timerbench-config.cmake", "copyright", "usage"} <= {f.name for f in share.iterdir()}
    assert not (packages / "lib").exists(), "vcpkg refuses a folder without a library"


def test_the_port_has_the_version_of_the_project() -> None:
    (version,) = re.findall(
        r"^project\(timerbench VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M
    )
    assert json.loads((PORT / "vcpkg.json").read_text())["version"] == version
    assert f"timerbench/{version}" in (PORT.parents[1] / "README.md").read_text()

"""The recipe of Timerbench for Conan 2: headers and kits, and the CMake package that finds them."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Timerbench(ConanFile):
    name = "timerbench"
    description = "Timer queues and timer services in C++20: one contract, proved and measured"
    license = "MIT"
    topics = ("timer", "timer-wheel", "event-loop", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _project(self) -> Path:
        """Returns the root of the project: three folders above the recipe."""
        return Path(self.recipe_folder).parents[2]

    def set_version(self) -> None:
        text = (self._project / "CMakeLists.txt").read_text()
        self.version = re.search(r"^project\(timerbench VERSION ([\d.]+)", text, re.MULTILINE)[1]

    def export_sources(self) -> None:
        for pattern in ("CMakeLists.txt", "LICENSE", "impls/*", "tests/conformance/*"):
            copy(self, pattern, src=self._project, dst=self.export_sources_folder)

    def layout(self) -> None:
        cmake_layout(self)

    def validate(self) -> None:
        check_min_cppstd(self, 20)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TIMERBENCH_DEVELOP"] = False
        toolchain.generate()

    def build(self) -> None:
        CMake(self).configure()

    def package(self) -> None:
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=Path(self.package_folder) / "licenses")

    def package_id(self) -> None:
        self.info.clear()

    def package_info(self) -> None:
        """Lets CMake find our own package, and not one that Conan generates."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/timerbench"]
        self.cpp_info.includedirs = ["include", "include/timerbench"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []

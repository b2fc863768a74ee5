"""The library as a Conan 2 package: `conan create .` builds it from this folder with Debian's packages."""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.system.package_manager import Apt


class Ndt(ConanFile):
    name = "ndt"
    description = "NDT scan matching: one algorithm, several schedules"
    license = "Apache-2.0"
    topics = ("lidar", "point-cloud", "registration", "localisation")
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False]}
    default_options = {"cuda": False}
    exports_sources = "CMakeLists.txt", "LICENSE", "package.xml", "cmake/*", "modules/*"
    test_package_folder = "tests/install/consumers/conan"

    def set_version(self):
        text = (Path(self.recipe_folder) / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(ndt VERSION ([\d.]+)", text)[1]

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")  # its targets ask for C++20, whatever a profile has

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"os={self.settings.os}: ndt is built for Linux")

    def system_requirements(self):
        """Names what the build takes, and what a program needs that links the archives: the last two."""
        Apt(self).install(["libeigen3-dev", "libfmt-dev", "libnanoflann-dev", "liblzf-dev", "libyaml-cpp-dev"], check=True)

    def layout(self):
        self.folders.build = "build"
        self.folders.generators = "build/conan"

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables |= {"NDT_PROGRAMS": "OFF", "NDT_PCL": "OFF", "NDT_CUDA": "ON" if self.options.cuda else "OFF"}
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        """Leaves find_package(ndt) to the package's own files, which know the archives, libndt.so and their needs."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/ndt"]
        self.cpp_info.libs = ["ndt"]  # for other build systems

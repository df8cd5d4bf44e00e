# SPDX-License-Identifier: BSL-1.0
"""Conan 2 recipe. UNTESTED: Conan cannot be run where Turnstile is developed. Read as a start: docs/install.md.

There is no package of ZooKeeper's C client. Set its sources in your profile, and Turnstile compiles them:
    [conf]
    user.turnstile:zookeeper_source_dir=/path/apache-zookeeper-3.8.x
Without that, libzookeeper_st.a of the system is used.

Run in the folder of the sources: conan create cmake/packages/conan
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, CMakeDeps, cmake_layout
from conan.tools.files import copy, load


class Turnstile(ConanFile):
    name = "turnstile"
    description = "Distributed locks for C++20 coroutines on Boost.Asio and Apache ZooKeeper"
    license = "BSL-1.0"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True, "boost/*:header_only": True}
    requires = "boost/[>=1.81]", "openssl/[>=3.0]"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "turnstile", "version.hpp"))
        self.version = ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE*", "cmake/*", "include/*", "src/*"):
            copy(self, part, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "TESTING", "BENCH", "EXAMPLES", "TOOLS"):
            toolchain.cache_variables[f"TURNSTILE_BUILD_{part}"] = False
        client = self.conf.get("user.turnstile:zookeeper_source_dir")
        if client:
            toolchain.cache_variables["TURNSTILE_ZOOKEEPER_SOURCE_DIR"] = client
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["turnstile"]
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_target_name", "turnstile::turnstile")
        self.cpp_info.set_property("pkg_config_name", "turnstile")

# SPDX-License-Identifier: BSL-1.0
# UNTESTED: vcpkg cannot be run where Turnstile is developed. Read as a start: docs/install.md.
# vcpkg has no port of ZooKeeper's C client. So its sources are fetched, and Turnstile compiles them. A Java runtime and
# ZooKeeper's generator (zookeeper-jute.jar, as TURNSTILE_JUTE_JAR) are needed for two of its files.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL "${TURNSTILE_REPOSITORY}" # the repository that you take Turnstile from
  REF "v${VERSION}")
vcpkg_from_github(
  OUT_SOURCE_PATH ZOOKEEPER_PATH
  REPO apache/zookeeper
  REF release-3.8.4
  SHA512 0 # vcpkg says the right one at the first run
  HEAD_REF branch-3.8)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DTURNSTILE_ZOOKEEPER_SOURCE_DIR=${ZOOKEEPER_PATH}
    -DTURNSTILE_BUILD_TESTS=OFF
    -DTURNSTILE_BUILD_TESTING=OFF
    -DTURNSTILE_BUILD_BENCH=OFF
    -DTURNSTILE_BUILD_EXAMPLES=OFF
    -DTURNSTILE_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/turnstile)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/LICENSE-3rd-party.md")

# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts where: headers, libraries, a CMake package with the components `codec` (libbsonic, always)
# and `client` (libbsonic-client), a pkg-config file for each, and the binary.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${PROJECT_SOURCE_DIR}/include/headers.cmake)

# .pc files find the prefix from where they lie, so that an installed tree can be moved, as the CMake package can.
file(RELATIVE_PATH bsonic_pc_to_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

set(bsonic_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bsonic)

function(bsonic_install_headers)
    foreach(header IN LISTS ARGN)
        cmake_path(GET header PARENT_PATH folder)
        install(FILES include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    endforeach()
endfunction()

# Library <name>, its export set for the package's <component>, and its .pc file.
function(bsonic_install_library name component)
    install(TARGETS ${name} EXPORT bsonic-${component} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT bsonic-${component} NAMESPACE bsonic:: DESTINATION ${bsonic_package_dir})
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

bsonic_install_headers(${BSONIC_HEADERS})
bsonic_install_library(bsonic codec)
if(TARGET bsonic-client)
    bsonic_install_headers(${BSONIC_CLIENT_HEADERS})
    bsonic_install_library(bsonic-client client)
endif()
if(TARGET bsonic_cli)
    install(TARGETS bsonic_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/bsonicConfig.cmake.in bsonicConfig.cmake
    INSTALL_DESTINATION ${bsonic_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(bsonicConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bsonicConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/bsonicConfigVersion.cmake
    DESTINATION ${bsonic_package_dir})

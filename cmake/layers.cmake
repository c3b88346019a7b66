# SPDX-License-Identifier: Apache-2.0
#
# How the lists under src/ become targets.

# Sources of a layer, one call in src/<layer>/sources.cmake:  bsonic_sources(iter.c write.c)
# Paths are relative to the layer's folder. Flags of single files are set there too, with set_source_files_properties on
# ${BSONIC_LAYER_DIR}/<file>.
macro(bsonic_sources)
    foreach(file IN ITEMS ${ARGN})
        list(APPEND BSONIC_LAYER_SOURCES ${BSONIC_LAYER_DIR}/${file})
    endforeach()
endmacro()

# Sources that run on wide tiers only (src/simd/sources.cmake), and in front of them the file of the layer that chooses:
#     bsonic_wide_sources(parse.c parse_common_wide.c)
macro(bsonic_wide_sources chooser)
    if(BSONIC_WIDE_FLAGS)
        bsonic_sources(${ARGN})
        foreach(file IN ITEMS ${ARGN})
            set_source_files_properties(${BSONIC_LAYER_DIR}/${file} PROPERTIES COMPILE_OPTIONS "${BSONIC_WIDE_FLAGS}")
        endforeach()
        set_property(SOURCE ${BSONIC_LAYER_DIR}/${chooser} APPEND PROPERTY COMPILE_DEFINITIONS BSONIC_HAS_WIDE)
    endif()
endmacro()

# What the files of the client library link: bsonic_client_links(Threads::Threads), in the layer's sources.cmake.
macro(bsonic_client_links)
    list(APPEND BSONIC_CLIENT_LIBRARIES ${ARGN})
endmacro()

# Adds the sources of src/<layer> to an OBJECT library, which comes into being with the first of them. Files named behind
# that are left out.
macro(bsonic_add_layer target layer)
    set(BSONIC_LAYER_DIR ${PROJECT_SOURCE_DIR}/src/${layer})
    set(BSONIC_LAYER_SOURCES)
    include(${BSONIC_LAYER_DIR}/sources.cmake)
    foreach(file IN ITEMS ${ARGN})
        list(REMOVE_ITEM BSONIC_LAYER_SOURCES ${BSONIC_LAYER_DIR}/${file})
    endforeach()
    if(NOT TARGET ${target})
        add_library(${target} OBJECT)
        set_target_properties(${target} PROPERTIES
            C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON C_EXTENSIONS OFF)
        target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
        target_compile_definitions(${target} PRIVATE BSONIC_BUILDING)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bsonic_flags>)
        # Nobody replaces our functions by loading others of their names first, so calls among them need no detour.
        target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU>:-fno-semantic-interposition>)
        # Frames for 200 levels sit in what the caller provides or on the stack: at most 8 KiB either way. Sanitizers put
        # their own between variables.
        if(NOT BSONIC_SANITIZE AND NOT BSONIC_FUZZ AND NOT ${target} STREQUAL "bsonic_cli_obj")
            target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wframe-larger-than=8192>)
        endif()
    endif()
    target_sources(${target} PRIVATE ${BSONIC_LAYER_SOURCES})
endmacro()

# The library <name> made of the objects of <objects>, known to users as bsonic::<alias>. Until 1.0 each minor version
# may break the binary interface, so each has a SONAME of its own.
function(bsonic_add_library name objects alias)
    add_library(${name} $<TARGET_OBJECTS:${objects}>)
    add_library(bsonic::${alias} ALIAS ${name})
    target_include_directories(${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:bsonic_flags>)
    if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
        target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions)
    endif()
    set_target_properties(${name} PROPERTIES
        EXPORT_NAME ${alias} LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

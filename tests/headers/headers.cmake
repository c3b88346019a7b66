# SPDX-License-Identifier: Apache-2.0
#
# Each public header compiles alone, first and twice, as C11 and as C++11: one generated file each, one program each
# language.
include(${PROJECT_SOURCE_DIR}/include/headers.cmake)
include(CheckLanguage)

function(bsonic_test_headers name extension)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/headers/main.${extension})
    file(CONFIGURE OUTPUT ${sources} CONTENT "int main(void);\nint main(void)\n{\n    return 0;\n}\n")
    foreach(header IN LISTS BSONIC_HEADERS BSONIC_CLIENT_HEADERS)
        string(MAKE_C_IDENTIFIER ${header} stem)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.${extension})
        file(CONFIGURE OUTPUT ${source} @ONLY
            CONTENT "#include <@header@>\n#include <@header@>\nextern int @stem@_seen;\nint @stem@_seen = 1;\n")
        list(APPEND sources ${source})
    endforeach()
    add_executable(${name} ${sources})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
    add_test(NAME ${name} COMMAND ${name})
endfunction()

bsonic_test_headers(headers_c11 c)
set_target_properties(headers_c11 PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)

check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    bsonic_test_headers(headers_cxx11 cpp)
    set_target_properties(headers_cxx11 PROPERTIES CXX_STANDARD 11 CXX_EXTENSIONS OFF)
else()
    message(WARNING "no C++ compiler: the test headers_cxx11 is left out")
endif()

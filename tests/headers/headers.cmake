# SPDX-License-Identifier: Apache-2.0
#
# Each public header compiles alone, first and twice, as C11 and as C++11, 14, 17 and 20: one generated file each, one program each
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
    foreach(standard IN ITEMS 11 14 17 20)
        bsonic_test_headers(headers_cxx${standard} cpp)
        set_target_properties(headers_cxx${standard} PROPERTIES CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    endforeach()
else()
    message(WARNING "no C++ compiler: the tests headers_cxx are left out")
endif()

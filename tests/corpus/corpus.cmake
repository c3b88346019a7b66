# SPDX-License-Identifier: Apache-2.0
#
# Makes the corpus tables at build time, from the files where they lie. A change in them makes the tables anew; a folder that
# appears later is seen at the next configure.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

file(GLOB corpus_files CONFIGURE_DEPENDS ${BSONIC_SPEC_DIR}/bson-corpus/*.json)
if(NOT corpus_files)
    message(STATUS "no public BSON corpus under ${BSONIC_SPEC_DIR}: its tests will say skipped")
endif()

set(TESTS_CORPUS_TABLES ${CMAKE_CURRENT_BINARY_DIR}/corpus_tables.c)
add_custom_command(
    OUTPUT ${TESTS_CORPUS_TABLES}
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/corpus/make_tables.py
        ${BSONIC_SPEC_DIR} ${TESTS_CORPUS_TABLES}
    DEPENDS corpus/make_tables.py ${corpus_files}
    COMMENT "Making tables of the BSON corpus"
    VERBATIM)

# The same for the cases of connection strings.
file(GLOB uri_corpus_files CONFIGURE_DEPENDS
    ${BSONIC_SPEC_DIR}/connection-string/*.json ${BSONIC_SPEC_DIR}/uri-options/*.json)
set(TESTS_URI_CORPUS_TABLES ${CMAKE_CURRENT_BINARY_DIR}/uri_corpus_tables.c)
add_custom_command(
    OUTPUT ${TESTS_URI_CORPUS_TABLES}
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/corpus/make_uri_tables.py
        ${BSONIC_SPEC_DIR} ${TESTS_URI_CORPUS_TABLES}
    DEPENDS corpus/make_tables.py corpus/make_uri_tables.py ${uri_corpus_files}
    COMMENT "Making the table of connection strings"
    VERBATIM)

/* SPDX-License-Identifier: Apache-2.0
 *
 * suites.h -- the one list of the test suites. S(layer, name) stands for tests/<layer>/test_<name>.c, which defines
 * Suite *<name>_suite(void). CMake reads this file too: a line here is all it takes to build and run a suite.
 */
#ifndef TESTS_SUITES_H
#define TESTS_SUITES_H

#include <check.h>

/* clang-format off */

/* Of the codec library, libbsonic. */
#define TESTS_CODEC_SUITES(S) \
    S(support, support) \
    S(support, json_text) \
    S(base, key) \
    S(base, reader) \
    S(base, status) \
    S(simd, ascii) \
    S(simd, ascii_words) \
    S(simd, cstring) \
    S(simd, utf8) \
    S(simd, json_escape) \
    S(simd, json_string) \
    S(simd, hex) \
    S(simd, base64) \
    S(bson, corpus) \
    S(mem, alloc) \
    S(mem, arena) \
    S(mem, buf) \
    S(mem, out) \
    S(mem, out_model) \
    S(mem, out_grow) \
    S(mem, pool) \
    S(bson, doc) \
    S(bson, element) \
    S(bson, iter) \
    S(bson, lookup) \
    S(bson, mutants) \
    S(bson, path) \
    S(bson, put) \
    S(bson, get) \
    S(bson, find_path) \
    S(base, wide) \
    S(bson, decimal128) \
    S(bson, oid) \
    S(bson, types) \
    S(json, date) \
    S(json, number_exact) \
    S(json, number_print) \
    S(json, number_read) \
    S(bson, write) \
    S(bson, write_random) \
    S(bson, write_raw) \
    S(bson, write_value) \
    S(wire, checksum) \
    S(wire, message) \
    S(wire, legacy) \
    S(wire, collect) \
    S(wire, envelope) \
    S(bson, validate) \
    S(json, escape) \
    S(json, escape_words) \
    S(json, print) \
    S(json, print_forms) \
    S(json, print_room) \
    S(json, print_corpus) \
    S(json, print_verdict) \
    S(json, print_drain) \
    S(json, promises) \
    S(wire, refused_codec) \
    S(json, parse) \
    S(json, parse_corpus) \
    S(json, parse_random) \
    S(json, parse_shape) \
    S(json, parse_stream) \
    S(json, parse_usual) \
    /* end */

/* Of the client library and the binary: left out of a build without them. */
#define TESTS_CLIENT_SUITES(S) \
    S(io, input) \
    S(io, output) \
    S(client, transport_listen) \
    S(client, bulk) \
    S(client, client) \
    S(client, conn) \
    S(client, conn_faults) \
    S(client, conn_streams) \
    S(client, wire_faults) \
    S(client, insert) \
    S(client, insert_answer) \
    S(client, transport_tcp) \
    S(client, uri) \
    S(serve, names) \
    S(serve, catalog) \
    S(serve, store) \
    S(serve, id_key) \
    S(serve, cursors) \
    S(serve, answer) \
    S(serve, find) \
    S(serve, server) \
    S(serve, refused_client) \
    /* end */

/* clang-format on */

#ifdef TESTS_WITH_CLIENT
#define TESTS_SUITES(S) TESTS_CODEC_SUITES(S) TESTS_CLIENT_SUITES(S)
#else
#define TESTS_SUITES(S) TESTS_CODEC_SUITES(S)
#endif

#define TESTS_DECLARE(layer, name) Suite *name##_suite(void);
TESTS_SUITES(TESTS_DECLARE)
#undef TESTS_DECLARE

#endif

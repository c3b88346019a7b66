/* SPDX-License-Identifier: Apache-2.0
 *
 * fault_rows.h -- what elements can have, sound and not, and what must be said of it. A row holds the elements of one document
 * without its length and final 0x00, and counts its offsets from the first type byte; so it can stand at any depth.
 */
#ifndef TESTS_BSON_FAULT_ROWS_H
#define TESTS_BSON_FAULT_ROWS_H

#include <bsonic/base.h>

typedef struct fault_row {
    const char *name;
    const char *hex;
    bsn_status status; /* of the walk and at level structure */
    size_t offset;
    bsn_status utf8_status; /* at level utf8 when that is another one; else BSN_OK */
    size_t utf8_offset;
} fault_row;

/* clang-format off */
static const fault_row fault_rows[] = {
    /* sound */
    {"nothing", "", BSN_OK, 0, BSN_OK, 0},
    {"double", "01 61 00 00 00 00 00 00 00 F8 3F", BSN_OK, 0, BSN_OK, 0},
    {"string", "02 62 00 05 00 00 00 74 65 78 74 00", BSN_OK, 0, BSN_OK, 0},
    {"empty string", "02 62 00 01 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"string with U+0000", "02 62 00 04 00 00 00 00 61 00 00", BSN_OK, 0, BSN_OK, 0},
    {"string of two, three and four bytes", "02 62 00 0A 00 00 00 C3 A9 E2 82 AC F0 9F 98 80 00", BSN_OK, 0, BSN_OK, 0},
    {"document", "03 63 00 0C 00 00 00 10 69 00 07 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"empty document", "03 63 00 05 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"array", "04 64 00 0C 00 00 00 0A 30 00 08 31 00 01 00", BSN_OK, 0, BSN_OK, 0},
    {"array of wrong names", "04 64 00 0B 00 00 00 0A 61 00 0A 61 00 00", BSN_OK, 0, BSN_OK, 0},
    {"binary", "05 65 00 03 00 00 00 80 78 79 7A", BSN_OK, 0, BSN_OK, 0},
    {"empty binary", "05 65 00 00 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"old binary", "05 65 00 06 00 00 00 02 02 00 00 00 7A 7A", BSN_OK, 0, BSN_OK, 0},
    {"empty old binary", "05 65 00 04 00 00 00 02 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"undefined", "06 66 00", BSN_OK, 0, BSN_OK, 0},
    {"ObjectId", "07 67 00 01 02 03 04 05 06 07 08 09 0A 0B 0C", BSN_OK, 0, BSN_OK, 0},
    {"false", "08 68 00 00", BSN_OK, 0, BSN_OK, 0},
    {"true", "08 68 00 01", BSN_OK, 0, BSN_OK, 0},
    {"date", "09 69 00 FF FF FF FF FF FF FF FF", BSN_OK, 0, BSN_OK, 0},
    {"null", "0A 6A 00", BSN_OK, 0, BSN_OK, 0},
    {"regex", "0B 6B 00 5E 61 2B 00 69 6D 00", BSN_OK, 0, BSN_OK, 0},
    {"empty regex", "0B 6B 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"DBPointer", "0C 6C 00 05 00 00 00 64 62 2E 63 00 01 02 03 04 05 06 07 08 09 0A 0B 0C", BSN_OK, 0, BSN_OK, 0},
    {"code", "0D 6D 00 04 00 00 00 66 28 29 00", BSN_OK, 0, BSN_OK, 0},
    {"symbol", "0E 6E 00 04 00 00 00 73 79 6D 00", BSN_OK, 0, BSN_OK, 0},
    {"code with scope", "0F 6F 00 16 00 00 00 02 00 00 00 78 00 0C 00 00 00 10 78 00 01 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"empty code with empty scope", "0F 6F 00 0E 00 00 00 01 00 00 00 00 05 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"int32", "10 70 00 FE FF FF FF", BSN_OK, 0, BSN_OK, 0},
    {"timestamp", "11 71 00 05 00 00 00 FF FF FF FF", BSN_OK, 0, BSN_OK, 0},
    {"int64", "12 72 00 00 00 00 00 00 01 00 00", BSN_OK, 0, BSN_OK, 0},
    {"decimal128", "13 73 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", BSN_OK, 0, BSN_OK, 0},
    {"MinKey", "FF 74 00", BSN_OK, 0, BSN_OK, 0},
    {"MaxKey", "7F 75 00", BSN_OK, 0, BSN_OK, 0},
    {"empty key", "0A 00", BSN_OK, 0, BSN_OK, 0},
    {"one key twice", "0A 61 00 0A 61 00", BSN_OK, 0, BSN_OK, 0},
    {"keys with $ and dot", "0A 24 61 00 0A 61 2E 62 00", BSN_OK, 0, BSN_OK, 0},
    {"key of two bytes a character", "0A C3 A9 00", BSN_OK, 0, BSN_OK, 0},
    {"key of 40 bytes", "10 6161616161616161616161616161616161616161616161616161616161616161616161616161616100 01 00 00 00", BSN_OK, 0, BSN_OK, 0},

    /* type byte */
    {"type 14", "14 64 00 00 00 00 00 00 00 00 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"type 20", "20 61 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"type 80", "80 61 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"type 7E", "7E 61 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"type FE", "FE 61 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"type 1F in a long document", "1F 61 00 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"early end", "00", BSN_E_TYPE, 0, BSN_OK, 0},
    {"early end after an element", "0A 61 00 00", BSN_E_TYPE, 3, BSN_OK, 0},
    {"early end before an element", "0A 61 00 00 0A 62 00", BSN_E_TYPE, 3, BSN_OK, 0},
    {"no type, key without end", "14 61", BSN_E_TYPE, 0, BSN_OK, 0},
    {"no type, key that is no text", "14 FF 00", BSN_E_TYPE, 0, BSN_OK, 0},

    /* key */
    {"type byte and nothing else", "0A", BSN_E_CSTRING, 1, BSN_OK, 0},
    {"null, key without end", "0A 61", BSN_E_CSTRING, 2, BSN_OK, 0},
    {"undefined, key without end", "06 61", BSN_E_CSTRING, 2, BSN_OK, 0},
    {"MinKey, key without end", "FF 61", BSN_E_CSTRING, 2, BSN_OK, 0},
    {"MaxKey, key without end", "7F 61 62 63", BSN_E_CSTRING, 4, BSN_OK, 0},
    {"int32, key without end", "10 61 62 63 64 65", BSN_E_CSTRING, 6, BSN_OK, 0},
    {"string, key without end", "02 61", BSN_E_CSTRING, 2, BSN_OK, 0},
    {"document, key without end", "03 61", BSN_E_CSTRING, 2, BSN_OK, 0},
    {"key of 40 bytes without end", "0A 61616161616161616161616161616161616161616161616161616161616161616161616161616161", BSN_E_CSTRING, 41, BSN_OK, 0},
    {"second key without end", "10 61 00 01 00 00 00 0A 62", BSN_E_CSTRING, 9, BSN_OK, 0},

    /* values of fixed size */
    {"double of 7 bytes", "01 61 00 00 00 00 00 00 00 F8", BSN_E_SHORT, 3, BSN_OK, 0},
    {"double of no byte", "01 61 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"ObjectId of 11 bytes", "07 61 00 01 02 03 04 05 06 07 08 09 0A 0B", BSN_E_SHORT, 3, BSN_OK, 0},
    {"boolean of no byte", "08 61 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"date of 7 bytes", "09 61 00 01 02 03 04 05 06 07", BSN_E_SHORT, 3, BSN_OK, 0},
    {"int32 of 3 bytes", "10 61 00 01 02 03", BSN_E_SHORT, 3, BSN_OK, 0},
    {"timestamp of 7 bytes", "11 61 00 01 02 03 04 05 06 07", BSN_E_SHORT, 3, BSN_OK, 0},
    {"int64 of 7 bytes", "12 61 00 01 02 03 04 05 06 07", BSN_E_SHORT, 3, BSN_OK, 0},
    {"decimal128 of 15 bytes", "13 61 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", BSN_E_SHORT, 3, BSN_OK, 0},
    {"decimal128 of 15 bytes, key of 15", "13 6161616161616161616161616161 61 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", BSN_E_SHORT, 17, BSN_OK, 0},
    {"boolean 2", "08 61 00 02", BSN_E_BOOLEAN, 3, BSN_OK, 0},
    {"boolean FF", "08 61 00 FF", BSN_E_BOOLEAN, 3, BSN_OK, 0},
    {"boolean 2 in a long document", "08 61 00 02 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_BOOLEAN, 3, BSN_OK, 0},

    /* string, code, symbol */
    {"string without length", "02 61 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"string with 3 bytes of length", "02 61 00 01 00 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"string of length 0", "02 73 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of length 0 with a 0x00", "02 73 00 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of length -1", "02 73 00 FF FF FF FF 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of the least length", "02 73 00 00 00 00 80 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of the greatest length", "02 73 00 FF FF FF 7F 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string with nothing behind its length", "02 61 00 01 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string that ends with the document's 0x00", "02 61 00 03 00 00 00 62 63", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of length 0 in a long document", "02 73 00 00 00 00 00 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of length -1 in a long document", "02 73 00 FF FF FF FF 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of 40 bytes that ends with the document's 0x00", "02 61 00 29 00 00 00 61616161616161616161616161616161616161616161616161616161616161616161616161616161", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string of 40 bytes without 0x00", "02 61 00 29 00 00 00 61616161616161616161616161616161616161616161616161616161616161616161616161616161 61", BSN_E_TERMINATOR, 47, BSN_OK, 0},
    {"string without 0x00", "02 61 00 03 00 00 00 61 62 63", BSN_E_TERMINATOR, 9, BSN_OK, 0},
    {"empty string without 0x00", "02 61 00 01 00 00 00 61", BSN_E_TERMINATOR, 7, BSN_OK, 0},
    {"string whose 0x00 comes early", "02 61 00 02 00 00 00 00 61", BSN_E_TERMINATOR, 8, BSN_OK, 0},
    {"code without length", "0D 61 00 01", BSN_E_SHORT, 3, BSN_OK, 0},
    {"code of length 0", "0D 61 00 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code of length -1", "0D 61 00 FF FF FF FF", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code that ends with the document's 0x00", "0D 61 00 02 00 00 00 62", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code without 0x00", "0D 61 00 02 00 00 00 62 62", BSN_E_TERMINATOR, 8, BSN_OK, 0},
    {"symbol without length", "0E 61 00 01", BSN_E_SHORT, 3, BSN_OK, 0},
    {"symbol of length 0", "0E 61 00 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"symbol that ends with the document's 0x00", "0E 61 00 02 00 00 00 62", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"symbol without 0x00", "0E 61 00 02 00 00 00 62 62", BSN_E_TERMINATOR, 8, BSN_OK, 0},

    /* document, array */
    {"document without length", "03 61 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"document with 3 bytes of length", "03 61 00 05 00 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"document of length 0", "03 61 00 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of length 4", "03 64 00 04 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of length -5", "03 61 00 FB FF FF FF 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of the least length", "03 61 00 00 00 00 80 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of the greatest length", "03 61 00 FF FF FF 7F 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document that ends with the outer one's 0x00", "03 61 00 05 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of length 4 in a long one", "03 64 00 04 00 00 00 00 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of 40 bytes that ends with the outer one's 0x00", "03 61 00 2D 00 00 00 0A 616161616161616161616161616161616161616161616161616161616161616161616161616161", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document of 40 bytes, one more than there are", "03 61 00 2E 00 00 00 0A 616161616161616161616161616161616161616161616161616161616161616161616161616161", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"document without 0x00", "03 61 00 05 00 00 00 01", BSN_E_TERMINATOR, 7, BSN_OK, 0},
    {"document without 0x00, sound inside", "03 61 00 08 00 00 00 0A 62 00 01", BSN_E_TERMINATOR, 10, BSN_OK, 0},
    {"document without 0x00, fault inside", "03 61 00 08 00 00 00 15 62 00 01", BSN_E_TYPE, 7, BSN_OK, 0},
    {"document without 0x00, key runs into that byte", "03 61 00 08 00 00 00 0A 62 63 01", BSN_E_TERMINATOR, 10, BSN_OK, 0},
    {"document without 0x00, value runs into that byte", "03 61 00 08 00 00 00 08 62 00 01", BSN_E_SHORT, 10, BSN_OK, 0},
    {"document without 0x00, regex runs into that byte", "03 61 00 09 00 00 00 0B 62 00 63 01", BSN_E_TERMINATOR, 11, BSN_OK, 0},
    {"document that stops early", "03 61 00 07 00 00 00 00 00 00", BSN_E_TYPE, 7, BSN_OK, 0},
    {"two documents without 0x00, one in the other", "03 61 00 0D 00 00 00 03 62 00 05 00 00 00 01 01", BSN_E_TERMINATOR, 14, BSN_OK, 0},
    {"document without 0x00 behind a sound one", "03 61 00 05 00 00 00 00 03 62 00 05 00 00 00 01", BSN_E_TERMINATOR, 15, BSN_OK, 0},
    {"array without length", "04 61 00 05", BSN_E_SHORT, 3, BSN_OK, 0},
    {"array of length -5", "04 61 00 FB FF FF FF", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"array of length 4", "04 61 00 04 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"array that ends with the outer one's 0x00", "04 61 00 0A 00 00 00 10 30 00 0A 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"array without 0x00", "04 61 00 05 00 00 00 30", BSN_E_TERMINATOR, 7, BSN_OK, 0},
    {"array longer than the document", "04 61 00 FF FF FF 7F 08 30 00", BSN_E_LENGTH, 3, BSN_OK, 0},

    /* binary */
    {"binary without length", "05 61 00 00 00 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"binary without subtype", "05 61 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary of length -1", "05 61 00 FF FF FF FF 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary of the least length", "05 61 00 00 00 00 80 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary of the greatest length", "05 61 00 FF FF FF 7F 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary that ends with the document's 0x00", "05 61 00 02 00 00 00 00 01", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary of length -1 in a long document", "05 61 00 FF FF FF FF 00 0A 6161616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"binary of 40 bytes that ends with the document's 0x00", "05 61 00 29 00 00 00 00 61616161616161616161616161616161616161616161616161616161616161616161616161616161", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"old binary without inner length", "05 61 00 00 00 00 00 02", BSN_E_BINARY, 3, BSN_OK, 0},
    {"old binary with 3 bytes of inner length", "05 61 00 03 00 00 00 02 00 00 00", BSN_E_BINARY, 3, BSN_OK, 0},
    {"old binary, inner length too short", "05 78 00 09 00 00 00 02 02 00 00 00 61 62 63 64 65", BSN_E_BINARY, 8, BSN_OK, 0},
    {"old binary, inner length too long", "05 78 00 06 00 00 00 02 03 00 00 00 FF FF", BSN_E_BINARY, 8, BSN_OK, 0},
    {"old binary, inner length -1", "05 78 00 06 00 00 00 02 FF FF FF FF FF FF", BSN_E_BINARY, 8, BSN_OK, 0},
    {"old binary, inner length too short, in a long document", "05 78 00 06 00 00 00 02 01 00 00 00 FF FF 0A 616161616161616161616161616161616161616161616161616161616161616161616161616161 00", BSN_E_BINARY, 8, BSN_OK, 0},

    /* regex */
    {"regex of no byte", "0B 61 00", BSN_E_CSTRING, 3, BSN_OK, 0},
    {"regex whose pattern has no end", "0B 61 00 62 63", BSN_E_CSTRING, 5, BSN_OK, 0},
    {"regex without options", "0B 61 00 62 00", BSN_E_CSTRING, 5, BSN_OK, 0},
    {"regex whose options have no end", "0B 61 00 62 00 69", BSN_E_CSTRING, 6, BSN_OK, 0},
    {"regex with a 0x00 in its pattern", "0B 61 00 61 00 63 00 69 6D 00", BSN_E_TYPE, 7, BSN_OK, 0},

    /* DBPointer */
    {"DBPointer without length", "0C 61 00 01 00 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"DBPointer of length 0", "0C 61 00 00 00 00 00 62 00 56 E1 FC 72 E0 C9 17 E9 C4 71 41 61", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"DBPointer of length -1", "0C 61 00 FF FF FF FF 62 00 56 E1 FC 72 E0 C9 17 E9 C4 71 41 61", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"DBPointer whose string ends with the document's 0x00", "0C 61 00 03 00 00 00 62 62", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"DBPointer without ObjectId", "0C 61 00 02 00 00 00 62 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"DBPointer with 11 bytes of ObjectId", "0C 61 00 02 00 00 00 62 00 01 02 03 04 05 06 07 08 09 0A 0B", BSN_E_SHORT, 3, BSN_OK, 0},
    {"DBPointer without 0x00", "0C 61 00 02 00 00 00 62 62 01 02 03 04 05 06 07 08 09 0A 0B 0C", BSN_E_TERMINATOR, 8, BSN_OK, 0},
    {"DBPointer without 0x00 and cut short", "0C 61 00 02 00 00 00 62 62 01 02 03 04 05 06 07 08 09 0A 0B", BSN_E_SHORT, 3, BSN_OK, 0},

    /* code with scope: total, string, sum, string's end, scope */
    {"code with scope without total", "0F 61 00 0E 00 00", BSN_E_SHORT, 3, BSN_OK, 0},
    {"code with scope, total 0", "0F 61 00 00 00 00 00 01 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, total 13", "0F 61 00 0D 00 00 00 01 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, total -1", "0F 61 00 FF FF FF FF 01 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, greatest total", "0F 61 00 FF FF FF 7F 01 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, total takes the document's 0x00", "0F 61 00 0F 00 00 00 01 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, nothing behind the total", "0F 61 00 0E 00 00 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"code with scope, string of length 0", "0F 61 00 0E 00 00 00 00 00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 7, BSN_OK, 0},
    {"code with scope, string of length -1", "0F 63 00 1E 00 00 00 FF FF FF FF 61 00 05 00 00 00 00 0A 61 61 61 61 61 61 61 61 61 61 61 61 61 00 ", BSN_E_LENGTH, 7, BSN_OK, 0},
    {"code with scope, string of length -12", "0F 63 00 0E 00 00 00 F4 FF FF FF 61 00 05 00 00 00", BSN_E_LENGTH, 7, BSN_OK, 0},
    {"code with scope, string leaves 4 bytes", "0F 61 00 0E 00 00 00 02 00 00 00 00 00 05 00 00 00", BSN_E_LENGTH, 7, BSN_OK, 0},
    {"code with scope, string longer than the value", "0F 61 00 0E 00 00 00 FF FF FF 7F 00 05 00 00 00 00", BSN_E_LENGTH, 7, BSN_OK, 0},
    {"code with scope, total one too long", "0F 61 00 0F 00 00 00 01 00 00 00 00 05 00 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, scope of length 0", "0F 61 00 0E 00 00 00 01 00 00 00 00 00 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, scope of length -1", "0F 61 00 0E 00 00 00 01 00 00 00 00 FF FF FF FF 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, scope too long", "0F 61 00 0E 00 00 00 01 00 00 00 00 06 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, string one too short", "0F 61 00 10 00 00 00 02 00 00 00 62 62 00 05 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, wrong sum and string without 0x00", "0F 61 00 0F 00 00 00 01 00 00 00 62 05 00 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope, string without 0x00", "0F 61 00 0E 00 00 00 01 00 00 00 62 05 00 00 00 00", BSN_E_TERMINATOR, 11, BSN_OK, 0},
    {"code with scope, scope without 0x00", "0F 61 00 0E 00 00 00 01 00 00 00 00 05 00 00 00 01", BSN_E_TERMINATOR, 16, BSN_OK, 0},
    {"code with scope, string and scope without 0x00", "0F 61 00 0E 00 00 00 01 00 00 00 62 05 00 00 00 01", BSN_E_TERMINATOR, 11, BSN_OK, 0},
    {"code with scope, fault in the scope", "0F 61 00 15 00 00 00 01 00 00 00 00 0C 00 00 00 02 00 00 00 00 00 00 00", BSN_E_LENGTH, 18, BSN_OK, 0},
    {"code with scope, fault in a scope without 0x00", "0F 61 00 11 00 00 00 01 00 00 00 00 08 00 00 00 15 62 00 01", BSN_E_TYPE, 16, BSN_OK, 0},

    /* the first fault wins */
    {"two faults", "08 61 00 02 15 62 00", BSN_E_BOOLEAN, 3, BSN_OK, 0},
    {"fault in a document, and one behind it", "03 61 00 09 00 00 00 08 62 00 02 00 15 62 00", BSN_E_BOOLEAN, 10, BSN_OK, 0},
    {"fault before a document that has one", "08 61 00 02 03 61 00 05 00 00 00 01", BSN_E_BOOLEAN, 3, BSN_OK, 0},
    {"fault in a document without 0x00, and one behind it", "03 61 00 09 00 00 00 08 62 00 02 01 15 62 00", BSN_E_BOOLEAN, 10, BSN_OK, 0},

    /* text */
    {"key FF", "0A FF 00", BSN_OK, 0, BSN_E_UTF8, 1},
    {"key with an overlong form", "0A 61 C0 80 00", BSN_OK, 0, BSN_E_UTF8, 2},
    {"key with a surrogate", "0A ED A0 80 00", BSN_OK, 0, BSN_E_UTF8, 1},
    {"key cut short", "10 61 E2 82 00 01 00 00 00", BSN_OK, 0, BSN_E_UTF8, 2},
    {"key above U+10FFFF", "0A F4 90 80 80 00", BSN_OK, 0, BSN_E_UTF8, 1},
    {"key of 40 bytes with a fault at its end", "10 616161616161616161616161616161616161616161616161616161616161616161616161616161 80 00 01 00 00 00", BSN_OK, 0, BSN_E_UTF8, 40},
    {"string FF", "02 61 00 02 00 00 00 FF 00", BSN_OK, 0, BSN_E_UTF8, 7},
    {"string E2 82 41", "02 61 00 05 00 00 00 61 E2 82 41 00", BSN_OK, 0, BSN_E_UTF8, 8},
    {"string cut short", "02 73 00 02 00 00 00 C6 00", BSN_OK, 0, BSN_E_UTF8, 7},
    {"string with an overlong U+0000", "02 73 00 05 00 00 00 0A 0A C0 80 00", BSN_OK, 0, BSN_E_UTF8, 9},
    {"string of two bytes a character cut by its 0x00", "02 73 00 02 00 00 00 C3 00 0A A9 00", BSN_OK, 0, BSN_E_UTF8, 7},
    {"code FF", "0D 61 00 02 00 00 00 E9 00", BSN_OK, 0, BSN_E_UTF8, 7},
    {"symbol FF", "0E 61 00 02 00 00 00 E9 00", BSN_OK, 0, BSN_E_UTF8, 7},
    {"DBPointer FF", "0C 61 00 02 00 00 00 E9 00 56 E1 FC 72 E0 C9 17 E9 C4 71 41 61", BSN_OK, 0, BSN_E_UTF8, 7},
    {"pattern FF", "0B 61 00 62 FF 00 69 00", BSN_OK, 0, BSN_E_UTF8, 4},
    {"options FF", "0B 61 00 62 00 69 FF 00", BSN_OK, 0, BSN_E_UTF8, 6},
    {"code with scope FF", "0F 61 00 0F 00 00 00 02 00 00 00 FF 00 05 00 00 00 00", BSN_OK, 0, BSN_E_UTF8, 11},
    {"key in a scope FF", "0F 61 00 11 00 00 00 01 00 00 00 00 08 00 00 00 0A FF 00 00", BSN_OK, 0, BSN_E_UTF8, 17},
    {"key in an array FF", "04 61 00 08 00 00 00 0A FF 00 00", BSN_OK, 0, BSN_E_UTF8, 8},
    {"binary and ObjectId are no text", "05 61 00 01 00 00 00 00 FF 07 62 00 FF FF FF FF FF FF FF FF FF FF FF FF", BSN_OK, 0, BSN_OK, 0},

    /* text and structure: the lower offset wins */
    {"key FF, string of length 0", "02 FF 00 00 00 00 00 00", BSN_E_LENGTH, 3, BSN_E_UTF8, 1},
    {"key FF, boolean 2", "08 FF 00 02", BSN_E_BOOLEAN, 3, BSN_E_UTF8, 1},
    {"key FF, value cut short", "10 FF 00 01", BSN_E_SHORT, 3, BSN_E_UTF8, 1},
    {"key FF without end", "0A 61 FF 61", BSN_E_CSTRING, 4, BSN_E_UTF8, 2},
    {"key cut short by the document's 0x00", "0A 61 C3", BSN_E_CSTRING, 3, BSN_E_UTF8, 2},
    {"key FF, document of length 4", "03 FF 00 04 00 00 00 00", BSN_E_LENGTH, 3, BSN_E_UTF8, 1},
    {"key FF in a document without 0x00", "03 61 00 08 00 00 00 0A FF 00 01", BSN_E_TERMINATOR, 10, BSN_E_UTF8, 8},
    {"key FF runs into the byte that is not 0x00", "03 61 00 08 00 00 00 0A FF 61 01", BSN_E_TERMINATOR, 10, BSN_E_UTF8, 8},
    {"string FF without 0x00", "02 61 00 02 00 00 00 FF 61", BSN_E_TERMINATOR, 8, BSN_E_UTF8, 7},
    {"string FF as its 0x00", "02 61 00 02 00 00 00 61 FF", BSN_E_TERMINATOR, 8, BSN_OK, 0},
    {"string cut short by what is not its 0x00", "02 61 00 02 00 00 00 C3 A9", BSN_E_TERMINATOR, 8, BSN_E_UTF8, 7},
    {"string FF of length 0", "02 61 00 00 00 00 00 FF 00", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"string FF that is too long", "02 61 00 03 00 00 00 FF FF", BSN_E_LENGTH, 3, BSN_OK, 0},
    {"pattern FF, no options", "0B 61 00 FF 00", BSN_E_CSTRING, 5, BSN_E_UTF8, 3},
    {"pattern FF without end", "0B 61 00 FF 61", BSN_E_CSTRING, 5, BSN_E_UTF8, 3},
    {"options FF without end", "0B 61 00 61 00 69 FF", BSN_E_CSTRING, 7, BSN_E_UTF8, 6},
    {"DBPointer FF cut short", "0C 61 00 02 00 00 00 FF 00 01", BSN_E_SHORT, 3, BSN_OK, 0},
    {"DBPointer FF without 0x00", "0C 61 00 02 00 00 00 FF 61 56 E1 FC 72 E0 C9 17 E9 C4 71 41 61", BSN_E_TERMINATOR, 8, BSN_E_UTF8, 7},
    {"code with scope FF, wrong sum", "0F 61 00 10 00 00 00 02 00 00 00 FF 00 05 00 00 00 00 00", BSN_E_CODE_SCOPE, 3, BSN_OK, 0},
    {"code with scope FF without 0x00", "0F 61 00 0F 00 00 00 02 00 00 00 FF 61 05 00 00 00 00", BSN_E_TERMINATOR, 12, BSN_E_UTF8, 11},
    {"code with scope FF, scope without 0x00", "0F 61 00 0F 00 00 00 02 00 00 00 FF 00 05 00 00 00 01", BSN_E_TERMINATOR, 17, BSN_E_UTF8, 11},
    {"string FF, then boolean 2", "02 61 00 02 00 00 00 FF 00 08 62 00 02", BSN_E_BOOLEAN, 12, BSN_E_UTF8, 7},
    {"boolean 2, then string FF", "08 62 00 02 02 61 00 02 00 00 00 FF 00", BSN_E_BOOLEAN, 3, BSN_OK, 0},
    {"string FF, then early end", "02 61 00 02 00 00 00 FF 00 00", BSN_E_TYPE, 9, BSN_E_UTF8, 7},
    {"string FF in a document, then unknown type behind it", "03 61 00 0E 00 00 00 02 61 00 02 00 00 00 FF 00 00 15 62 00", BSN_E_TYPE, 17, BSN_E_UTF8, 14},
};
/* clang-format on */
enum { FAULT_ROW_COUNT = sizeof fault_rows / sizeof fault_rows[0] };

/* What level utf8 says of a row. */
static inline bsn_status fault_row_utf8_status(const fault_row *row)
{
    return row->utf8_status != BSN_OK ? row->utf8_status : row->status;
}

static inline size_t fault_row_utf8_offset(const fault_row *row)
{
    return row->utf8_status != BSN_OK ? row->utf8_offset : row->offset;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c -- which type bytes BSON has, and what the server calls them.
 */
#include <bsonic/types.h>

/* The names that $type takes. Deprecated types have names too; NULL where there is no type. */
static const char *type_name(uint8_t type)
{
    switch ((bsn_type)type) {
    case BSN_TYPE_NONE: return NULL;
    case BSN_TYPE_DOUBLE: return "double";
    case BSN_TYPE_STRING: return "string";
    case BSN_TYPE_DOCUMENT: return "object";
    case BSN_TYPE_ARRAY: return "array";
    case BSN_TYPE_BINARY: return "binData";
    case BSN_TYPE_UNDEFINED: return "undefined";
    case BSN_TYPE_OID: return "objectId";
    case BSN_TYPE_BOOLEAN: return "bool";
    case BSN_TYPE_DATE: return "date";
    case BSN_TYPE_NULL: return "null";
    case BSN_TYPE_REGEX: return "regex";
    case BSN_TYPE_DBPOINTER: return "dbPointer";
    case BSN_TYPE_CODE: return "javascript";
    case BSN_TYPE_SYMBOL: return "symbol";
    case BSN_TYPE_CODE_SCOPE: return "javascriptWithScope";
    case BSN_TYPE_INT32: return "int";
    case BSN_TYPE_TIMESTAMP: return "timestamp";
    case BSN_TYPE_INT64: return "long";
    case BSN_TYPE_DECIMAL128: return "decimal";
    case BSN_TYPE_MAXKEY: return "maxKey";
    case BSN_TYPE_MINKEY: return "minKey";
    }
    return NULL;
}

bool bsn_type_known(uint8_t type)
{
    return type_name(type) != NULL;
}

const char *bsn_type_name(uint8_t type)
{
    const char *name = type_name(type);
    return name != NULL ? name : "unknown";
}

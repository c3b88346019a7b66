/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.h -- a shape from inside: what readers compare with, and how they teach it.
 *
 * The keys of a document are a ring of nodes behind one that stands for its opening bracket, in the order in which they were last seen. A
 * reader keeps the node of the last key: the next one is foreseen. A node whose value is a document, or an array of them, has a
 * ring for their keys.
 *
 *   [root] -> "_id" -> "name" -> "address" -> "tags" -> [root]
 *                                    └ [ring] -> "street" -> "city" -> [ring]
 *
 * A node's image is what stands in the input from where the key begins up to its value. It was accepted as a key before it was learnt,
 * and it is compared as a whole, so where it stands again it is one again.
 *
 * Where there is nothing to foresee readers stand at bsni_shape_nowhere, of which all that follows is itself.
 */
#ifndef BSNI_SHAPE_H
#define BSNI_SHAPE_H

#include "simd/short.h"

#include <bsonic/shape.h>

/* The longest image; the bytes that a comparison reads. */
#define BSNI_SHAPE_IMAGE 32

typedef struct bsni_shape_node {
    uint8_t image[BSNI_SHAPE_IMAGE]; /* zeros behind len */
    uint32_t counted;                /* a bit for each byte of it */
    uint32_t wanted;                 /* the same; where nothing is to be found a bit more */
    uint8_t len;                     /* of the image; 0: no key */
    uint8_t key_len;
    const struct bsni_shape_node *next; /* what is foreseen behind it */
    const struct bsni_shape_node *ring; /* of the documents that are its value; NULL: none yet */
} bsni_shape_node;

extern const bsni_shape_node bsni_shape_nowhere;

/* True if the node's image stands at p, where BSNI_SHAPE_IMAGE bytes may be read. */
static inline bool bsni_shape_is_at(const bsni_shape_node *node, const uint8_t *p)
{
    return bsni_short_same_32(p, node->image, node->len, node->counted) == node->wanted;
}

/* A document begins: where its reader stands, in front of the first key. */
const bsni_shape_node *bsni_shape_begin(bsn_shape *shape);

/* The document that was begun last had `len` bytes and no fault. */
void bsni_shape_end(bsn_shape *shape, size_t len);

/* The key whose image this is, which is sound, comes behind `node` without having been foreseen: where the reader stands now. Images of
 * other lengths than 1 to BSNI_SHAPE_IMAGE are not kept. node is not nowhere. */
const bsni_shape_node *bsni_shape_miss(bsn_shape *shape, const bsni_shape_node *node,
                                       const uint8_t *image, size_t len, size_t key_len);

/* The slow half of bsni_shape_enter. */
const bsni_shape_node *bsni_shape_add_ring(bsn_shape *shape, const bsni_shape_node *node);

/* Where a reader stands that goes into a document which is the value of `node`, or an item of an array that is. */
static inline const bsni_shape_node *bsni_shape_enter(bsn_shape *shape, const bsni_shape_node *node)
{
    return BSN_LIKELY(node->ring != NULL) ? node->ring : bsni_shape_add_ring(shape, node);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.c -- learning the keys of documents, and noticing that there is nothing to learn.
 */
#include "bson/shape.h"

#include "base/debug.h"

/* All that one shape can know; as many nodes as fit its block. */
#define NODE_MAX (64 * 1024 / sizeof(bsni_shape_node))

/* How far a key that was not foreseen is looked for: fields that were left out, or put in. */
#define SEEK_MAX 16

/* A document is bad with a miss for fewer bytes than these: then looking costs more than it saves. */
#define BYTES_A_MISS 160
#define BAD_MAX 3
#define REST_LEAST 32
#define REST_MOST 4096

const bsni_shape_node bsni_shape_nowhere = {
    .wanted = 1, .next = &bsni_shape_nowhere, .ring = &bsni_shape_nowhere};

void bsn_shape_init(bsn_shape *shape, const bsn_alloc *alloc)
{
    shape->alloc = alloc;
    shape->nodes = NULL;
    shape->node_count = 0;
    shape->misses = 0;
    shape->bad = 0;
    shape->rest = 0;
    shape->next_rest = REST_LEAST;
    shape->is_on = false;
}

void bsn_shape_free(bsn_shape *shape)
{
    if (shape->nodes != NULL)
        bsn_alloc_resize(shape->alloc, shape->nodes, NODE_MAX * sizeof *shape->nodes, 0);
    bsn_shape_init(shape, shape->alloc);
}

/* A node without key, alone in its ring. NULL when there is no room for it. */
static bsni_shape_node *add_node(bsn_shape *shape)
{
    if (shape->node_count == NODE_MAX) return NULL;
    bsni_shape_node *node = &shape->nodes[shape->node_count++];
    memset(node, 0, sizeof *node);
    node->wanted = 1;
    node->next = node;
    return node;
}

/* The shape forgets all, and has the root. False without memory. */
static bool start(bsn_shape *shape)
{
    if (shape->nodes == NULL)
        shape->nodes = bsn_alloc_resize(shape->alloc, NULL, 0, NODE_MAX * sizeof *shape->nodes);
    shape->node_count = 0;
    return shape->nodes != NULL && add_node(shape) != NULL;
}

const bsni_shape_node *bsni_shape_begin(bsn_shape *shape)
{
    shape->misses = 0;
    shape->is_on = false;
    if (shape->rest != 0) {
        shape->rest--;
        return &bsni_shape_nowhere;
    }
    if (shape->node_count == 0 && !start(shape)) return &bsni_shape_nowhere;
    shape->is_on = true;
    return shape->nodes;
}

void bsni_shape_end(bsn_shape *shape, size_t len)
{
    if (!shape->is_on) return;
    if ((uint64_t)shape->misses * BYTES_A_MISS <= len) {
        shape->bad = 0;
        shape->next_rest = REST_LEAST;
        return;
    }
    if (++shape->bad < BAD_MAX) return;
    shape->bad = BAD_MAX - 2; /* the first one behind the rest only teaches */
    shape->rest = shape->next_rest;
    if (shape->next_rest < REST_MOST) shape->next_rest *= 2;
    shape->node_count = 0;
}

/* A node of the shape's own. It may have been forgotten meanwhile, or be another key's, when documents were read between two pieces of
 * the one at hand: its reader foresees badly then, and teaches badly. */
static bsni_shape_node *own(bsn_shape *shape, const bsni_shape_node *node)
{
    BSN_ASSERT(node >= shape->nodes && node < shape->nodes + NODE_MAX);
    return &shape->nodes[node - shape->nodes];
}

const bsni_shape_node *bsni_shape_add_ring(bsn_shape *shape, const bsni_shape_node *node)
{
    const bsni_shape_node *ring = add_node(shape);
    own(shape, node)->ring = ring != NULL ? ring : &bsni_shape_nowhere;
    return own(shape, node)->ring;
}

const bsni_shape_node *bsni_shape_miss(bsn_shape *shape, const bsni_shape_node *node,
                                       const uint8_t *image, size_t len, size_t key_len)
{
    shape->misses++;
    if (len == 0 || len > BSNI_SHAPE_IMAGE) return node;
    const bsni_shape_node *other = node->next;
    for (size_t i = 0; i < SEEK_MAX && other != node; i++, other = other->next) {
        if (other->len == len && memcmp(other->image, image, len) == 0) return other;
    }
    bsni_shape_node *fresh = add_node(shape);
    if (fresh == NULL) return node;
    memcpy(fresh->image, image, len);
    fresh->counted = fresh->wanted = UINT32_MAX >> (BSNI_SHAPE_IMAGE - len);
    fresh->len = (uint8_t)len;
    fresh->key_len = (uint8_t)key_len;
    fresh->next = node->next;
    own(shape, node)->next = fresh;
    return fresh;
}

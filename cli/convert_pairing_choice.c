/* Which tensors of a file are W_q and W_k, and how many heads each has. A name says it by one of its parts, as in
 * model.layers.0.self_attn.q_proj.weight; where it does not, --q and --k do. */
#include <string.h>

#include "convert_pairing.h"

/* ---- lists of names ---- */

/* Whether a name fits a pattern of n bytes, where * stands for any run of bytes. */
static bool fits(const char *pattern, size_t n, const char *name) {
    const char *end = pattern + n, *star = NULL, *from = name;
    while (*name) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            from = name;
        } else if (pattern < end && *pattern == *name) {
            pattern++, name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*') pattern++;
    return pattern == end;
}

/* ---- what a name says ---- */

typedef struct part_role {
    const char *part;
    posenc_cli_role role;
} part_role;

static const part_role parts[] = {
    {"q_proj", POSENC_CLI_QUERIES}, {"wq", POSENC_CLI_QUERIES},       {"q", POSENC_CLI_QUERIES},
    {"attn_q", POSENC_CLI_QUERIES}, {"query", POSENC_CLI_QUERIES},    {"to_q", POSENC_CLI_QUERIES},
    {"q_norm", POSENC_CLI_QUERIES}, {"q_b_proj", POSENC_CLI_QUERIES}, {"k_proj", POSENC_CLI_KEYS},
    {"wk", POSENC_CLI_KEYS},        {"k", POSENC_CLI_KEYS},           {"attn_k", POSENC_CLI_KEYS},
    {"key", POSENC_CLI_KEYS},       {"to_k", POSENC_CLI_KEYS},        {"k_norm", POSENC_CLI_KEYS},
};

static bool has_part(const char *name, const char *part) {
    size_t n = strlen(part);
    for (const char *at = name; *at; at += strcspn(at, "."), at += *at == '.')
        if (strcspn(at, ".") == n && memcmp(at, part, n) == 0) return true;
    return false;
}

static posenc_cli_role role_of(const char *name) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has_part(name, parts[i].part)) return parts[i].role;
    return POSENC_CLI_OTHER;
}

/* The scale of a norm of one head, which serves all heads: its channels are permuted as those of the head are. */
static bool is_norm(const posenc_cli_projection *p) {
    return has_part(p->info->name, "q_norm") || has_part(p->info->name, "k_norm");
}

/* ---- roles ---- */

static int give_role(posenc_cli_projection *p, const char *option, posenc_cli_role role) {
    if (role == POSENC_CLI_OTHER) role = role_of(p->info->name);
    if (role == POSENC_CLI_OTHER)
        return posenc_cli_fail("%s: expected a name with a part such as q_proj or k_proj, got \"%s\"; use --q or --k",
                               option, p->info->name);
    if (p->role != POSENC_CLI_OTHER && p->role != role)
        return posenc_cli_fail("%s: expected \"%s\" to be either of queries or of keys, got both", option,
                               p->info->name);
    p->role = role;
    return POSENC_CLI_FINE;
}

static int unknown_tensor(const posenc_cli_conversion *c, const char *option, const char *name, size_t n) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES], *nearest = NULL;
    char text[512];
    size_t known = 0;
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), name);
    for (; known < MOST_NAMES && known < c->n; known++) names[known] = c->tensors[known].info->name;
    if (!strchr(text, '*')) nearest = posenc_nearest_name(text, names, known);
    if (nearest)
        return posenc_cli_fail("%s: %s has no tensor \"%s\", did you mean \"%s\"?", option, c->file, text, nearest);
    return posenc_cli_fail("%s: expected a tensor of %s, which has %zu, got \"%s\"", option, c->file, c->n, text);
}

/* Gives a role to every tensor that a list, names parted by commas, speaks of. */
static int take_list(posenc_cli_conversion *c, const char *option, posenc_cli_role role) {
    const char *at = posenc_cli_given(c->arguments, option) ? posenc_cli_text(c->arguments, option) : NULL;
    for (size_t n; at; at = at[n] ? at + n + 1 : NULL) {
        size_t found = 0;
        n = strcspn(at, ",");
        for (size_t i = 0; i < c->n; i++) {
            if (!fits(at, n, c->tensors[i].info->name)) continue;
            int status = give_role(&c->tensors[i], option, role);
            if (status != POSENC_CLI_FINE) return status;
            found++;
        }
        if (found == 0) return unknown_tensor(c, option, at, n);
    }
    return POSENC_CLI_FINE;
}

/* ---- heads ---- */

static int64_t heads_of(const posenc_cli_conversion *c, posenc_cli_role role) {
    return posenc_cli_integer(
        c->arguments, role == POSENC_CLI_KEYS && posenc_cli_given(c->arguments, "kv-heads") ? "kv-heads" : "heads");
}

static const char *heads_option(const posenc_cli_conversion *c, posenc_cli_role role) {
    return role == POSENC_CLI_KEYS && posenc_cli_given(c->arguments, "kv-heads") ? "kv-heads" : "heads";
}

/* Rows of whole bytes, of a number that has a meaning. */
static int check_rows(const posenc_cli_conversion *c, const posenc_cli_projection *p) {
    const posenc_tensor_info *t = p->info;
    if (t->rank < 1)
        return posenc_cli_fail("%s: expected (rows, columns) or (rows) for \"%s\", got a scalar", c->file, t->name);
    if (t->shape[0] == 0 || t->bytes % (uint64_t)t->shape[0] == 0) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected rows of whole bytes for \"%s\", got %llu bytes for %lld rows of %s", c->file,
                           t->name, (unsigned long long)t->bytes, (long long)t->shape[0], t->dtype_text);
}

static int find_head_dim(posenc_cli_conversion *c) {
    c->options.head_dim = posenc_cli_given(c->arguments, "head-dim") ? posenc_cli_integer(c->arguments, "head-dim") : 0;
    for (size_t i = 0; c->options.head_dim == 0 && i < c->n; i++) {
        const posenc_cli_projection *p = &c->tensors[i];
        if (p->role == POSENC_CLI_OTHER || is_norm(p)) continue;
        int64_t rows = p->info->shape[0], heads = heads_of(c, p->role);
        if (rows % heads != 0)
            return posenc_cli_fail("%s: expected a number that divides the %lld rows of \"%s\", got %lld",
                                   heads_option(c, p->role), (long long)rows, p->info->name, (long long)heads);
        c->options.head_dim = rows / heads;
    }
    if (c->options.head_dim > 0) return POSENC_CLI_FINE;
    return posenc_cli_fail("head-dim: expected it beside tensors without rows or of norms alone, got nothing");
}

static int find_heads(const posenc_cli_conversion *c, posenc_cli_projection *p) {
    int64_t rows = p->info->shape[0], head_dim = c->options.head_dim;
    p->heads = heads_of(c, p->role);
    if (is_norm(p) && rows == head_dim) p->heads = 1;
    if (rows % head_dim == 0 && rows / head_dim == p->heads) return POSENC_CLI_FINE;
    const char *option = heads_option(c, p->role);
    return posenc_cli_fail("%s: expected %lld heads of %lld rows in \"%s\", got %lld rows%s", option,
                           (long long)p->heads, (long long)head_dim, p->info->name, (long long)rows,
                           p->role == POSENC_CLI_KEYS && strcmp(option, "heads") == 0
                               ? "; keys have a number of heads of their own, --kv-heads"
                               : "");
}

static int check_extent(posenc_cli_conversion *c) {
    posenc_pairing_options *o = &c->options;
    o->rotary_start = posenc_cli_integer(c->arguments, "rotary-start");
    if (o->rotary_start >= o->head_dim)
        return posenc_cli_fail("rotary-start: expected less than the %lld rows of a head, got %lld",
                               (long long)o->head_dim, (long long)o->rotary_start);
    int64_t room = o->head_dim - o->rotary_start;
    bool given = posenc_cli_given(c->arguments, "rotary-dim");
    o->dim = given ? posenc_cli_integer(c->arguments, "rotary-dim") : room;
    if (o->dim > room)
        return posenc_cli_fail("rotary-dim: expected at most %lld, the rows of a head from %lld on, got %lld",
                               (long long)room, (long long)o->rotary_start, (long long)o->dim);
    if (o->dim % 2 == 0) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected an even number of rotated rows in a head, got %lld",
                           given ? "rotary-dim" : "head-dim", (long long)o->dim);
}

int posenc_cli_conversion_choose(posenc_cli_conversion *c) {
    int status = take_list(c, "tensor", POSENC_CLI_OTHER);
    if (status == POSENC_CLI_FINE) status = take_list(c, "q", POSENC_CLI_QUERIES);
    if (status == POSENC_CLI_FINE) status = take_list(c, "k", POSENC_CLI_KEYS);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < c->n; i++)
        if (c->tensors[i].role != POSENC_CLI_OTHER) status = check_rows(c, &c->tensors[i]);
    if (status == POSENC_CLI_FINE) status = find_head_dim(c);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < c->n; i++)
        if (c->tensors[i].role != POSENC_CLI_OTHER) status = find_heads(c, &c->tensors[i]);
    return status == POSENC_CLI_FINE ? check_extent(c) : status;
}

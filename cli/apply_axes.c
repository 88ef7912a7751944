/* Which axis of a file is what, and in which parts a tensor goes by. The library wants batch, tokens, heads and
 * channels in this order and takes any strides, so a file in another order is a matter of strides. */
#include <string.h>

#include "apply.h"
#include "bias_input.h"
#include "rotary.h"

/* By rank: the letters of the axes in the library's order. Three axes of which one is heads have no batch. */
static const char *const letters[] = {"", "", "td", "btd", "bthd", "bfhwc"};
static const char without_batch[] = "thd";

/* Of scores: heads, queries, keys. */
static const char scores[] = "bhqk";

static int place_of(char letter, const char *text) { return (int)(strchr(text, letter) - text); }

/* The letters of one rank, each once, in any order. */
static int check_letters(const posenc_cli_apply_tensor *x, const char *text, bool rotates) {
    const char *wanted = x->letters;
    bool fits = strlen(text) == (size_t)x->rank;
    for (int i = 0; fits && i < x->rank; i++) fits = strchr(text, wanted[i]) != NULL;
    if (fits) return POSENC_CLI_FINE;
    return posenc_cli_fail("axes: expected the letters of %s in the order of %s, which has %d axes, got \"%s\"",
                           rotates && x->rank == 3 ? "btd or thd" : wanted, x->name, x->rank, text);
}

/* Rotary reads a head as a whole. */
static int check_head(const posenc_cli_apply_tensor *x, const char *text) {
    if (text[x->rank - 1] == 'd') return POSENC_CLI_FINE;
    return posenc_cli_fail("axes: expected d last, the channels of a head of %s side by side, got \"%s\"", x->name,
                           text);
}

bool posenc_cli_apply_is_video(const posenc_cli_apply_tensor *x) { return x->rank == 5; }

bool posenc_cli_apply_flattens(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const char *form = posenc_cli_text(job->arguments, "video");
    return posenc_cli_apply_is_video(x) && form && strcmp(form, "flattened") == 0;
}

static int check_video(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const char *text) {
    if (!posenc_cli_given(job->arguments, "video"))
        return posenc_cli_fail(
            "video: expected --video flattened or --video broadcast for the five axes of %s, got none", x->name);
    const char *together = posenc_cli_apply_flattens(job, x) ? "hwc" : "hw";
    if (strstr(text, together)) return POSENC_CLI_FINE;
    return posenc_cli_fail("axes: expected %s side by side for --video %s, got \"%s\"", together,
                           posenc_cli_text(job->arguments, "video"), text);
}

static int name_scores(posenc_cli_apply_tensor *x) {
    x->letters = scores + (POSENC_CLI_APPLY_SCORES_RANK - x->rank);
    for (int i = 0; i < x->rank; i++) x->axes[i] = i;
    return POSENC_CLI_FINE;
}

int posenc_cli_apply_axes(const posenc_cli_apply_job *job, posenc_cli_apply_tensor *x) {
    if (posenc_cli_biases(job->arguments)) return name_scores(x);
    bool rotates = posenc_cli_rotates(job->arguments);
    const char *given = posenc_cli_text(job->arguments, "axes");
    x->letters = rotates && x->rank == 3 && given && strchr(given, 'h') ? without_batch : letters[x->rank];
    const char *text = given ? given : x->letters;
    int status = check_letters(x, text, rotates);
    if (status == POSENC_CLI_FINE && rotates) status = check_head(x, text);
    if (status == POSENC_CLI_FINE && posenc_cli_apply_is_video(x)) status = check_video(job, x, text);
    if (status == POSENC_CLI_FINE && !posenc_cli_apply_is_video(x) && posenc_cli_given(job->arguments, "video"))
        status = posenc_cli_fail("video: expected five axes in %s, got %d", x->name, x->rank);
    for (int i = 0; status == POSENC_CLI_FINE && i < x->rank; i++) x->axes[i] = place_of(x->letters[i], text);
    return status;
}

int posenc_cli_apply_axis(const posenc_cli_apply_tensor *x, char letter) {
    const char *found = strchr(x->letters, letter);
    return found ? x->axes[found - x->letters] : -1;
}

static int64_t extent(const posenc_cli_apply_tensor *x, int axis) { return x->shape[x->axes[axis]]; }

/* A frame that is one token and does not fit into 64 bits has no width: it is refused as too large. */
int64_t posenc_cli_apply_width(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    int64_t width = extent(x, x->rank - 1);
    for (int i = 2; posenc_cli_apply_flattens(job, x) && i < 4; i++) {
        if (extent(x, i) > 0 && width > INT64_MAX / extent(x, i)) return INT64_MAX;
        width *= extent(x, i);
    }
    return width;
}

int64_t posenc_cli_apply_tokens(const posenc_cli_apply_tensor *x) { return extent(x, x->letters[0] == 'b'); }

int64_t posenc_cli_apply_batches(const posenc_cli_apply_tensor *x) { return x->letters[0] == 'b' ? extent(x, 0) : 1; }

/* ---- parts ---- */

posenc_cli_apply_part posenc_cli_apply_whole(const posenc_cli_apply_tensor *x) {
    posenc_cli_apply_part part = {{0}, {0}};
    for (int i = 0; i < x->rank; i++) part.count[i] = x->shape[i];
    return part;
}

/* Leading axes of the file along which it may be cut: those before a row's channels; of scores all. Dropout counts
 * elements in the library's order, and a part of a file in another order would need more than one place to begin. */
static int axes_to_cut(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    int n = x->rank;
    bool ordered = true;
    if (posenc_cli_biases(job->arguments)) return n;
    for (int i = 0; i < x->rank; i++) {
        bool of_row = i == x->rank - 1 || (posenc_cli_apply_flattens(job, x) && i >= 2);
        if (of_row && x->axes[i] < n) n = x->axes[i];
        if (x->axes[i] != i) ordered = false;
    }
    return posenc_cli_apply_drops(job) && !ordered ? 0 : n;
}

posenc_cli_apply_part posenc_cli_apply_first_part(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                                                  int64_t bytes) {
    posenc_cli_apply_part part = posenc_cli_apply_whole(x);
    int64_t element = (int64_t)posenc_dtype_bytes(x->dtype);
    int n = axes_to_cut(job, x);
    for (int axis = 0; axis < n; axis++) {
        int64_t one = element; /* bytes of one index: part of a file, so it fits */
        for (int i = axis + 1; i < x->rank; i++) one *= x->shape[i];
        int64_t most = one > 0 ? bytes / one : x->shape[axis];
        part.count[axis] = most < 1 ? 1 : most < x->shape[axis] ? most : x->shape[axis];
        if (most >= 1) break;
    }
    return part;
}

bool posenc_cli_apply_next_part(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *size,
                                posenc_cli_apply_part *part) {
    for (int i = x->rank - 1; i >= 0; i--) {
        int64_t next = part->first[i] + size->count[i], left = x->shape[i] - next;
        if (left > 0) {
            part->first[i] = next;
            part->count[i] = left < size->count[i] ? left : size->count[i];
            return true;
        }
        part->first[i] = 0;
        part->count[i] = size->count[i];
    }
    return false;
}

/* Extents beside one of 0 may be of any size, so that no stride of theirs fits. */
bool posenc_cli_apply_part_is_empty(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part) {
    for (int i = 0; i < x->rank; i++)
        if (part->count[i] == 0) return true;
    return false;
}

int64_t posenc_cli_apply_part_elements(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part) {
    int64_t elements = 1;
    for (int i = 0; i < x->rank; i++) elements *= part->count[i];
    return elements;
}

int64_t posenc_cli_apply_part_begin(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part) {
    int64_t index = 0;
    for (int i = 0; i < x->rank; i++) index = index * x->shape[i] + part->first[i];
    return index;
}

DLTensor *posenc_cli_apply_part_view(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part, void *data,
                                     posenc_view *view) {
    int64_t in_file[POSENC_CLI_APPLY_RANK], shape[POSENC_CLI_APPLY_RANK], strides[POSENC_CLI_APPLY_RANK], step = 1;
    for (int i = x->rank - 1; i >= 0; i--) in_file[i] = step, step *= part->count[i];
    for (int i = 0; i < x->rank; i++) shape[i] = part->count[x->axes[i]], strides[i] = in_file[x->axes[i]];
    return posenc_view_make(view, data, x->dtype, x->rank, shape, strides);
}

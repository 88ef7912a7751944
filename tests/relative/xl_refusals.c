/* What calls about Transformer-XL refuse: the status, the argument, the message, and outputs untouched. */
#include <math.h>
#include <string.h>

#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

typedef struct world {
    xl_case c;
    float memory[4096], before[4096];
    posenc_view views[XL_TENSORS], out_views[XL_INPUTS];
    DLTensor *in[XL_TENSORS], *out[XL_INPUTS];
} world;

static void open_world(world *w) {
    memset(w, 0, sizeof *w);
    w->c = xl_sized(POSENC_F32, 2, 2, 3, 5, 4, 6);
    for (int i = 0; i < 4096; i++) w->memory[i] = w->before[i] = (float)i;
    for (int t = 0; t < XL_TENSORS; t++) w->in[t] = xl_view(&w->c, t, &w->views[t], w->memory + 200 * t);
    for (int t = 0; t < XL_INPUTS; t++) w->out[t] = xl_view(&w->c, t, &w->out_views[t], w->memory + 2000 + 200 * t);
}

typedef void change(world *w);

/* calls: 1 forward, 2 backward. argument_2: of the backward, where it is another. */
typedef struct refusal {
    const char *what, *argument, *argument_2;
    posenc_status status;
    unsigned calls;
    change *make;
} refusal;

static void scale(world *w) { w->c.options.scale = (double)INFINITY; }
static void memory(world *w) { w->c.options.memory = -(INT64_C(1) << 60) - 1; }
static void far(world *w) { w->c.options.memory = INT64_MAX; }
static DLTensor *memories(world *w, void *data, posenc_dtype dtype, int64_t n) {
    static posenc_view view;
    w->c.by_row = false; /* the view is another */
    return posenc_view_make(&view, data, dtype, 1, &n, NULL);
}
static void memories_dtype(world *w) { w->c.options.memories = memories(w, w->memory, POSENC_F32, 2); }
static void memories_shape(world *w) { w->c.options.memories = memories(w, w->memory, POSENC_I32, 3); }
static void memories_far(world *w) {
    static int64_t far_out[2] = {0, INT64_MIN};
    w->c.options.memories = memories(w, far_out, POSENC_I64, 2);
}
static void scores_on_memories(world *w) {
    w->c.options.memories = memories(w, w->in[XL_SCORES]->data, POSENC_I32, 2);
    memset(w->in[XL_SCORES]->data, 0, 8);
    memcpy(w->before, w->memory, sizeof w->before);
}
static void dq_on_memories(world *w) {
    w->c.options.memories = memories(w, w->out[XL_Q]->data, POSENC_I32, 2);
    memset(w->out[XL_Q]->data, 0, 8);
    memcpy(w->before, w->memory, sizeof w->before);
}
static void clamp(world *w) { w->c.options.clamp_len = -1; }
static void size(world *w) { w->c.options.size = 4; }
static void q_null(world *w) { w->in[XL_Q] = NULL; }
static void k_width(world *w) { w->in[XL_K]->shape[3] = 3; }
static void u_heads(world *w) { w->in[XL_U]->shape[0] = 1; }
static void v_dtype(world *w) { w->in[XL_V]->dtype = (DLDataType){kDLFloat, 64, 1}; }
static void w_rows(world *w) { w->in[XL_W]->shape[0] = 7; }
static void w_empty(world *w) { w->in[XL_W]->shape[1] = 0; }
static void scores_keys(world *w) { w->in[XL_SCORES]->shape[3] = 4; }
static void scores_on_k(world *w) { w->in[XL_SCORES]->data = w->memory + 210; }
static void scores_fold(world *w) {
    memcpy(w->views[XL_SCORES].strides, (int64_t[]){30, 15, 5, 0}, 4 * sizeof(int64_t));
    w->in[XL_SCORES]->strides = w->views[XL_SCORES].strides;
}
static void dq_shape(world *w) { w->out[XL_Q]->shape[2] = 2; }
static void dk_dtype(world *w) { w->out[XL_K]->dtype = (DLDataType){kDLFloat, 16, 1}; }
static void dw_on_w(world *w) { w->out[XL_W]->data = w->in[XL_W]->data; }
static void du_on_dv(world *w) { w->out[XL_U]->data = w->out[XL_V]->data; }
static void dw_shape(world *w) { w->out[XL_W]->shape[1] = 5; }

static const refusal refusals[] = {
    {"scale infinite", "scale", NULL, POSENC_ERROR_ARGUMENT, 3, scale},
    {"memory far behind", "memory", NULL, POSENC_ERROR_ARGUMENT, 3, memory},
    {"memory far out", "memory", NULL, POSENC_ERROR_ARGUMENT, 3, far},
    {"memories f32", "memories", NULL, POSENC_ERROR_DTYPE, 3, memories_dtype},
    {"memories of another batch", "memories", NULL, POSENC_ERROR_SHAPE, 3, memories_shape},
    {"memories far out", "memories", NULL, POSENC_ERROR_POSITION, 3, memories_far},
    {"scores on the memories", "scores", NULL, POSENC_ERROR_OVERLAP, 1, scores_on_memories},
    {"dq on the memories", NULL, "dq", POSENC_ERROR_OVERLAP, 2, dq_on_memories},
    {"clamp_len below 0", "clamp_len", NULL, POSENC_ERROR_ARGUMENT, 3, clamp},
    {"size too small", "options.size", NULL, POSENC_ERROR_ARGUMENT, 3, size},
    {"q NULL", "q", NULL, POSENC_ERROR_ARGUMENT, 3, q_null},
    {"k of another width", "k", NULL, POSENC_ERROR_SHAPE, 3, k_width},
    {"u of other heads", "u", NULL, POSENC_ERROR_SHAPE, 3, u_heads},
    {"v f64", "v", NULL, POSENC_ERROR_DTYPE, 3, v_dtype},
    {"w of wrong rows", "w", NULL, POSENC_ERROR_SHAPE, 3, w_rows},
    {"w without columns", "w", NULL, POSENC_ERROR_SHAPE, 3, w_empty},
    {"scores of other keys", "scores", "dscores", POSENC_ERROR_SHAPE, 3, scores_keys},
    {"scores on k", "scores", NULL, POSENC_ERROR_OVERLAP, 1, scores_on_k},
    {"folded scores", "scores", NULL, POSENC_ERROR_OVERLAP, 1, scores_fold},
    {"dq of another shape", NULL, "dq", POSENC_ERROR_SHAPE, 2, dq_shape},
    {"dk f16", NULL, "dk", POSENC_ERROR_DTYPE, 2, dk_dtype},
    {"dw on w", NULL, "dw", POSENC_ERROR_OVERLAP, 2, dw_on_w},
    {"du on dv", NULL, "du", POSENC_ERROR_OVERLAP, 2, du_on_dv},
    {"dw of another shape", NULL, "dw", POSENC_ERROR_SHAPE, 2, dw_shape},
};

static posenc_status call(world *w, int which, posenc_error *error) {
    return which ? xl_backward(NULL, &w->c, w->in, w->out, error) : xl_forward(NULL, &w->c, w->in, error);
}

static void test_refusals(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++)
        for (int which = 0; which < 2; which++) {
            if (!(refusals[r].calls >> which & 1)) continue;
            world w;
            open_world(&w);
            refusals[r].make(&w);
            posenc_error error = error_blank();
            const char *argument = which && refusals[r].argument_2 ? refusals[r].argument_2 : refusals[r].argument;
            must_refuse(refusals[r].what, call(&w, which, &error), refusals[r].status, &error, argument);
            check(memcmp(w.memory, w.before, sizeof w.memory) == 0, "%s: an output was written", refusals[r].what);
        }
}

static void test_gradients(void **state) {
    (void)state;
    world w;
    open_world(&w);
    posenc_error error = error_blank();
    must_refuse(
        "gradients NULL",
        posenc_xl_scores_backward(NULL, NULL, w.in[0], w.in[1], w.in[2], w.in[3], w.in[4], w.in[5], NULL, &error),
        POSENC_ERROR_ARGUMENT, &error, "gradients");
    assert_int_equal(call(&w, 0, NULL), POSENC_OK);
    assert_int_equal(call(&w, 1, NULL), POSENC_OK);
}

/* One DLTensor as input and output, or as two outputs. */
static void test_one_tensor_twice(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        world w;
        open_world(&w);
        w.c = xl_sized(POSENC_F32, 1, 1, 4, 4, 4, 4); /* all of q, k, scores (1, 1, 4, 4), w (4, 4) */
        for (int t = 0; t < XL_TENSORS; t++) w.in[t] = xl_view(&w.c, t, &w.views[t], w.memory + 200 * t);
        for (int t = 0; t < XL_INPUTS; t++) w.out[t] = xl_view(&w.c, t, &w.out_views[t], w.memory + 2000 + 200 * t);
        if (which == 0) w.in[XL_SCORES] = w.in[XL_K];
        if (which == 1) w.out[XL_K] = w.in[XL_K];
        if (which == 2) w.out[XL_K] = w.out[XL_Q];
        if (which == 3) w.out[XL_V] = w.out[XL_U];
        posenc_error error = error_blank();
        must_refuse("one tensor twice", call(&w, which > 0, &error), POSENC_ERROR_OVERLAP, &error, NULL);
        check(memcmp(w.memory, w.before, sizeof w.memory) == 0, "case %d: an output was written", which);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals), cmocka_unit_test(test_one_tensor_twice),
                                       cmocka_unit_test(test_gradients)};
    return TEST_RUN(tests);
}

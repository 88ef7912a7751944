/* A small training loop around an encoder. Words stand at random places in short texts; a readout learns to say from
 * one token whether it stands in the first half of its text. Word vectors alone cannot know: the encoder adds what is
 * needed. Forward with dropout, backward to the word vectors, then the state saved, loaded and compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { WORDS = 10, BATCH = 8, TOKENS = 16, DIM = 32, STEPS = 400, PLACES = BATCH * TOKENS };

typedef struct model {
    posenc_encoder *encoder;
    float words[WORDS][DIM]; /* trained */
    float readout[DIM];      /* trained */
} model;

/* A small generator: the numbers are the same everywhere. */
static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static posenc_status make(model *m, posenc_error *error) {
    const posenc_parameter parameters[] = {{"dim", "32"}, {"max-len", "16"}};
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dropout = 0.1;
    unsigned state = 1;
    for (int i = 0; i < WORDS * DIM; i++) m->words[i / DIM][i % DIM] = (float)next_random(&state) / 65536.0f - 0.5f;
    memset(m->readout, 0, sizeof m->readout);
    return posenc_encoder_create(NULL, "sinusoidal", parameters, 2, &options, &m->encoder, error);
}

/* y[PLACES][DIM] = dropout(words + positions). step NULL: evaluation. */
static posenc_status forward(const model *m, const posenc_encoder *encoder, const int *text, const posenc_step *step,
                             float *y) {
    posenc_view view;
    for (int i = 0; i < PLACES; i++) memcpy(y + i * DIM, m->words[text[i]], sizeof m->words[0]);
    DLTensor *tensor = posenc_view_make(&view, y, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
    return posenc_encoder_forward(encoder, NULL, step, tensor, tensor, NULL); /* in place */
}

/* The probability of "first half" of one token. */
static float guess(const model *m, const float *row) {
    float sum = 0;
    for (int k = 0; k < DIM; k++) sum += m->readout[k] * row[k];
    return 1 / (1 + expf(-sum));
}

static int is_first_half(int place) { return place % TOKENS < TOKENS / 2; }

/* One step of gradient descent on the cross entropy. */
static posenc_status train(model *m, unsigned *random, uint64_t number) {
    static float y[PLACES * DIM], d[PLACES * DIM];
    int text[PLACES];
    const float rate = 0.05f;
    for (int i = 0; i < PLACES; i++) text[i] = (int)(next_random(random) % WORDS);
    posenc_step step;
    posenc_step_default(&step, sizeof step);
    step.training = 1;
    step.seed = 2017;
    step.stream = number; /* another mask in each step */
    posenc_status status = forward(m, m->encoder, text, &step, y);
    if (status != POSENC_OK) return status;

    float gradient[DIM] = {0};
    for (int i = 0; i < PLACES; i++) {
        const float error = guess(m, y + i * DIM) - (float)is_first_half(i);
        for (int k = 0; k < DIM; k++) {
            d[i * DIM + k] = error * m->readout[k];
            gradient[k] += error * y[i * DIM + k];
        }
    }
    posenc_view view;
    DLTensor *tensor = posenc_view_make(&view, d, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
    status = posenc_encoder_backward(m->encoder, &step, tensor, tensor, NULL); /* the same step: the same mask */
    if (status != POSENC_OK) return status;

    for (int k = 0; k < DIM; k++) m->readout[k] -= rate * gradient[k];
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < DIM; k++) m->words[text[i]][k] -= rate * d[i * DIM + k];
    return POSENC_OK;
}

/* Tokens of a new text that are put in the right half; -1 on failure. */
static int count_right(const model *m) {
    static float y[PLACES * DIM];
    int text[PLACES], right = 0;
    unsigned random = 99;
    for (int i = 0; i < PLACES; i++) text[i] = (int)(next_random(&random) % WORDS);
    if (forward(m, m->encoder, text, NULL, y) != POSENC_OK) return -1;
    for (int i = 0; i < PLACES; i++) right += (guess(m, y + i * DIM) > 0.5f) == is_first_half(i);
    return right;
}

/* Saves the encoder, loads it, and compares what both make of one text. */
static int loads_to_the_same_bits(const model *m, const char *path, posenc_error *error) {
    static float y[PLACES * DIM], z[PLACES * DIM];
    const int text[PLACES] = {0};
    posenc_encoder *loaded = NULL;
    if (posenc_encoder_save(m->encoder, path, error) || posenc_encoder_load(NULL, path, &loaded, error)) return 0;
    const int same = forward(m, m->encoder, text, NULL, y) == POSENC_OK &&
                     forward(m, loaded, text, NULL, z) == POSENC_OK && memcmp(y, z, sizeof y) == 0;
    posenc_encoder_destroy(loaded);
    return same;
}

int main(int argc, char **argv) {
    static model m;
    posenc_error error = {.message = "a result is wrong"};
    const char *path = argc > 1 ? argv[1] : "encoder.safetensors";
    unsigned random = 7;
    if (make(&m, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    const int before = count_right(&m);
    posenc_status status = POSENC_OK;
    for (uint64_t i = 0; i < STEPS && status == POSENC_OK; i++) status = train(&m, &random, i);
    const int after = count_right(&m), same = loads_to_the_same_bits(&m, path, &error);
    remove(path);
    posenc_encoder_destroy(m.encoder);
    printf("in the right half: %d of %d tokens before training, %d after\n", before, PLACES, after);
    printf("saved and loaded: %s\n", same ? "the same bits" : error.message);
    return status == POSENC_OK && after > PLACES * 9 / 10 && same ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Makes one healthy table and the classic faulty ones, each as the code that usually makes it, in a folder:
 *
 *     example_faulty_tables docs/looking
 *
 * docs/looking.md shows how they look and what posenc check says of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { ROWS = 128, LONG = 320, SHORT = 32, DIM = 64, BATCH = 4, TRAINED = 96 };

static const char *folder;

static int save(const char *name, const float *data, int rank, const int64_t *shape) {
    char path[4096], header[256];
    size_t header_bytes, count = 1;
    posenc_output *output = NULL;
    posenc_error error;
    for (int i = 0; i < rank; i++) count *= (size_t)shape[i];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (posenc_npy_header(POSENC_F32, rank, shape, header, &header_bytes, &error) ||
        posenc_output_open(NULL, path, &output, &error) || posenc_output_write(output, header, header_bytes, &error) ||
        posenc_output_write(output, data, count * sizeof *data, &error)) {
        posenc_output_discard(output);
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    if (posenc_output_commit(output, &error) == POSENC_OK) return 1;
    fprintf(stderr, "%s\n", error.message);
    return 0;
}

static int save_rows(const char *name, const float *data, int64_t rows) {
    return save(name, data, 2, (int64_t[]){rows, DIM});
}

/* The paper's formula: channel 2i is sin(p / 10000^(2i / dim)), channel 2i + 1 its cosine. */
static void write_formula(float *out, double position) {
    for (int i = 0; 2 * i < DIM; i++) {
        double angle = position / pow(10000, 2.0 * i / DIM);
        out[2 * i] = (float)sin(angle);
        out[2 * i + 1] = (float)cos(angle);
    }
}

static int save_healthy(void) {
    static float table[ROWS][DIM];
    for (int p = 0; p < ROWS; p++) write_formula(table[p], p);
    return save_rows("healthy.npy", table[0], ROWS);
}

/* Steps i by two and still writes 2i: every exponent is doubled. */
static int save_doubled_exponent(void) {
    static float table[ROWS][DIM];
    for (int p = 0; p < ROWS; p++)
        for (int i = 0; i < DIM; i += 2) {
            table[p][i] = (float)sin(p / pow(10000, 2.0 * i / DIM));
            table[p][i + 1] = (float)cos(p / pow(10000, 2.0 * i / DIM));
        }
    return save_rows("doubled_exponent.npy", table[0], ROWS);
}

/* Positions in bfloat16, as a model cast to it as a whole has them: 8 bits count to 256 and then by twos. */
static int save_bf16_positions(void) {
    static float table[LONG][DIM];
    for (int p = 0; p < LONG; p++) {
        double unit = p < 256 ? 1 : 2;
        write_formula(table[p], unit * nearbyint(p / unit));
    }
    return save_rows("bf16_positions.npy", table[0], LONG);
}

/* An index that wraps: positions past 63 begin again. */
static int save_repeated_rows(void) {
    static float table[ROWS][DIM];
    for (int p = 0; p < ROWS; p++) write_formula(table[p], p % 64);
    return save_rows("repeated_rows.npy", table[0], ROWS);
}

/* What was added to x of (batch, tokens, dim) by a table laid out for (tokens, batch, dim): the encoding follows the
 * batch, and all tokens of a sequence share one. */
static int save_swapped_axes(void) {
    static float table[BATCH][SHORT][DIM];
    for (int b = 0; b < BATCH; b++)
        for (int p = 0; p < SHORT; p++) write_formula(table[b][p], b);
    return save("swapped_axes.npy", table[0][0], 3, (int64_t[]){BATCH, SHORT, DIM});
}

/* A small generator that gives the same numbers everywhere, and from it something like a normal distribution. */
static double drawn(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 40) * 0x1p-24;
    }
    return sum - 6;
}

/* A learned table that has only seen texts of up to 96 tokens: its trained rows follow slow waves, the rest is as it
 * was drawn. */
static int save_untrained_rows(void) {
    static float table[ROWS][DIM];
    static double rate[DIM], phase[DIM];
    uint64_t state = 1;
    for (int c = 0; c < DIM; c++) {
        rate[c] = 0.15 * fabs(drawn(&state));
        phase[c] = drawn(&state);
    }
    for (int p = 0; p < ROWS; p++)
        for (int c = 0; c < DIM; c++) {
            double noise = 0.02 * drawn(&state);
            table[p][c] = (float)(p < TRAINED ? 0.1 * cos(rate[c] * p + phase[c]) + 0.3 * noise : noise);
        }
    return save_rows("untrained_rows.npy", table[0], ROWS);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    int fine = save_healthy() && save_doubled_exponent() && save_bf16_positions() && save_repeated_rows() &&
               save_swapped_axes() && save_untrained_rows();
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

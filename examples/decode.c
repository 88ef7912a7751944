/* Token by token, as a language model decodes: a cursor remembers what the next position shares with the last one.
 * Its rows have the bits of a whole table, so a prompt written at once and tokens decoded one by one fit together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { DIM = 256, PROMPT = 1000, STEPS = 50 };

/* Decodes STEPS tokens after the prompt and compares each row with the table's. Returns the number of rows that differ.
 */
static int decode(posenc_cursor *cursor, const float *table) {
    int different = 0;
    for (int64_t position = PROMPT; position < PROMPT + STEPS; position++) {
        float row[DIM];
        if (posenc_cursor_write_f32(cursor, position, row)) return STEPS;
        different += memcmp(row, table + (position - PROMPT) * DIM, sizeof row) != 0;
    }
    return different;
}

int main(void) {
    static float table[STEPS * DIM];
    posenc_plan *plan = NULL;
    posenc_cursor *cursor = NULL;
    int different = STEPS;

    if (posenc_sinusoidal_create(NULL, DIM, &plan, NULL) == POSENC_OK &&
        posenc_plan_write_f32(plan, PROMPT, STEPS, table) == POSENC_OK &&
        posenc_cursor_create(plan, &cursor, NULL) == POSENC_OK) {
        different = decode(cursor, table);
    }
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
    printf("%d of %d decoded rows differ from the table\n", different, STEPS);
    return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

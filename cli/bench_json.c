/* The bench as one JSON document. */
#include "bench_report.h"
#include "cli.h"
#include "clock.h"
#include "json.h"
#include "machine.h"

static json_t *spread_object(posenc_bench_spread spread) {
    return json_pack("{s:o, s:o, s:o, s:i}", "median", posenc_cli_json_real(spread.median), "min",
                     posenc_cli_json_real(spread.minimum), "max", posenc_cli_json_real(spread.maximum), "runs",
                     spread.runs);
}

static const char *goal_text(posenc_bench_kind kind) {
    return kind == POSENC_BENCH_RATIO ? "ratio" : kind == POSENC_BENCH_FASTER ? "times-faster" : "share-of-speed-up";
}

/* "goal": {"of": "ratio", "value": 1.07, "goal": 1.2, "met": true}, or null. */
static json_t *goal_object(const posenc_bench_result *result) {
    if (result->goal <= 0) return json_null();
    return json_pack("{s:s, s:f, s:f, s:b}", "of", goal_text(result->kind), "value", result->value, "goal",
                     result->goal, "met", result->goal_met);
}

static void add_measurements(json_t *object, const posenc_bench_result *result) {
    json_object_set_new(object, "seconds", spread_object(result->seconds));
    json_object_set_new(object, "floor",
                        json_pack("{s:s, s:f}", "name", result->floor, "seconds", result->floor_seconds.median));
    json_object_set_new(object, "ratio", posenc_cli_json_real(result->ratio.median));
    json_object_set_new(object, "ratio_spread", spread_object(result->ratio));
    json_object_set_new(object, "max_error",
                        result->max_error < 0 ? json_null() : posenc_cli_json_real(result->max_error));
    json_object_set_new(object, "goal", goal_object(result));
    if (result->beside)
        json_object_set_new(object, "beside",
                            json_pack("{s:s, s:f}", "name", result->beside, "ratio", result->beside_ratio));
    if (result->note[0]) json_object_set_new(object, "note", json_string(result->note));
}

static void append_result(void *results, const posenc_bench_result *result) {
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, s:I}", "work", result->work, "scheme", result->scheme,
                  "shape", result->shape, "dtype", result->dtype, "isa", result->isa, "threads", result->threads,
                  "state", result->state, "baseline", result->baseline, "every_nth_row", (json_int_t)result->every);
    if (result->skipped[0])
        json_object_set_new(object, "skipped", json_string(result->skipped));
    else
        add_measurements(object, result);
    json_array_append_new(results, object);
}

/* Members are put in last: jansson releases what it cannot add, and the results are still being added to before. */
int posenc_cli_bench_json(const posenc_bench_options *options) {
    char machine[256];
    posenc_bench_claims claims;
    posenc_error error;
    int n_done = 0;
    posenc_bench_watch watch = posenc_bench_watch_start();
    json_t *document = posenc_cli_json_document(), *results = json_array(), *sentences = json_array();
    if (posenc_bench_run(options, append_result, results, &n_done, &claims, &error) != POSENC_OK) {
        json_decref(sentences);
        json_decref(results);
        json_decref(document);
        return posenc_cli_refuse(&error);
    }
    for (int i = 0; i < claims.n; i++) json_array_append_new(sentences, json_string(claims.sentence[i]));
    posenc_bench_machine(machine, sizeof machine);
    json_object_set_new(document, "machine", json_string(machine));
    json_object_set_new(document, "compiler", json_string(posenc_bench_compiler()));
    json_object_set_new(document, "processor_share", posenc_cli_json_real(posenc_bench_watch_share(&watch)));
    json_object_set_new(document, "results", results);
    json_object_set_new(document, "claims", sentences);
    return posenc_cli_json_print(document);
}

/* The statistics of all pairs of positions, for people and as JSON. Means by distance are told at powers of two. */
#include <inttypes.h>
#include <math.h>

#include "similarity.h"
#include "table_head.h"

/* "mean        0.523414"; what there is none of is NaN. */
static void print_value(const char *name, double value) {
    printf("%-12s", name);
    if (isnan(value))
        fputs("     none", stdout);
    else
        printf("%9.6f", value);
}

static void print_extreme(const char *name, double value, const int64_t at[2]) {
    print_value(name, value);
    if (at[0] >= 0) printf("  positions %" PRId64 " and %" PRId64, at[0], at[1]);
    putchar('\n');
}

int posenc_cli_similarity_text(const posenc_cli_similarity_result *s) {
    const posenc_similarity_report *r = &s->report;
    posenc_cli_table_head(&s->table);
    putchar('\n');
    if (r->without_direction > 0)
        printf("%" PRId64 " %s no direction, being zero or not finite, and %s left out\n", r->without_direction,
               r->without_direction == 1 ? "row has" : "rows have", r->without_direction == 1 ? "is" : "are");
    puts("\nCosine similarity of all pairs of positions");
    print_value("mean", r->mean);
    putchar('\n');
    print_extreme("minimum", r->minimum, r->minimum_at);
    print_extreme("maximum", r->maximum, r->maximum_at);
    print_value("neighbours", r->neighbours);
    puts("\n\nMean by distance");
    for (int64_t k = 1; k < r->length; k *= 2) {
        char distance[24];
        snprintf(distance, sizeof distance, "%" PRId64, k);
        print_value(distance, s->by_distance[k]);
        putchar('\n');
    }
    if (r->length < 2) puts("none");
    return POSENC_CLI_FINE;
}

/* Positions that there are none of are null. */
static json_t *json_extreme(double value, const int64_t at[2]) {
    json_t *positions = at[0] < 0 ? json_null() : json_pack("[I, I]", (json_int_t)at[0], (json_int_t)at[1]);
    return json_pack("{s:o, s:o}", "value", posenc_cli_json_real(value), "positions", positions);
}

static json_t *json_means(const posenc_cli_similarity_result *s) {
    json_t *list = json_array();
    for (int64_t k = 1; k < s->report.length; k *= 2)
        json_array_append_new(
            list, json_pack("{s:I, s:o}", "distance", (json_int_t)k, "mean", posenc_cli_json_real(s->by_distance[k])));
    return list;
}

int posenc_cli_similarity_json(const posenc_cli_similarity_result *s) {
    const posenc_similarity_report *r = &s->report;
    json_t *document = posenc_cli_json_table(&s->table);
    json_object_set_new(document, "mean", posenc_cli_json_real(r->mean));
    json_object_set_new(document, "minimum", json_extreme(r->minimum, r->minimum_at));
    json_object_set_new(document, "maximum", json_extreme(r->maximum, r->maximum_at));
    json_object_set_new(document, "neighbours", posenc_cli_json_real(r->neighbours));
    json_object_set_new(document, "without_direction", json_integer((json_int_t)r->without_direction));
    json_object_set_new(document, "by_distance", json_means(s));
    return posenc_cli_json_print(document);
}

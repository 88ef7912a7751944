#include "grid.h"

#include "arguments.h"
#include "options.h"

bool posenc_cli_has_grid(const posenc_cli_arguments *arguments) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(arguments);
    return scheme && posenc_cli_parameter_find(scheme, "grid");
}

int64_t posenc_cli_grid_axes(const posenc_plan *plan) {
    char grid[POSENC_MOST_AXES * 24] = "";
    if (posenc_plan_parameter(plan, "grid", grid, sizeof grid) != POSENC_OK) return 0;
    int64_t axes = 1;
    for (const char *at = grid; *at; at++) axes += *at == 'x';
    return axes;
}

int posenc_cli_grid_length(const posenc_plan *plan, int64_t start, int64_t *length) {
    int64_t tokens = posenc_plan_tokens(plan);
    if (start < 0 || start > tokens)
        return posenc_cli_fail("start: expected 0..%lld, the tokens of the grid, got %lld", (long long)tokens,
                               (long long)start);
    *length = tokens - start;
    return POSENC_CLI_FINE;
}

int posenc_cli_check_grid(const posenc_cli_arguments *arguments, const posenc_plan *plan, const char *name,
                          int64_t tokens) {
    int64_t expected = plan ? posenc_plan_tokens(plan) : 0;
    if (expected == 0 || expected == tokens) return POSENC_CLI_FINE;
    if (posenc_cli_given(arguments, "offset") || posenc_cli_given(arguments, "positions")) return POSENC_CLI_FINE;
    char grid[64] = "", prefix[64] = "";
    posenc_plan_parameter(plan, "grid", grid, sizeof grid);
    posenc_plan_parameter(plan, "prefix", prefix, sizeof prefix);
    return posenc_cli_fail("grid: expected one whose tokens are the %lld of %s, got %s and a prefix of %s, %lld tokens",
                           (long long)tokens, name, grid, prefix, (long long)expected);
}

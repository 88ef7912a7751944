/* apply with dropout: what an encoder does. A formula's encoder is made from its plan, with a table of one row: past it
 * rows are made when they are asked for, and the bits are the same. Only a grid ends, and its table is whole. */
#include <string.h>

#include "apply.h"
#include "arguments.h"
#include "grid.h"

bool posenc_cli_apply_drops(const posenc_cli_apply_job *job) { return posenc_cli_real(job->arguments, "dropout") > 0; }

int posenc_cli_apply_check_dropout(const posenc_cli_apply_job *job) {
    static const char *const beside[] = {"seed", "stream"};
    double p = posenc_cli_real(job->arguments, "dropout");
    if (!(p >= 0 && p < 1)) return posenc_cli_fail("dropout: expected 0 <= dropout < 1, got %g", p);
    for (int i = 0; i < 2; i++)
        if (posenc_cli_given(job->arguments, beside[i]) && !posenc_cli_given(job->arguments, "dropout"))
            return posenc_cli_fail("%s: expected --dropout beside it, got none", beside[i]);
    return POSENC_CLI_FINE;
}

static posenc_status make_quiet(posenc_cli_apply_job *job, posenc_error *error) {
    posenc_context_options options;
    if (job->quiet) return POSENC_OK;
    posenc_context_default(&options, sizeof options);
    options.threads = (int)posenc_cli_integer(job->arguments, "threads");
    options.isa = posenc_cli_text(job->arguments, "isa");
    return posenc_context_create(&options, &job->quiet, error);
}

enum { MOST_TEXT = 64 };

int posenc_cli_apply_make_dropout(posenc_cli_apply_job *job) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(job->arguments);
    posenc_parameter parameters[POSENC_CLI_MOST_OPTIONS];
    char texts[POSENC_CLI_MOST_OPTIONS][MOST_TEXT];
    posenc_encoder_options options;
    posenc_error error;
    size_t n = 0;
    for (size_t i = 0; i < scheme->n_parameters && n < POSENC_CLI_MOST_OPTIONS; i++) {
        const char *name = scheme->parameters[i].name;
        bool length = strcmp(name, "max-len") == 0 && !posenc_cli_has_grid(job->arguments);
        if (posenc_plan_parameter(job->plan, name, texts[n], MOST_TEXT) != POSENC_OK) continue;
        parameters[n] = (posenc_parameter){name, length ? "1" : texts[n]};
        n++;
    }
    posenc_encoder_default(&options, sizeof options);
    options.scale = posenc_cli_real(job->arguments, "scale");
    options.dropout = posenc_cli_real(job->arguments, "dropout");
    options.dtype = job->encoder_dtype;
    posenc_encoder_destroy(job->encoder);
    job->encoder = NULL;
    posenc_status status = make_quiet(job, &error);
    if (status == POSENC_OK)
        status = posenc_encoder_create(job->quiet, scheme->name, parameters, n, &options, &job->encoder, &error);
    return status == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}

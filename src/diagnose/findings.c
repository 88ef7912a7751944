/* The list of findings, and the names of all that a report names. */
#include <stdarg.h>
#include <stdio.h>

#include "diagnose/look.h"

static const char *name_of(const char *const *names, size_t n, size_t index) {
    return index < n && names[index] ? names[index] : "unknown";
}

#define NAME_OF(names, index) name_of(names, sizeof(names) / sizeof *(names), (size_t)(index))

const char *posenc_finding_name(posenc_finding_kind kind) {
    static const char *const names[] = {
        [POSENC_FINDING_NAN] = "nan",
        [POSENC_FINDING_INFINITE] = "infinite",
        [POSENC_FINDING_OUT_OF_RANGE] = "out-of-range",
        [POSENC_FINDING_REPEATED_ROWS] = "repeated-rows",
        [POSENC_FINDING_CONSTANT_ROWS] = "constant-rows",
        [POSENC_FINDING_ZERO_ROWS] = "zero-rows",
        [POSENC_FINDING_DEAD_CHANNEL] = "dead-channel",
        [POSENC_FINDING_CONSTANT_CHANNEL] = "constant-channel",
        [POSENC_FINDING_NOT_UNIT_PAIRS] = "not-unit-pairs",
        [POSENC_FINDING_POSITION_AXIS] = "position-axis",
        [POSENC_FINDING_PRECISION] = "precision",
        [POSENC_FINDING_UNTRAINED_ROWS] = "untrained-rows",
        [POSENC_FINDING_LOW_RANK] = "low-rank",
        [POSENC_FINDING_OTHER_SCHEME] = "other-scheme",
        [POSENC_FINDING_DOUBLED_EXPONENT] = "doubled-exponent",
    };
    return NAME_OF(names, kind);
}

const char *posenc_level_name(posenc_level level) {
    static const char *const names[] = {
        [POSENC_LEVEL_NOTE] = "note", [POSENC_LEVEL_WARNING] = "warning", [POSENC_LEVEL_ERROR] = "error"};
    return NAME_OF(names, level);
}

const char *posenc_look_name(posenc_look look) {
    static const char *const names[] = {
        [POSENC_LOOK_VALUES] = "values",     [POSENC_LOOK_ROWS] = "rows",
        [POSENC_LOOK_CHANNELS] = "channels", [POSENC_LOOK_NEIGHBOURS] = "neighbours",
        [POSENC_LOOK_RANK] = "rank",         [POSENC_LOOK_FORMULA] = "formula",
        [POSENC_LOOK_PAIRS] = "pairs",       [POSENC_LOOK_PRECISION] = "precision",
        [POSENC_LOOK_TRAINING] = "training", [POSENC_LOOK_EXTENSION] = "extension",
    };
    return NAME_OF(names, look);
}

/* At most one of a kind, so there is always room. */
posenc_finding *posenc_found(posenc_checkup *c, posenc_finding_kind kind, posenc_level level, posenc_place at,
                             double amount, const char *format, ...) {
    posenc_finding *f = &c->report.findings[c->report.n_findings++];
    va_list list;
    *f = (posenc_finding){.kind = kind, .level = level, .position = at.row, .channel = at.column, .amount = amount};
    f->twin = f->period = -1;
    va_start(list, format);
    vsnprintf(f->why, sizeof f->why, format, list);
    va_end(list);
    return f;
}

static bool worse(const posenc_finding *a, const posenc_finding *b) {
    return a->level != b->level ? a->level > b->level : a->kind < b->kind;
}

void posenc_findings_sort(posenc_check_report *report) {
    for (size_t i = 1; i < report->n_findings; i++) {
        posenc_finding moved = report->findings[i];
        size_t at = i;
        for (; at > 0 && worse(&moved, &report->findings[at - 1]); at--)
            report->findings[at] = report->findings[at - 1];
        report->findings[at] = moved;
    }
}

const char *posenc_plural(int64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

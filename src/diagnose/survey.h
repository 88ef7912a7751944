/* The first pass over a table: what is not finite, the extremes of all values and of each channel. */
#ifndef POSENC_DIAGNOSE_SURVEY_H
#define POSENC_DIAGNOSE_SURVEY_H

#include "diagnose/look.h"

/* Fills in a survey of a table with elements; posenc_survey_end gives its memory back. */
posenc_status posenc_survey_take(const posenc_context *context, const posenc_table *table, posenc_survey *survey,
                                 posenc_error *error);
void posenc_survey_end(const posenc_context *context, posenc_survey *survey);

#endif

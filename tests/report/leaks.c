/* What libraries behind pictures keep to the end, for tests that draw. */
#include <posenc/status.h>

#include "support/test.h"

#if TEST_UNDER_ASAN
/* Fontconfig, behind cairo, keeps its configuration. Exported: the sanitizer is a library that looks for it. */
POSENC_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }
#endif

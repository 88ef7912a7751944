/* src/base/cpu.c on a machine whose every feature test says yes: the translated kernels run anywhere. */
#define __builtin_cpu_supports(feature) 1
#include "base/cpu.c"

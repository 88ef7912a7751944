/* memset, memcpy and a streaming copy, each split over threads that are started for the call, as posenc starts its own.
 */
#include "floors.h"

#include <stdint.h>
#include <string.h>

#include "parallel.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* The part of the bytes that one of the threads works on: whole lines, the last part takes the rest. */
static posenc_bench_bytes part_of(const posenc_bench_bytes *all, int index) {
    size_t share = all->bytes / (size_t)all->threads / 64 * 64, begin = share * (size_t)index;
    size_t end = index == all->threads - 1 ? all->bytes : begin + share;
    const char *from = all->from;
    return (posenc_bench_bytes){(char *)all->to + begin, from ? from + begin : NULL, end - begin, 1};
}

static void set_part(void *all, int index) {
    posenc_bench_bytes part = part_of(all, index);
    memset(part.to, 0x55, part.bytes);
}

static void copy_part(void *all, int index) {
    posenc_bench_bytes part = part_of(all, index);
    memcpy(part.to, part.from, part.bytes);
}

#if defined(__x86_64__)

static void stream_line(char *to, const char *from) {
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
    __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
    _mm_stream_si128((__m128i *)(void *)to, a);
    _mm_stream_si128((__m128i *)(void *)(to + 16), b);
    _mm_stream_si128((__m128i *)(void *)(to + 32), c);
    _mm_stream_si128((__m128i *)(void *)(to + 48), d);
}

static void stream_part(void *all, int index) {
    posenc_bench_bytes part = part_of(all, index);
    for (size_t i = 0; i + 64 <= part.bytes; i += 64) {
        _mm_prefetch((const char *)part.from + i + 1024, _MM_HINT_NTA);
        stream_line((char *)part.to + i, (const char *)part.from + i);
    }
    _mm_sfence();
}

bool posenc_bench_streams(void) { return true; }

#else

static void stream_part(void *all, int index) { copy_part(all, index); }

bool posenc_bench_streams(void) { return false; }

#endif

void posenc_bench_memset(void *bytes) {
    posenc_bench_parallel(((posenc_bench_bytes *)bytes)->threads, set_part, bytes);
}

void posenc_bench_memcpy(void *bytes) {
    posenc_bench_parallel(((posenc_bench_bytes *)bytes)->threads, copy_part, bytes);
}

void posenc_bench_stream_copy(void *bytes) {
    posenc_bench_parallel(((posenc_bench_bytes *)bytes)->threads, stream_part, bytes);
}

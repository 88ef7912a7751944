/* OpenBLAS's sgemm, the serial one only: beside another, one thread of posenc would be compared with several. */
#include "product.h"

#include <stddef.h>
#include <string.h>

#ifdef POSENC_OPENBLAS
#include <dlfcn.h>

/* As cblas.h has it: order, transpositions, m, n, k, alpha, a, its stride, b, its stride, beta, c, its stride. */
typedef void sgemm_call(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                        int a_stride, const float *b, int b_stride, float beta, float *c, int c_stride);
typedef int get_parallel_call(void);

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };

const char *posenc_bench_product_load(posenc_bench_product *product) {
    get_parallel_call *get_parallel;
    product->library = dlopen(POSENC_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
    if (!product->library) return "its floor, a matrix product, needs " POSENC_OPENBLAS;
    product->sgemm = dlsym(product->library, "cblas_sgemm");
    void *symbol = dlsym(product->library, "openblas_get_parallel");
    memcpy(&get_parallel, &symbol, sizeof symbol); /* C has no cast from an object to a function; POSIX has this */
    if (product->sgemm && symbol && get_parallel() == 0) return NULL;
    posenc_bench_product_unload(product);
    return "its floor, a matrix product, needs OpenBLAS without threads of its own at " POSENC_OPENBLAS;
}

void posenc_bench_product_unload(posenc_bench_product *product) {
    if (product->library) dlclose(product->library);
    product->library = product->sgemm = NULL;
}

void posenc_bench_product_run(void *product) {
    posenc_bench_product *p = product;
    int length = (int)p->length, dim = (int)p->dim, columns = p->b ? (int)p->columns : length;
    sgemm_call *sgemm;
    memcpy(&sgemm, &p->sgemm, sizeof sgemm);
    sgemm(ROW_MAJOR, NOT_TRANSPOSED, TRANSPOSED, length, columns, dim, 1, p->a, dim, p->b ? p->b : p->a, dim, 0, p->c,
          columns);
}

#else

const char *posenc_bench_product_load(posenc_bench_product *product) {
    (void)product;
    return "its floor, a matrix product, needs a build that has found OpenBLAS (Debian: libopenblas-serial-dev)";
}

void posenc_bench_product_unload(posenc_bench_product *product) { (void)product; }

void posenc_bench_product_run(void *product) { (void)product; }

#endif

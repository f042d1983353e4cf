/* libmonograph_omp.so: what the private copy of libdnnl needs in libgomp's place (bench/onednn/OneDnn.cmake). The copy's six imports carry these
   names, so neither a libgomp in the process nor its users are touched, and nothing here can stand in for theirs. */
#include "onednn/omp_table.h"

#define EXPORT __attribute__((visibility("default")))

static struct monograph_omp_table table;

EXPORT void monograph_omp_set(const struct monograph_omp_table* functions) { table = *functions; }

EXPORT void monograph_GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  table.parallel(function, data, threads, flags);
}
EXPORT void monograph_GOMP_barrier(void) { table.barrier(); }
EXPORT int monograph_omp_get_max_threads(void) { return table.max_threads(); }
EXPORT int monograph_omp_get_num_threads(void) { return table.num_threads(); }
EXPORT int monograph_omp_get_thread_num(void) { return table.thread_num(); }
EXPORT int monograph_omp_in_parallel(void) { return table.in_parallel(); }

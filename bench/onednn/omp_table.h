/* The six OpenMP functions that oneDNN calls, as a table: libmonograph_omp.so exports them to the private copy of libdnnl under names of their
   own and forwards them to whoever set the table, which is the thread pool (onednn.cpp). In C, for the library is loaded, never linked. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct monograph_omp_table {
  void (*parallel)(void (*function)(void*), void* data, unsigned threads, unsigned flags);
  void (*barrier)(void);
  int (*max_threads)(void);
  int (*num_threads)(void);
  int (*thread_num)(void);
  int (*in_parallel)(void);
};

/* To be called once, before libdnnl's copy is loaded. */
typedef void (*monograph_omp_set_function)(const struct monograph_omp_table* table);

#ifdef __cplusplus
}
#endif

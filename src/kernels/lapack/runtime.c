/* What the library's routines want of Fortran's run-time library. They call it in messages, and to join two letters of options. Without it Monograph needs libc
   and libm only. cmake/Lapack.cmake joins this file and the routines to one object, outside of which these names do not exist. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A routine was called with an argument that cannot be: a bug of ours, since rules check arguments. */
void xerbla_(const char* name, const int* argument, size_t length);
void xerbla_(const char* name, const int* argument, size_t length) { abort(); }

/* destination = a // b, cut off or filled with blanks. */
void _gfortran_concat_string(size_t size, char* destination, size_t a_size, const char* a, size_t b_size, const char* b);
void _gfortran_concat_string(size_t size, char* destination, size_t a_size, const char* a, size_t b_size, const char* b) {
  const size_t first = a_size < size ? a_size : size, second = b_size < size - first ? b_size : size - first;
  memcpy(destination, a, first);
  memcpy(destination + first, b, second);
  memset(destination + first + second, ' ', size - first - second);
}

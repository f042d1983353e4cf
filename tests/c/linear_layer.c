/* A linear layer and what pointwise follows it, as the C library and one generated kernel make it: y = epilogue(x @ weight.T, bias). aot_test compiles this
   with -D for TYPE, DTYPE, ISA, IN, OUT and EPILOGUE; the layer's packed weight and its bias lie in files that WEIGHT and BIAS name. */
#include <monograph/kernels.h>
#include <stddef.h>

__asm__(
    ".section .rodata\n"
    ".balign 64\n"
    "layer_weight: .incbin \"" WEIGHT
    "\"\n"
    ".balign 64\n"
    "layer_bias: .incbin \"" BIAS
    "\"\n"
    ".previous\n");
extern const char layer_weight[] __attribute__((visibility("hidden")));
extern const char layer_bias[] __attribute__((visibility("hidden")));

/* The interface of a generated kernel: addresses, strides in bytes along a row and from row to row; other than 0 if an element raises. */
int32_t EPILOGUE(char* const* operands, const int64_t* inner, int64_t columns, const int64_t* outer, int64_t rows)
    __attribute__((visibility("hidden")));

struct finishing {
  TYPE* y;
  int32_t raised;
};

/* The epilogue over rows [begin, end). Its arguments are the products, which are the result's own elements, and the bias. */
static void finish(void* context, int64_t begin, int64_t end) {
  struct finishing* f = context;
  char* y = (char*)(f->y + begin * OUT);
  char* const operands[] = {y, y, (char*)layer_bias};
  const int64_t inner[] = {sizeof(TYPE), sizeof(TYPE), sizeof(TYPE)}, row = OUT * (int64_t)sizeof(TYPE), outer[] = {row, row, 0};
  const int32_t raised = EPILOGUE(operands, inner, OUT, outer, end - begin);
  __atomic_fetch_or(&f->raised, raised, __ATOMIC_RELAXED);
}

/* x: rows x IN, y: rows x OUT, both contiguous. 0; below 0 where the product fails, as on a machine without the instruction set; above 0 where the epilogue
   raises. */
__attribute__((visibility("default"))) int32_t silu_linear(const TYPE* x, TYPE* y, int64_t rows) {
  const monograph_product product = {.dtype = DTYPE,
                                     .isa = ISA,
                                     .m = rows,
                                     .n = OUT,
                                     .k = IN,
                                     .a = x,
                                     .a_row = IN,
                                     .a_col = 1,
                                     .packed = layer_weight,
                                     .c = y,
                                     .c_row = OUT,
                                     .c_col = 1};
  const int32_t status = monograph_matmul(&product);
  if (status) return status;
  struct finishing f = {y, 0};
  const int32_t failed = monograph_parallel_for(0, rows, 16384 / OUT + 1, finish, &f);
  return failed ? failed : f.raised;
}

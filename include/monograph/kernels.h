/* The kernels of Monograph for C: loops over memory, matrix products and the pool of threads, as a static library (libmonograph_kernels.a) that
   needs libc, libm and pthreads only:

     float a[6], b[6], c[4];
     monograph_product p = {.dtype = MONOGRAPH_FLOAT32, .m = 2, .n = 2, .k = 3, .a = a, .a_row = 3, .a_col = 1,
                            .b = b, .b_row = 2, .b_col = 1, .c = c, .c_row = 2, .c_col = 1};
     if (monograph_matmul(&p) != MONOGRAPH_OK) abort();

   cc main.c -lmonograph_kernels -lm -lpthread

   A shared object with the library in it may have started threads: link it with -Wl,-z,nodelete, so that dlclose leaves their code in place. */
#ifndef MONOGRAPH_KERNELS_H
#define MONOGRAPH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MONOGRAPH_UINT8,
  MONOGRAPH_INT8,
  MONOGRAPH_INT16,
  MONOGRAPH_INT32,
  MONOGRAPH_INT64,
  MONOGRAPH_FLOAT16,
  MONOGRAPH_FLOAT32,
  MONOGRAPH_FLOAT64,
  MONOGRAPH_COMPLEX64,
  MONOGRAPH_COMPLEX128,
  MONOGRAPH_BOOL,
  MONOGRAPH_BFLOAT16
};

/* Return codes. A positive code means that an element of an argument is wrong; the fields of monograph_call say which. */
enum {
  MONOGRAPH_OK = 0,
  MONOGRAPH_BAD_VALUE = 1,
  MONOGRAPH_BAD_SECOND = 2,
  MONOGRAPH_BAD_THIRD = 3,
  MONOGRAPH_INVALID = -1, /* wrong arguments */
  MONOGRAPH_NO_MEMORY = -2
};

/* ---- threads ---- */

/* The number of threads that a call may use: the environment variable MONOGRAPH_NUM_THREADS, else the number of CPUs that the process may use. 0 if the
   variable is not a number from 1 to 1024; calls then use one thread. */
int32_t monograph_num_threads(void);
/* MONOGRAPH_INVALID if the number is not from 1 to 1024. */
int32_t monograph_set_num_threads(int32_t threads);
/* Cuts [begin, end) at begin + k * grain, and calls f for each piece once, on the threads of the pool. */
int32_t monograph_parallel_for(int64_t begin, int64_t end, int64_t grain, void (*f)(void* context, int64_t begin, int64_t end),
                               void* context);

/* ---- matrix products ---- */

typedef struct monograph_product_batch {
  int64_t size;
  int64_t a, b, c; /* strides in elements; 0 is a broadcast */
} monograph_product_batch;

/* c[m, n] = a[m, k] @ b[k, n] + bias[n]. Strides are in elements; those of c reach no element twice. */
typedef struct monograph_product {
  uint8_t dtype;
  uint8_t isa; /* 0: the best instruction set of this machine. 2, 3: x86-64-v3, x86-64-v4 */
  int64_t m, n, k;
  const void* a;
  int64_t a_row, a_col;
  const void* b; /* or null, with `packed` */
  int64_t b_row, b_col;
  const void* packed; /* what monograph_pack wrote, for the same dtype, isa, k and n */
  void* c;
  int64_t c_row, c_col;
  const void* bias; /* or null; of float32 and float64 */
  const monograph_product_batch* batch; /* outermost first */
  size_t batch_count;
} monograph_product;

int32_t monograph_matmul(const monograph_product* product);

/* A matrix b in the order in which the product reads it, for a weight that is used often: of floating and complex dtypes. The memory is at an
   address divisible by 64; monograph_packed_bytes answers MONOGRAPH_INVALID where monograph_pack would. */
int64_t monograph_packed_bytes(uint8_t dtype, uint8_t isa, int64_t k, int64_t n);
int32_t monograph_pack(uint8_t dtype, uint8_t isa, int64_t k, int64_t n, const void* b, int64_t b_row, int64_t b_col, void* packed);

/* ---- operators ---- */

typedef struct monograph_tensor {
  void* data; /* the first element; not null, also where there is none */
  const int64_t* sizes;
  const int64_t* strides; /* in elements */
  int32_t dim;
  uint8_t dtype;
} monograph_tensor;

enum {
  MONOGRAPH_NONE,
  MONOGRAPH_A_BOOL,
  MONOGRAPH_AN_INT,
  MONOGRAPH_A_FLOAT,
  MONOGRAPH_A_COMPLEX,
  MONOGRAPH_INTS,
  MONOGRAPH_A_STRING,
  MONOGRAPH_A_TENSOR,
  MONOGRAPH_TENSORS
};
typedef struct monograph_argument {
  uint8_t kind;
  union {
    uint8_t boolean;
    int64_t integer;
    double number;
    double parts[2]; /* of a complex number */
    struct {
      const int64_t* values;
      size_t count;
    } ints;
    struct {
      const char* characters;
      size_t count;
    } text;
    monograph_tensor tensor;
    struct {
      const monograph_tensor* values; /* data is null where the list holds None */
      size_t count;
    } tensors;
  } value;
} monograph_argument;

/* A call of an operator's kernel: the arguments in the places of its schema, and results of the sizes and dtype that the operator gives. A kernel
   checks no shape. */
typedef struct monograph_call {
  const monograph_argument* args;
  const monograph_tensor* results;
  size_t arg_count, result_count;
  void* scratch; /* memory to work in, at an address divisible by 64, where a function below says how much */
  /* Of an answer above 0: the element, what it is measured by, and its place in row-major order or -1. */
  int64_t value, limit, place;
  int64_t scratch_bytes; /* as a note for who calls: no kernel reads it */
  int32_t threads; /* that the scratch memory is for; 0: those that there are now, a number that must not change in between */
  const void* prepared; /* null */
} monograph_call;

/* conv2d: input, weight, bias, stride, padding, dilation, groups */
int32_t monograph_convolution_kernel(monograph_call* call);
/* conv_transpose2d: input, weight, bias, stride, padding, output_padding, groups, dilation */
int32_t monograph_transposed_convolution_kernel(monograph_call* call);
/* conv2d_weight_backward: grad_output, input, kernel_size, stride, padding, dilation, groups */
int32_t monograph_weight_gradient_kernel(monograph_call* call);
/* The bytes of scratch of such a call, for its number of threads. */
int64_t monograph_convolution_scratch(const monograph_call* call);
int64_t monograph_transposed_convolution_scratch(const monograph_call* call);
int64_t monograph_weight_gradient_scratch(const monograph_call* call);

/* max_pool2d_with_indices: self, kernel_size, stride, padding, dilation; results values and indices, or values alone */
int32_t monograph_max_pool_kernel(monograph_call* call);
/* avg_pool2d: self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override */
int32_t monograph_avg_pool_kernel(monograph_call* call);
int32_t monograph_avg_pool_backward_kernel(monograph_call* call);
/* adaptive_avg_pool2d: self, output_size */
int32_t monograph_adaptive_pool_kernel(monograph_call* call);
int32_t monograph_adaptive_pool_backward_kernel(monograph_call* call);
/* adaptive_max_pool2d, adaptive_max_pool3d: self without gaps, output_size; results values and indices */
int32_t monograph_adaptive_max_pool_kernel(monograph_call* call);
/* (input - mean) * scale + shift, a channel: input, mean, scale, shift */
int32_t monograph_scale_and_shift_kernel(monograph_call* call);
/* im2col: self, kernel_size, dilation, padding, stride. col2im: self, output_size, then the same */
int32_t monograph_unfold_kernel(monograph_call* call);
int32_t monograph_fold_kernel(monograph_call* call);
/* unfold_backward: grad_in without gaps, input_sizes, dim, size, step */
int32_t monograph_unfold_backward_kernel(monograph_call* call);
/* fractional_max_pool2d and 3d: self, kernel_size, output_size, random_samples, without gaps; results values and places */
int32_t monograph_fractional_max_pool_kernel(monograph_call* call);
/* grid_sampler: input, grid, interpolation_mode, padding_mode, align_corners. Its gradients: grad_output, then the same, and which are wanted: 1 that
   of input, 2 that of grid. Without gaps. */
int32_t monograph_grid_sampler_kernel(monograph_call* call);
int32_t monograph_grid_sampler_backward_kernel(monograph_call* call);

/* constant_pad_nd: self, pad, value */
int32_t monograph_constant_pad_kernel(monograph_call* call);
/* reflection_pad1d and its like, replication_pad1d and its like, _pad_circular: self, padding */
int32_t monograph_reflection_pad_kernel(monograph_call* call);
int32_t monograph_replication_pad_kernel(monograph_call* call);
int32_t monograph_circular_pad_kernel(monograph_call* call);
/* nll_loss: self, target without gaps, weight, reduction, ignore_index. multi_margin_loss: self, target without gaps, p, margin, weight, reduction.
   multilabel_margin_loss: self, target without gaps, reduction. */
/* The bytes of scratch of each: rows are targets of nll_loss, whose classes count as 0. MONOGRAPH_INVALID where an argument is wrong. */
int64_t monograph_class_loss_scratch(uint8_t dtype, int64_t rows, int64_t classes);
int32_t monograph_nll_loss_kernel(monograph_call* call);
int32_t monograph_multi_margin_loss_kernel(monograph_call* call);
int32_t monograph_multilabel_margin_loss_kernel(monograph_call* call);
/* byte_product: two matrices of int8 or uint8, the first by rows; the result is int32. Scratch: (m + n) * (k rounded up to a multiple of 32) * 2 bytes. */
int32_t monograph_byte_product_kernel(monograph_call* call);
/* tril, triu: self, diagonal; the result may be self */
int32_t monograph_tril_kernel(monograph_call* call);
int32_t monograph_triu_kernel(monograph_call* call);
/* upsample_nearest1d and its like: self, output_size, a scale a dim or None; linear and cubic ones have align_corners before the scales. Their
   gradients: grad_output, output_size, input_size, then the same. The scratch bytes of either: of the sizes of self and of the result without batch
   and channels, and the number of threads that the call names. */
int32_t monograph_nearest_kernel(monograph_call* call);
int32_t monograph_nearest_exact_kernel(monograph_call* call);
int32_t monograph_linear_resample_kernel(monograph_call* call);
int32_t monograph_cubic_resample_kernel(monograph_call* call);
int32_t monograph_nearest_backward_kernel(monograph_call* call);
int32_t monograph_nearest_exact_backward_kernel(monograph_call* call);
int32_t monograph_linear_resample_backward_kernel(monograph_call* call);
int32_t monograph_cubic_resample_backward_kernel(monograph_call* call);
int64_t monograph_resampling_scratch(const int64_t* from, const int64_t* to, size_t dims, int threads);

/* gather: self, dim, index. A dim is not negative, here and below. */
int32_t monograph_gather_kernel(monograph_call* call);
/* gather_backward: grad, sizes, dim, index */
int32_t monograph_gather_backward_kernel(monograph_call* call);
/* searchsorted: sorted_sequence, self, out_int32, right, side, sorter. cummax, cummin: self, dim; two results */
int32_t monograph_searchsorted_kernel(monograph_call* call);
int32_t monograph_cummax_kernel(monograph_call* call);
int32_t monograph_cummin_kernel(monograph_call* call);
/* scatter, scatter_add: self, dim, index, src. scatter_reduce: and reduce, include_self; a mean has scratch memory */
int32_t monograph_scatter_kernel(monograph_call* call);
int32_t monograph_scatter_add_kernel(monograph_call* call);
int32_t monograph_scatter_reduce_kernel(monograph_call* call);
/* index_select: self, dim, index. index_add: self, dim, index, source; an alpha after them is 1 */
int32_t monograph_index_select_kernel(monograph_call* call);
int32_t monograph_index_add_kernel(monograph_call* call);
/* embedding: weight, indices. embedding_dense_backward: grad_output, indices, num_weights, padding_idx */
int32_t monograph_embedding_kernel(monograph_call* call);
int32_t monograph_embedding_dense_backward_kernel(monograph_call* call);
/* embedding_bag: weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx; four results */
int32_t monograph_embedding_bag_kernel(monograph_call* call);
/* _ctc_loss: log_probs, targets, input_lengths, target_lengths, blank; two results. Its gradient: grad, then the first four, neg_log_likelihood,
   log_alpha, blank, zero_infinity; scratch of 16 bytes for each sequence and element of a row of log_alpha */
int32_t monograph_ctc_loss_kernel(monograph_call* call);
int32_t monograph_ctc_loss_backward_kernel(monograph_call* call);
/* index: self, indices. index_put: self, indices, values, accumulate; the result is self. Scratch: 8 bytes for each position that the indices
   broadcast to. */
int32_t monograph_index_kernel(monograph_call* call);
int32_t monograph_index_put_kernel(monograph_call* call);
/* one_hot: self, num_classes */
int32_t monograph_one_hot_kernel(monograph_call* call);
/* nonzero of a bool tensor, whose result has a row for each element that is true */
int32_t monograph_nonzero_kernel(monograph_call* call);

/* sort: self, dim, descending. sort.stable: self, stable, dim, descending. topk: self, k, dim, largest, sorted. Results values and indices. */
int32_t monograph_sort_kernel(monograph_call* call);
int32_t monograph_sort_stable_kernel(monograph_call* call);
int32_t monograph_topk_kernel(monograph_call* call);
/* kthvalue: self, k, dim, keepdim; median.dim, nanmedian.dim: self, dim, keepdim. Results values and indices; scratch as of a sort. */
int32_t monograph_kthvalue_kernel(monograph_call* call);
int32_t monograph_median_kernel(monograph_call* call);
int32_t monograph_nanmedian_kernel(monograph_call* call);
/* The bytes of scratch for a sort or a topk of `rows` rows of n elements. */
int64_t monograph_sort_scratch(uint8_t dtype, int64_t n, int64_t rows);
/* cumsum, cumprod: self, dim. cumprod_backward: grad, input, dim, output */
int32_t monograph_cumsum_kernel(monograph_call* call);
int32_t monograph_cumprod_kernel(monograph_call* call);
int32_t monograph_cumprod_backward_kernel(monograph_call* call);
/* logcumsumexp: self, dim */
int32_t monograph_logcumsumexp_kernel(monograph_call* call);
/* _standard_gamma_grad: self, output. _dirichlet_grad: x, alpha, total */
int32_t monograph_standard_gamma_slope_kernel(monograph_call* call);
int32_t monograph_dirichlet_slope_kernel(monograph_call* call);
/* gcd, lcm: self, other. frexp: self; two results. special_zeta: self, other */
int32_t monograph_gcd_kernel(monograph_call* call);
int32_t monograph_lcm_kernel(monograph_call* call);
int32_t monograph_frexp_kernel(monograph_call* call);
int32_t monograph_zeta_kernel(monograph_call* call);
/* igamma, igammac: self, other */
int32_t monograph_igamma_kernel(monograph_call* call);
int32_t monograph_igammac_kernel(monograph_call* call);
/* Orthogonal polynomials: x, n */
int32_t monograph_chebyshev_t_kernel(monograph_call* call);
int32_t monograph_chebyshev_u_kernel(monograph_call* call);
int32_t monograph_chebyshev_v_kernel(monograph_call* call);
int32_t monograph_chebyshev_w_kernel(monograph_call* call);
int32_t monograph_shifted_chebyshev_t_kernel(monograph_call* call);
int32_t monograph_shifted_chebyshev_u_kernel(monograph_call* call);
int32_t monograph_shifted_chebyshev_v_kernel(monograph_call* call);
int32_t monograph_shifted_chebyshev_w_kernel(monograph_call* call);
int32_t monograph_hermite_h_kernel(monograph_call* call);
int32_t monograph_hermite_he_kernel(monograph_call* call);
int32_t monograph_laguerre_l_kernel(monograph_call* call);
int32_t monograph_legendre_p_kernel(monograph_call* call);

/* _fft_c2c: self, dim, normalization (0, 1: by the root of the number of elements, 2: by the number), forward. _fft_r2c: self, dim, normalization,
   onesided. _fft_c2r: self, dim, normalization, last_dim_size. */
int32_t monograph_fft_c2c_kernel(monograph_call* call);
int32_t monograph_fft_r2c_kernel(monograph_call* call);
int32_t monograph_fft_c2r_kernel(monograph_call* call);
/* The scratch bytes of such a call: of its kind (0: c2c, 1: r2c, 2: c2r), the dtype of the real parts, and the longer of the sizes of self and of the result
   in each dim. */
int64_t monograph_fft_scratch(int kind, uint8_t dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads);

/* The elements of argument 0, in the result's layout. */
int32_t monograph_clone_kernel(monograph_call* call);
/* complex: real, imag */
int32_t monograph_complex_kernel(monograph_call* call);
/* masked_scatter: self, mask, source. Fails with both numbers where source has fewer elements than the mask has ones. */
int32_t monograph_masked_scatter_kernel(monograph_call* call);
/* flip: self, dims */
int32_t monograph_flip_kernel(monograph_call* call);
/* zeros, ones, full (argument 1), scalar_tensor (argument 0), eye of a square matrix */
int32_t monograph_zeros_kernel(monograph_call* call);
int32_t monograph_ones_kernel(monograph_call* call);
int32_t monograph_full_kernel(monograph_call* call);
int32_t monograph_scalar_tensor_kernel(monograph_call* call);
int32_t monograph_eye_kernel(monograph_call* call);
/* arange of (end), (start, end) and (start, end, step); linspace: start, end, steps */
int32_t monograph_arange_end_kernel(monograph_call* call);
int32_t monograph_arange_start_kernel(monograph_call* call);
int32_t monograph_arange_step_kernel(monograph_call* call);
int32_t monograph_linspace_kernel(monograph_call* call);

/* ---- generated kernels ---- */

/* A loop over rows x n elements; operands are the results, then the arguments, with the bytes from one element to the next (inner) and from one
   row to the next (outer). Not 0 where an element raises. */
typedef int32_t (*monograph_loop)(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows);
/* The loop that this build has for a body, by the hash and form that Monograph writes into objects; null where it has none for this machine. */
monograph_loop monograph_find_loop(uint64_t body_hash, int32_t form);

#ifdef __cplusplus
}
#endif

#endif

/* The kernels of Monograph for C: loops over memory, matrix products and the thread pool. The static library libmonograph_kernels.a needs only libc,
   libm and pthreads:

     float a[6], b[6], c[4];
     monograph_product p = {.dtype = MONOGRAPH_FLOAT32, .m = 2, .n = 2, .k = 3, .a = a, .a_row = 3, .a_col = 1,
                            .b = b, .b_row = 2, .b_col = 1, .c = c, .c_row = 2, .c_col = 1};
     if (monograph_matmul(&p) != MONOGRAPH_OK) abort();

   cc main.c -lmonograph_kernels -lm -lpthread

   The library starts threads. Link a shared object that contains it with -Wl,-z,nodelete, so that dlclose does not unload the code of these threads. */
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

/* Return codes. A positive code means that an element of an argument has a wrong value; the fields of monograph_call say which. */
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

/* c[m, n] = a[m, k] @ b[k, n] + bias[n]. Strides are in elements. No two elements of c may be at the same address. */
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
  const void* bias; /* or null; only for float32 and float64 */
  const monograph_product_batch* batch; /* outermost first */
  size_t batch_count;
} monograph_product;

int32_t monograph_matmul(const monograph_product* product);

/* monograph_pack copies a matrix b into the order in which the product reads it, for a weight that is used often. The dtype is floating or complex.
   `packed` has monograph_packed_bytes() bytes, at an address divisible by 64. Both functions return MONOGRAPH_INVALID for wrong arguments. */
int64_t monograph_packed_bytes(uint8_t dtype, uint8_t isa, int64_t k, int64_t n);
int32_t monograph_pack(uint8_t dtype, uint8_t isa, int64_t k, int64_t n, const void* b, int64_t b_row, int64_t b_col, void* packed);

/* ---- operators ---- */

typedef struct monograph_tensor {
  void* data; /* the first element; not null, even if the tensor is empty */
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
      const monograph_tensor* values; /* data is null for an item that is None */
      size_t count;
    } tensors;
  } value;
} monograph_argument;

/* A call of an operator's kernel. The arguments are in the order of the operator's schema. The results have the sizes and dtypes that the operator
   returns. A kernel does not check shapes. */
typedef struct monograph_call {
  const monograph_argument* args;
  const monograph_tensor* results;
  size_t arg_count, result_count;
  void* scratch; /* working memory, at an address divisible by 64, for the kernels below that need some */
  /* Set if the kernel returns a positive code: the wrong element, the limit that it exceeds, and its index in row-major order or -1. */
  int64_t value, limit, place;
  int64_t scratch_bytes; /* for the caller's use; no kernel reads it */
  int32_t threads; /* for how many threads the scratch memory is; 0: monograph_num_threads(), which must not change in between */
  const void* prepared; /* must be null */
} monograph_call;

/* conv2d: input, weight, bias, stride, padding, dilation, groups */
int32_t monograph_convolution_kernel(monograph_call* call);
/* conv_transpose2d: input, weight, bias, stride, padding, output_padding, groups, dilation */
int32_t monograph_transposed_convolution_kernel(monograph_call* call);
/* conv2d_weight_backward: grad_output, input, kernel_size, stride, padding, dilation, groups */
int32_t monograph_weight_gradient_kernel(monograph_call* call);
/* The bytes of scratch memory that such a call needs, for its number of threads. */
int64_t monograph_convolution_scratch(const monograph_call* call);
int64_t monograph_transposed_convolution_scratch(const monograph_call* call);
int64_t monograph_weight_gradient_scratch(const monograph_call* call);

/* max_pool2d_with_indices: self, kernel_size, stride, padding, dilation; results values and indices, or values alone */
int32_t monograph_max_pool_kernel(monograph_call* call);
/* max_pool1d_with_indices and max_pool3d_with_indices: as max_pool2d_with_indices */
int32_t monograph_max_line_pool_kernel(monograph_call* call);
int32_t monograph_max_volume_pool_kernel(monograph_call* call);
/* avg_pool2d: self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override */
int32_t monograph_avg_pool_kernel(monograph_call* call);
/* avg_pool3d: as avg_pool2d */
int32_t monograph_avg_volume_pool_kernel(monograph_call* call);
int32_t monograph_avg_pool_backward_kernel(monograph_call* call);
/* adaptive_avg_pool2d: self, output_size */
int32_t monograph_adaptive_pool_kernel(monograph_call* call);
int32_t monograph_adaptive_pool_backward_kernel(monograph_call* call);
/* adaptive_max_pool2d, adaptive_max_pool3d: self (contiguous), output_size; results values and indices */
int32_t monograph_adaptive_max_pool_kernel(monograph_call* call);
/* (input - mean) * scale + shift for each channel: input, mean, scale, shift */
int32_t monograph_scale_and_shift_kernel(monograph_call* call);
/* im2col: self, kernel_size, dilation, padding, stride. col2im: self, output_size, then the same */
int32_t monograph_unfold_kernel(monograph_call* call);
int32_t monograph_fold_kernel(monograph_call* call);
/* unfold_backward: grad_in (contiguous), input_sizes, dim, size, step */
int32_t monograph_unfold_backward_kernel(monograph_call* call);
/* fractional_max_pool2d and 3d: self, kernel_size, output_size, random_samples; tensors are contiguous; results values and indices */
int32_t monograph_fractional_max_pool_kernel(monograph_call* call);
/* grid_sampler: input, grid, interpolation_mode, padding_mode, align_corners. Its backward: grad_output, then the same, then the gradients to compute:
   1 for that of input, 2 for that of grid, 3 for both. All tensors are contiguous. */
int32_t monograph_grid_sampler_kernel(monograph_call* call);
int32_t monograph_grid_sampler_backward_kernel(monograph_call* call);

/* constant_pad_nd: self, pad, value */
int32_t monograph_constant_pad_kernel(monograph_call* call);
/* reflection_pad1d, 2d, 3d, replication_pad1d, 2d, 3d, _pad_circular: self, padding */
int32_t monograph_reflection_pad_kernel(monograph_call* call);
int32_t monograph_replication_pad_kernel(monograph_call* call);
int32_t monograph_circular_pad_kernel(monograph_call* call);
/* nll_loss: self, target, weight, reduction, ignore_index. multi_margin_loss: self, target, p, margin, weight, reduction. multilabel_margin_loss: self,
   target, reduction. The target is contiguous. */
/* The bytes of scratch memory for one of them. For nll_loss, rows is the number of targets and classes is 0. MONOGRAPH_INVALID for wrong arguments. */
int64_t monograph_class_loss_scratch(uint8_t dtype, int64_t rows, int64_t classes);
int32_t monograph_nll_loss_kernel(monograph_call* call);
int32_t monograph_multi_margin_loss_kernel(monograph_call* call);
int32_t monograph_multilabel_margin_loss_kernel(monograph_call* call);
/* byte_product: two matrices of int8 or uint8, the first in row-major order; the result is int32. Scratch memory: (m + n) * (k rounded up to a multiple of
   32) * 2 bytes. */
int32_t monograph_byte_product_kernel(monograph_call* call);
/* tril, triu: self, diagonal; the result may be self */
int32_t monograph_tril_kernel(monograph_call* call);
int32_t monograph_triu_kernel(monograph_call* call);
/* upsample_nearest1d, 2d, 3d: self, output_size, a scale or None for each dim. Linear and cubic ones have align_corners before the scales. Their backward:
   grad_output, output_size, input_size, then the same. monograph_resampling_scratch gives the bytes of scratch memory; `from` and `to` are the sizes of
   self and of the result without batch and channels, `threads` is the call's. */
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
/* scatter, scatter_add: self, dim, index, src. scatter_reduce: self, dim, index, src, reduce, include_self; a mean needs scratch memory */
int32_t monograph_scatter_kernel(monograph_call* call);
int32_t monograph_scatter_add_kernel(monograph_call* call);
int32_t monograph_scatter_reduce_kernel(monograph_call* call);
/* index_select: self, dim, index. index_add: self, dim, index, source, alpha; alpha may be left out and must be 1 */
int32_t monograph_index_select_kernel(monograph_call* call);
int32_t monograph_index_add_kernel(monograph_call* call);
/* embedding: weight, indices. embedding_dense_backward: grad_output, indices, num_weights, padding_idx */
int32_t monograph_embedding_kernel(monograph_call* call);
int32_t monograph_embedding_dense_backward_kernel(monograph_call* call);
/* embedding_bag: weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx; four results */
int32_t monograph_embedding_bag_kernel(monograph_call* call);
/* embedding_renorm: self, indices, max_norm, norm_type; contiguous, of float32 or float64, with indices of int64. Scratch memory: a byte for each row */
int32_t monograph_embedding_renorm_kernel(monograph_call* call);
/* _ctc_loss: log_probs, targets, input_lengths, target_lengths, blank; two results. Its backward: grad, then the first four, neg_log_likelihood,
   log_alpha, blank, zero_infinity; scratch memory of 16 bytes for each sequence and element of a row of log_alpha */
int32_t monograph_ctc_loss_kernel(monograph_call* call);
int32_t monograph_ctc_loss_backward_kernel(monograph_call* call);
/* index: self, indices. index_put: self, indices, values, accumulate; the result is self. Scratch memory: 8 bytes for each position that the indices
   broadcast to. */
int32_t monograph_index_kernel(monograph_call* call);
int32_t monograph_index_put_kernel(monograph_call* call);
/* one_hot: self, num_classes */
int32_t monograph_one_hot_kernel(monograph_call* call);
/* nonzero: a bool tensor; the result has a row for each element that is true */
int32_t monograph_nonzero_kernel(monograph_call* call);

/* sort: self, dim, descending. sort.stable: self, stable, dim, descending. topk: self, k, dim, largest, sorted. Results values and indices. */
int32_t monograph_sort_kernel(monograph_call* call);
int32_t monograph_sort_stable_kernel(monograph_call* call);
int32_t monograph_topk_kernel(monograph_call* call);
/* kthvalue: self, k, dim, keepdim; median.dim, nanmedian.dim: self, dim, keepdim. Results values and indices; scratch memory as for a sort. */
int32_t monograph_kthvalue_kernel(monograph_call* call);
int32_t monograph_median_kernel(monograph_call* call);
int32_t monograph_nanmedian_kernel(monograph_call* call);
/* The bytes of scratch memory for a sort or a topk of `rows` rows of n elements. */
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
/* The bytes of scratch memory for such a call. kind is 0 for c2c, 1 for r2c, 2 for c2r; dtype is that of the real parts; sizes has for each dim the larger
   of the sizes of self and of the result. */
int64_t monograph_fft_scratch(int kind, uint8_t dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads);

/* clone: copies the elements of argument 0 into the result, which may have other strides */
int32_t monograph_clone_kernel(monograph_call* call);
/* complex: real, imag */
int32_t monograph_complex_kernel(monograph_call* call);
/* masked_scatter: self, mask, source. Fails, with both numbers, if source has fewer elements than the mask has ones. */
int32_t monograph_masked_scatter_kernel(monograph_call* call);
/* equal: self, other, contiguous and of one size and dtype but float16 and bfloat16; the result is a bool without dims */
int32_t monograph_equal_kernel(monograph_call* call);
/* outer: self, vec2. addr: self, vec1, vec2. linalg_cross: self, other, dim. kron: self, other. All tensors are contiguous and have one dtype: float32 or
   float64; linalg_cross takes int32 and int64 too */
int32_t monograph_outer_kernel(monograph_call* call);
int32_t monograph_addr_kernel(monograph_call* call);
int32_t monograph_linalg_cross_kernel(monograph_call* call);
int32_t monograph_kron_kernel(monograph_call* call);
/* cdist: x1, x2, p. pdist: self, p. p is 0, 1, 2 or infinity; matrices are contiguous, of float32 or float64, with 1 to 8192 columns. Scratch memory: 128 bytes,
   and the matrices with their rows rounded up to a multiple of 8 elements. */
int32_t monograph_cdist_kernel(monograph_call* call);
int32_t monograph_pdist_kernel(monograph_call* call);
/* trace: self, of float32 or float64. diag_embed: self, offset, dim1, dim2 */
int32_t monograph_trace_kernel(monograph_call* call);
int32_t monograph_diag_embed_kernel(monograph_call* call);
/* index_fill: self, dim, index, value. take: self, index. put: self, index, source. All tensors are contiguous; the index is of int64 */
int32_t monograph_index_fill_kernel(monograph_call* call);
int32_t monograph_take_kernel(monograph_call* call);
int32_t monograph_put_kernel(monograph_call* call);
/* repeat_interleave by a number: self (contiguous), repeats, dim */
int32_t monograph_repeat_interleave_kernel(monograph_call* call);
/* block_diag: tensors (contiguous matrices of the result's dtype) */
int32_t monograph_block_diag_kernel(monograph_call* call);
/* split_copy: self (contiguous), sizes, dim; the results are the pieces */
int32_t monograph_split_copy_kernel(monograph_call* call);
/* histc: self, bins, min, max. histogram: self, edges, weight; results counts and edges. All tensors are contiguous and of one dtype: float32 or float64 */
int32_t monograph_histc_kernel(monograph_call* call);
int32_t monograph_histogram_kernel(monograph_call* call);
/* bincount: self (int64), weights, minlength; the result has a place for each number up to the largest. repeat_interleave.Tensor: repeats, output_size */
int32_t monograph_bincount_kernel(monograph_call* call);
int32_t monograph_repeat_numbers_kernel(monograph_call* call);
/* unique_consecutive: self (contiguous), return_inverse, return_counts; the results have a place for each run of equal elements */
int32_t monograph_unique_consecutive_kernel(monograph_call* call);
/* pixel_shuffle, pixel_unshuffle: self, factor. channel_shuffle: self, groups */
int32_t monograph_pixel_shuffle_kernel(monograph_call* call);
int32_t monograph_pixel_unshuffle_kernel(monograph_call* call);
int32_t monograph_channel_shuffle_kernel(monograph_call* call);
/* flip: self, dims */
int32_t monograph_flip_kernel(monograph_call* call);
/* zeros, ones, full (argument 1), scalar_tensor (argument 0), eye of a square matrix */
int32_t monograph_zeros_kernel(monograph_call* call);
int32_t monograph_ones_kernel(monograph_call* call);
int32_t monograph_full_kernel(monograph_call* call);
int32_t monograph_scalar_tensor_kernel(monograph_call* call);
int32_t monograph_eye_kernel(monograph_call* call);
/* arange of (end), (start, end) and (start, end, step); linspace: start, end, steps; logspace: start, end, steps, base */
int32_t monograph_arange_end_kernel(monograph_call* call);
int32_t monograph_arange_start_kernel(monograph_call* call);
int32_t monograph_arange_step_kernel(monograph_call* call);
int32_t monograph_linspace_kernel(monograph_call* call);
int32_t monograph_logspace_kernel(monograph_call* call);

/* ---- generated kernels ---- */

/* A loop over rows x n elements. The operands are the results, then the arguments. inner and outer hold for each operand the bytes from one element to
   the next and from one row to the next. The loop returns a number other than 0 if an element is an error. */
typedef int32_t (*monograph_loop)(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows);
/* Returns the loop that this build has for the body with this hash and form, which Monograph writes into compiled graphs; null if there is none for this
   machine. */
monograph_loop monograph_find_loop(uint64_t body_hash, int32_t form);

#ifdef __cplusplus
}
#endif

#endif

/* A program in C with the library of kernels: products, threads and kernels give what the loops beside them give. tests/cpp/c_library_test.cpp
   builds it by cc, with libm and pthreads only. */
#include <math.h>
#include <monograph/kernels.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failures++; \
    } \
  } while (0)

enum { M = 37, N = 53, K = 300 };
static float a[M * K], b[K * N], c[M * N], wanted[M * N], bias[N];

static float next_value(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 8388608.0f - 1.0f;
}

static monograph_product product_of(void) {
  monograph_product p;
  memset(&p, 0, sizeof p);
  p.dtype = MONOGRAPH_FLOAT32, p.m = M, p.n = N, p.k = K;
  p.a = a, p.a_row = K, p.a_col = 1, p.b = b, p.b_row = N, p.b_col = 1, p.c = c, p.c_row = N, p.c_col = 1;
  return p;
}

static void* multiply_again(void* unused) { /* in a thread that ends, with its working memory */
  monograph_product p = product_of();
  float mine[M * N];
  p.c = mine;
  EXPECT(monograph_matmul(&p) == MONOGRAPH_OK);
  EXPECT(memcmp(mine, wanted, sizeof mine) == 0);
  return unused;
}

static void products(void) {
  for (int i = 0; i < M * K; ++i) a[i] = next_value();
  for (int i = 0; i < K * N; ++i) b[i] = next_value();
  for (int i = 0; i < N; ++i) bias[i] = next_value();
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int p = 0; p < K; ++p) sum = fmaf(a[i * K + p], b[p * N + j], sum);
      wanted[i * N + j] = sum;
    }
  monograph_product p = product_of();
  EXPECT(monograph_matmul(&p) == MONOGRAPH_OK);
  EXPECT(memcmp(c, wanted, sizeof c) == 0); /* the bits of one chain of fused multiply-adds */

  const int64_t bytes = monograph_packed_bytes(MONOGRAPH_FLOAT32, 0, K, N);
  EXPECT(bytes >= (int64_t)sizeof b);
  void* packed = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
  EXPECT(monograph_pack(MONOGRAPH_FLOAT32, 0, K, N, b, N, 1, packed) == MONOGRAPH_OK);
  p.b = NULL, p.packed = packed, p.bias = bias;
  memset(c, 0, sizeof c);
  EXPECT(monograph_matmul(&p) == MONOGRAPH_OK);
  for (int i = 0; i < M * N; ++i) EXPECT(c[i] == wanted[i] + bias[i % N]);
  free(packed);

  p = product_of(), p.dtype = 99;
  EXPECT(monograph_matmul(&p) == MONOGRAPH_INVALID);
  p = product_of(), p.m = -1;
  EXPECT(monograph_matmul(&p) == MONOGRAPH_INVALID);
  p = product_of(), p.isa = 77;
  EXPECT(monograph_matmul(&p) == MONOGRAPH_INVALID);
  p = product_of(), p.b = NULL;
  EXPECT(monograph_matmul(&p) == MONOGRAPH_INVALID);
  EXPECT(monograph_packed_bytes(MONOGRAPH_INT32, 0, K, N) == MONOGRAPH_INVALID);

  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, multiply_again, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void fill_piece(void* context, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) ((int64_t*)context)[i] += i;
}

static void threads(void) {
  static int64_t counts[100000];
  EXPECT(monograph_num_threads() >= 1);
  EXPECT(monograph_set_num_threads(0) == MONOGRAPH_INVALID);
  for (int32_t n = 1; n <= 4; ++n) {
    EXPECT(monograph_set_num_threads(n) == MONOGRAPH_OK && monograph_num_threads() == n);
    memset(counts, 0, sizeof counts);
    EXPECT(monograph_parallel_for(0, 100000, 100, fill_piece, counts) == MONOGRAPH_OK);
    int wrong = 0;
    for (int64_t i = 0; i < 100000; ++i) wrong += counts[i] != i;
    EXPECT(wrong == 0);
  }
  EXPECT(monograph_parallel_for(0, 1, 0, fill_piece, counts) == MONOGRAPH_INVALID);
}

static monograph_argument an_int(int64_t v) {
  monograph_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = MONOGRAPH_AN_INT, argument.value.integer = v;
  return argument;
}
static monograph_argument ints(const int64_t* values, size_t count) {
  monograph_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = MONOGRAPH_INTS, argument.value.ints.values = values, argument.value.ints.count = count;
  return argument;
}
static monograph_argument a_tensor(monograph_tensor t) {
  monograph_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = MONOGRAPH_A_TENSOR, argument.value.tensor = t;
  return argument;
}

static void gathers(void) {
  float from[] = {10, 11, 12, 20, 21, 22}, to[4];
  int64_t where[] = {2, 0, 1, 1};
  const int64_t two_three[] = {2, 3}, two_two[] = {2, 2}, three_one[] = {3, 1}, two_one[] = {2, 1};
  const monograph_argument args[] = {a_tensor((monograph_tensor){from, two_three, three_one, 2, MONOGRAPH_FLOAT32}), an_int(1),
                                     a_tensor((monograph_tensor){where, two_two, two_one, 2, MONOGRAPH_INT64})};
  const monograph_tensor result = {to, two_two, two_one, 2, MONOGRAPH_FLOAT32};
  monograph_call call = {.args = args, .results = &result, .arg_count = 3, .result_count = 1, .place = -1};
  EXPECT(monograph_gather_kernel(&call) == MONOGRAPH_OK);
  EXPECT(to[0] == 12 && to[1] == 10 && to[2] == 21 && to[3] == 21);
  where[3] = 5; /* bad data is a status and the element, never an exception */
  EXPECT(monograph_gather_kernel(&call) == MONOGRAPH_BAD_VALUE);
  EXPECT(call.value == 5 && call.limit == 3);
}

static void convolutions(void) { /* a box of ones over 4 x 4 pixels */
  float image[16], weight[9], out[4];
  for (int i = 0; i < 16; ++i) image[i] = (float)i;
  for (int i = 0; i < 9; ++i) weight[i] = 1;
  const int64_t pixels[] = {1, 1, 4, 4}, pixel_strides[] = {16, 16, 4, 1}, taps[] = {1, 1, 3, 3}, tap_strides[] = {9, 9, 3, 1};
  const int64_t outs[] = {1, 1, 2, 2}, out_strides[] = {4, 4, 2, 1}, one[] = {1}, zero[] = {0};
  monograph_argument none;
  memset(&none, 0, sizeof none);
  const monograph_argument args[] = {a_tensor((monograph_tensor){image, pixels, pixel_strides, 4, MONOGRAPH_FLOAT32}),
                                     a_tensor((monograph_tensor){weight, taps, tap_strides, 4, MONOGRAPH_FLOAT32}),
                                     none,
                                     ints(one, 1),
                                     ints(zero, 1),
                                     ints(one, 1),
                                     an_int(1)};
  const monograph_tensor result = {out, outs, out_strides, 4, MONOGRAPH_FLOAT32};
  monograph_call call = {.args = args, .results = &result, .arg_count = 7, .result_count = 1, .place = -1};
  const int64_t bytes = monograph_convolution_scratch(&call);
  EXPECT(bytes > 0);
  call.scratch = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
  EXPECT(monograph_convolution_kernel(&call) == MONOGRAPH_OK);
  EXPECT(out[0] == 45 && out[1] == 54 && out[2] == 81 && out[3] == 90);
  free(call.scratch);
}

/* Every function of the header, so that all of the library is linked. */
typedef void (*any)(void);
static const any all[] = {
    (any)monograph_num_threads,
    (any)monograph_set_num_threads,
    (any)monograph_parallel_for,
    (any)monograph_matmul,
    (any)monograph_packed_bytes,
    (any)monograph_pack,
    (any)monograph_convolution_kernel,
    (any)monograph_transposed_convolution_kernel,
    (any)monograph_weight_gradient_kernel,
    (any)monograph_convolution_scratch,
    (any)monograph_transposed_convolution_scratch,
    (any)monograph_weight_gradient_scratch,
    (any)monograph_max_pool_kernel,
    (any)monograph_max_line_pool_kernel,
    (any)monograph_max_volume_pool_kernel,
    (any)monograph_avg_volume_pool_kernel,
    (any)monograph_byte_product_kernel,
    (any)monograph_avg_pool_kernel,
    (any)monograph_avg_pool_backward_kernel,
    (any)monograph_adaptive_pool_kernel,
    (any)monograph_adaptive_pool_backward_kernel,
    (any)monograph_scale_and_shift_kernel,
    (any)monograph_unfold_kernel,
    (any)monograph_fold_kernel,
    (any)monograph_gather_kernel,
    (any)monograph_gather_backward_kernel,
    (any)monograph_scatter_kernel,
    (any)monograph_scatter_add_kernel,
    (any)monograph_scatter_reduce_kernel,
    (any)monograph_searchsorted_kernel,
    (any)monograph_cummax_kernel,
    (any)monograph_cummin_kernel,
    (any)monograph_index_select_kernel,
    (any)monograph_index_add_kernel,
    (any)monograph_embedding_kernel,
    (any)monograph_embedding_dense_backward_kernel,
    (any)monograph_index_kernel,
    (any)monograph_index_put_kernel,
    (any)monograph_one_hot_kernel,
    (any)monograph_nonzero_kernel,
    (any)monograph_sort_kernel,
    (any)monograph_sort_stable_kernel,
    (any)monograph_topk_kernel,
    (any)monograph_sort_scratch,
    (any)monograph_class_loss_scratch,
    (any)monograph_cumsum_kernel,
    (any)monograph_cumprod_kernel,
    (any)monograph_cumprod_backward_kernel,
    (any)monograph_fft_c2c_kernel,
    (any)monograph_fft_r2c_kernel,
    (any)monograph_fft_c2r_kernel,
    (any)monograph_fft_scratch,
    (any)monograph_clone_kernel,
    (any)monograph_equal_kernel,
    (any)monograph_outer_kernel,
    (any)monograph_addr_kernel,
    (any)monograph_linalg_cross_kernel,
    (any)monograph_kron_kernel,
    (any)monograph_cdist_kernel,
    (any)monograph_pdist_kernel,
    (any)monograph_trace_kernel,
    (any)monograph_diag_embed_kernel,
    (any)monograph_index_fill_kernel,
    (any)monograph_take_kernel,
    (any)monograph_put_kernel,
    (any)monograph_repeat_interleave_kernel,
    (any)monograph_block_diag_kernel,
    (any)monograph_split_copy_kernel,
    (any)monograph_histc_kernel,
    (any)monograph_histogram_kernel,
    (any)monograph_bincount_kernel,
    (any)monograph_repeat_numbers_kernel,
    (any)monograph_unique_consecutive_kernel,
    (any)monograph_pixel_shuffle_kernel,
    (any)monograph_pixel_unshuffle_kernel,
    (any)monograph_channel_shuffle_kernel,
    (any)monograph_embedding_renorm_kernel,
    (any)monograph_flip_kernel,
    (any)monograph_zeros_kernel,
    (any)monograph_ones_kernel,
    (any)monograph_full_kernel,
    (any)monograph_scalar_tensor_kernel,
    (any)monograph_complex_kernel,
    (any)monograph_masked_scatter_kernel,
    (any)monograph_eye_kernel,
    (any)monograph_arange_end_kernel,
    (any)monograph_arange_start_kernel,
    (any)monograph_arange_step_kernel,
    (any)monograph_linspace_kernel,
    (any)monograph_logspace_kernel,
    (any)monograph_constant_pad_kernel,
    (any)monograph_reflection_pad_kernel,
    (any)monograph_replication_pad_kernel,
    (any)monograph_circular_pad_kernel,
    (any)monograph_tril_kernel,
    (any)monograph_triu_kernel,
    (any)monograph_nll_loss_kernel,
    (any)monograph_multi_margin_loss_kernel,
    (any)monograph_multilabel_margin_loss_kernel,
    (any)monograph_kthvalue_kernel,
    (any)monograph_median_kernel,
    (any)monograph_nanmedian_kernel,
    (any)monograph_nearest_kernel,
    (any)monograph_nearest_exact_kernel,
    (any)monograph_linear_resample_kernel,
    (any)monograph_cubic_resample_kernel,
    (any)monograph_nearest_backward_kernel,
    (any)monograph_nearest_exact_backward_kernel,
    (any)monograph_linear_resample_backward_kernel,
    (any)monograph_cubic_resample_backward_kernel,
    (any)monograph_resampling_scratch,
    (any)monograph_adaptive_max_pool_kernel,
    (any)monograph_unfold_backward_kernel,
    (any)monograph_fractional_max_pool_kernel,
    (any)monograph_grid_sampler_kernel,
    (any)monograph_grid_sampler_backward_kernel,
    (any)monograph_embedding_bag_kernel,
    (any)monograph_ctc_loss_kernel,
    (any)monograph_ctc_loss_backward_kernel,
    (any)monograph_logcumsumexp_kernel,
    (any)monograph_gcd_kernel,
    (any)monograph_lcm_kernel,
    (any)monograph_frexp_kernel,
    (any)monograph_zeta_kernel,
    (any)monograph_igamma_kernel,
    (any)monograph_igammac_kernel,
    (any)monograph_chebyshev_t_kernel,
    (any)monograph_chebyshev_u_kernel,
    (any)monograph_chebyshev_v_kernel,
    (any)monograph_chebyshev_w_kernel,
    (any)monograph_shifted_chebyshev_t_kernel,
    (any)monograph_shifted_chebyshev_u_kernel,
    (any)monograph_shifted_chebyshev_v_kernel,
    (any)monograph_shifted_chebyshev_w_kernel,
    (any)monograph_hermite_h_kernel,
    (any)monograph_hermite_he_kernel,
    (any)monograph_laguerre_l_kernel,
    (any)monograph_legendre_p_kernel,
    (any)monograph_standard_gamma_slope_kernel,
    (any)monograph_dirichlet_slope_kernel,
    (any)monograph_find_loop,
};

int main(void) {
  products();
  threads();
  products(); /* once more, on four threads */
  gathers();
  convolutions();
  EXPECT(monograph_find_loop(0, 0) == NULL);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) EXPECT(all[i] != NULL);
  printf("%d failures\n", failures);
  return failures != 0;
}

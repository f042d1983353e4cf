// The driver packs panels of both operands, chooses how to split the work, and runs the generated kernels on blocks.
#include "kernels/matmul.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/clones.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/round.h"

namespace monograph {

DType chain_type(DType t) { return t == DType::f64 || t == DType::c128 ? DType::f64 : DType::f32; }

namespace {

// Block sizes, in elements of f32 (measured by bench/matmul_bench.cpp). While the rows of a block of a pass by a panel, its block of k is read from the
// second-level cache, with the next lines prefetched. The rows' block of k stays in that cache, too.
constexpr int64_t kDepth = 256;  // links of a block of k
constexpr int64_t kDepthPacked = 512;  // the same if b was packed before
constexpr int64_t kDepthOnce = 2048;  // the same if so few rows of a use a panel that it is read once
constexpr int64_t kDepthFew = 128;  // the same if b is packed for few rows: it is read from the first-level cache
constexpr int64_t kStreamedRows = 2;  // products with at most this many rows read b as a stream from memory,
constexpr double kStreamedBytes = 16 << 20;  // if all matrices b of the batch have at least this many bytes
constexpr int kStreamedDepth = 8;  // the rows of b that are read together then
constexpr int64_t kFewColumns = 8;  // products with at most this many columns are computed as the transposed product
constexpr int64_t kRows = 192;  // rows of a that use a panel while it is in the cache
constexpr int64_t kChunkPanels = 4;  // panels of b that are packed at once
// The largest number of rows and columns of a task (packing is paid once for each task); the largest number of columns if nothing is packed; the smallest
// task that a split leaves.
constexpr int64_t kTaskRows = 1024, kTaskColumns = 512, kSweptColumns = 8192, kLeastTaskRows = 128, kLeastTaskPanels = 4;
constexpr int64_t kFewTasks = 4,
                  kFewTaskRows = 32;  // while there are fewer than kFewTasks, and none packs b, tasks are split down to this many rows
constexpr int64_t kTasks = 16;  // the least number of tasks, if the product is large enough
constexpr int64_t kTaskWork = 1 << 20;  // the least work of a task, in links
constexpr int64_t kThreadWork = 1 << 20;  // the least work that is worth another thread
constexpr int64_t kLeastRows = 8;  // fewer rows of a take as long as this many, since reading b takes the time

char* take_memory(int64_t bytes) {
  return static_cast<char*>(std::aligned_alloc(64, static_cast<size_t>(round_up(std::max<int64_t>(bytes, 1), 64))));
}

// ---- plain C++ kernels: without an fma instruction, libm's exact fma gives the same bits ----

template <class T, int kHeight, int kWidth>
void portable_kernel(int64_t k, const void* a, int64_t a_row, const void* b, int64_t b_row, int64_t, int64_t, void* c, int64_t c_row,
                     int64_t n, int64_t accumulate, const void* bias) {
  n = std::min<int64_t>(n, kWidth);
  for (int r = 0; r < kHeight; ++r) {
    const T* row = reinterpret_cast<const T*>(static_cast<const char*>(a) + r * a_row);
    T* out = reinterpret_cast<T*>(static_cast<char*>(c) + r * c_row);
    T acc[kWidth] = {};
    if (accumulate) std::copy_n(out, n, acc);
    for (int64_t p = 0; p < k; ++p) {
      const T* link = reinterpret_cast<const T*>(static_cast<const char*>(b) + p * b_row);
      for (int64_t j = 0; j < n; ++j) acc[j] = std::fma(row[p], link[j], acc[j]);
    }
    if (bias)
      for (int64_t j = 0; j < n; ++j) acc[j] += static_cast<const T*>(bias)[j];
    std::copy_n(acc, n, out);
  }
}

template <class T, DType type>
constexpr MatmulKernels kPortable = {
    static_cast<int32_t>(type),
    static_cast<int32_t>(Isa::none),
    4,
    8,
    {{portable_kernel<T, 1, 8>}, {portable_kernel<T, 2, 8>}, {portable_kernel<T, 3, 8>}, {portable_kernel<T, 4, 8>}},
    nullptr,
    1};

// ---- element types: as stored, and as accumulated ----

template <class S> constexpr bool kComplex = false;
template <class T> constexpr bool kComplex<std::complex<T>> = true;

template <class F>
decltype(auto) dispatch_chain(DType t, F&& f) {
  switch (t) {
    case DType::f16: return f(half{});
    case DType::bf16: return f(bfloat16{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::c64: return f(std::complex<float>{});
    case DType::c128: return f(std::complex<double>{});
    default: __builtin_trap();  // integers have no chain
  }
}

int64_t parts(DType t) { return is_complex(t) ? 2 : 1; }

// ---- packing ----

// Copies `count` elements, a multiple of 16 bytes, without calling memcpy, since the call would cost more than the copy.
template <class Real>
inline void copy_line(Real* to, const Real* from, int64_t count) {
  constexpr int64_t kStep = 16 / sizeof(Real);
  for (int64_t i = 0; i < count; i += kStep) std::memcpy(to + i, from + i, 16);
}

// Packs rows [0, k) and columns [0, n) of src into panels of `columns` reals a row, each k rows; what is right of n is zero. Of complex
// elements x each fills two rows and two columns, (re, im) over (-im, re): the real product of (re, im) pairs with it is the complex one.
template <class S>
void pack_panel(const MatmulKernels& kernels, ChainType<S>* to, const S* src, int64_t k, int64_t n, int64_t row, int64_t col) {
  const int64_t columns = kernels.columns;
  using Real = ChainType<S>;
  if constexpr (kComplex<S>) {
    for (int64_t p = 0; p < k; ++p, to += 2 * columns) {
      for (int64_t j = 0; j < n; ++j) {
        const S x = src[p * row + j * col];
        to[2 * j] = x.real(), to[2 * j + 1] = x.imag();
        to[columns + 2 * j] = -x.imag(), to[columns + 2 * j + 1] = x.real();
      }
      std::fill(to + 2 * n, to + columns, Real(0)), std::fill(to + columns + 2 * n, to + 2 * columns, Real(0));
    }
  } else {
    int64_t p = 0;
    if constexpr (std::is_same_v<S, Real>)
      if (row == 1 && n == columns && kernels.transpose) {
        p = k / kernels.transposed * kernels.transposed;
        kernels.transpose(p, src, col * static_cast<int64_t>(sizeof(S)), to);
      }
    for (; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) to[p * columns + j] = static_cast<Real>(src[p * row + j * col]);
      std::fill(to + p * columns + n, to + (p + 1) * columns, Real(0));
    }
  }
}

template <class S>
void pack_panels(const MatmulKernels& kernels, ChainType<S>* to, const S* src, int64_t k, int64_t n, int64_t row, int64_t col) {
  using Real = ChainType<S>;
  const int64_t columns = kernels.columns;
  constexpr int64_t kParts = kComplex<S> ? 2 : 1;
  if (k == 0) return;  // nothing to pack, and data may be null
  if constexpr (std::is_same_v<S, Real>)
    if (col == 1) {  // copy whole rows, so that memory is read in order
      const int64_t full = n / columns;
      constexpr int64_t kAhead = 8;  // rows; a group of panels is too short for the hardware to see a stream in it
      for (int64_t p = 0; p < k; ++p)
        for (int64_t panel = 0; panel < full; ++panel) {
          for (int64_t j = 0; j < columns; j += 64 / static_cast<int64_t>(sizeof(Real)))
            __builtin_prefetch(src + (p + kAhead) * row + panel * columns + j);
          copy_line(to + (panel * k + p) * columns, src + p * row + panel * columns, columns);
        }
      to += full * k * columns, src += full * columns, n -= full * columns;
    }
  for (; n > 0; n -= columns / kParts, to += k * kParts * columns, src += columns / kParts * col)
    pack_panel(kernels, to, src, k, std::min(n, columns / kParts), row, col);
}

// Copies rows of a to contiguous memory; a complex row becomes pairs of reals.
template <class S>
void pack_rows(ChainType<S>* to, int64_t to_row, const S* src, int64_t m, int64_t k, int64_t row, int64_t col) {
  if constexpr (std::is_same_v<S, ChainType<S>>)
    if (col == 1) {
      for (int64_t i = 0; i < m; ++i) std::memcpy(to + i * to_row, src + i * row, static_cast<size_t>(k) * sizeof(S));
      return;
    }
  constexpr int64_t kTile = 16;  // the side of a tile, so that a transposed source is read by whole cache lines
  for (int64_t i0 = 0; i0 < m; i0 += kTile)
    for (int64_t p0 = 0; p0 < k; p0 += kTile)
      for (int64_t i = i0; i < std::min(m, i0 + kTile); ++i)
        for (int64_t p = p0; p < std::min(k, p0 + kTile); ++p) {
          const S x = src[i * row + p * col];
          if constexpr (kComplex<S>) to[i * to_row + 2 * p] = x.real(), to[i * to_row + 2 * p + 1] = x.imag();
          else to[i * to_row + p] = static_cast<ChainType<S>>(x);
        }
}

// Rounds finished accumulators once and writes them to the result.
template <class S>
void store_rows(S* to, int64_t row, int64_t col, const ChainType<S>* from, int64_t from_row, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if constexpr (kComplex<S>) to[i * row + j * col] = S(from[i * from_row + 2 * j], from[i * from_row + 2 * j + 1]);
      else to[i * row + j * col] = static_cast<S>(from[i * from_row + j]);
    }
}

// A thread's working memory. It grows to the largest task's and is freed when the thread ends. Null if there is no more memory.
char* scratch(int64_t bytes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_key_t key;  // its destructor frees the memory
  static bool have_key = false;
  thread_local constinit char* memory = nullptr;
  thread_local constinit int64_t size = 0;
  if (bytes <= size) return memory;
  pthread_once(&once, [] { have_key = pthread_key_create(&key, std::free) == 0; });
  if (!have_key) return nullptr;
  std::free(memory);
  memory = take_memory(bytes);
  size = memory ? bytes : 0;
  if (pthread_setspecific(key, memory) == 0) return memory;
  std::free(memory);
  return size = 0, memory = nullptr;
}

// ---- products with a b larger than the caches ----

// c[r, 0:n] continues its chain over kDepth whole rows of b. The processor prefetches a few long streams well, but not the short pieces of many rows that
// the generated kernels read. The chain of fused multiply-adds is the same, and so are the bits.
template <int kHeight, int kDepth>
struct StreamedRows {
  template <class T>
  [[gnu::always_inline]] static void run(T* c, int64_t c_row, const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row,
                                         int64_t n) {
    T factor[kHeight][kDepth];
    for (int r = 0; r < kHeight; ++r)
      for (int p = 0; p < kDepth; ++p) factor[r][p] = a[r * a_row + p * a_col];
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j)
      for (int r = 0; r < kHeight; ++r) {
        T chain = c[r * c_row + j];
        for (int p = 0; p < kDepth; ++p) chain = std::fma(factor[r][p], b[p * b_row + j], chain);
        c[r * c_row + j] = chain;
      }
  }
};

template <int kHeight, class T>
void stream_rows(T* c, int64_t c_row, const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row, int64_t k, int64_t n) {
  for (int r = 0; r < kHeight; ++r) std::fill_n(c + r * c_row, n, T(0));
  int64_t p = 0;
  for (; p + kStreamedDepth <= k; p += kStreamedDepth)
    run_clone<StreamedRows<kHeight, kStreamedDepth>>(c, c_row, a + p * a_col, a_row, a_col, b + p * b_row, b_row, n);
  for (; p < k; ++p) run_clone<StreamedRows<kHeight, 1>>(c, c_row, a + p * a_col, a_row, a_col, b + p * b_row, b_row, n);
}

// ---- the driver; sizes count reals, of which a complex element has two ----

class Driver {
 public:
  explicit Driver(const Matmul& product)
      : product_(product),
        kernels_(product.packed    ? *product.packed->kernels()
                 : product.kernels ? *product.kernels
                                   : matmul_kernels(chain_type(product.type))),
        parts_(parts(product.type)),
        real_(element_size(chain_type(product.type))),
        size_(element_size(product.type)),
        panel_(kernels_.columns),
        m_(product.m),
        n_(product.n * parts_),
        k_(product.k * parts_) {
    const bool stored_as_chain = size_ == real_ * parts_;
    a_direct_ = stored_as_chain && (product.a_col == 1 || product.k == 1);
    c_direct_ = stored_as_chain && (product.c_col == 1 || product.n == 1);
    b_direct_ = !product.packed && stored_as_chain && parts_ == 1 && product.b_col == 1 && m_ <= most_direct_rows();
    const bool few = m_ <= kernels_.rows;
    const int64_t depth = product.packed ? (few ? kDepthOnce : kDepthPacked) : few && !b_direct_ ? kDepthFew : kDepth;
    depth_ = even_part(k_, depth * 4 / real_, 4);
    step_rows_ = even_part(m_, kRows, kernels_.rows);
    for (const MatmulBatch& dim : product.batch) batches_ *= dim.size;
    streamed_ = !product.packed && stored_as_chain && parts_ == 1 && product.b_col == 1 && c_direct_ && !product.bias &&
                m_ <= kStreamedRows && kernels_.isa >= static_cast<int32_t>(Isa::v3) &&
                work_of(1) * static_cast<double>(real_) >= kStreamedBytes;
    choose_tasks();
    chunk_ = kChunkPanels * panel_;
  }

  int64_t tasks() const { return batches_ * row_tasks_ * column_tasks_; }
  // The tasks that a thread takes at once. A small product stays on one thread.
  int64_t grain() const { return divide_up(tasks(), shares_of(kThreadWork, 1e9)); }

  // False if there is not enough memory.
  bool run(int64_t task) const {
    OutputBlock block;
    const int64_t column = task % column_tasks_, row = task / column_tasks_ % row_tasks_, batch = task / column_tasks_ / row_tasks_;
    block.i = row * task_rows_, block.rows = std::min(task_rows_, m_ - block.i);
    block.j = column * task_columns_, block.columns = std::min(task_columns_, n_ - block.j);
    if (block.rows <= 0 || block.columns <= 0) return true;
    locate(block, batch);
    if (streamed_) return stream(block), true;
    if (!take_scratch(block)) return false;
    const int64_t depth = std::max<int64_t>(k_, 1);  // a product without links is zero
    for (int64_t p = 0; p < depth; p += depth_)
      for (int64_t i = 0; i < block.rows; i += step_rows_) step(block, i, p, std::min(depth_, k_ - p));
    return true;
  }

 private:
  // A task: rows [i, i + rows) and columns [j, j + columns) of one matrix of the batch.
  struct OutputBlock {
    int64_t i, rows, j, columns, batch;
    const char *a, *b;  // the whole matrices
    char* c;
    char* acc;  // element (i, j) of the accumulators
    int64_t acc_row;
    char *a_memory, *b_memory;
  };

  // The largest number of rows of a for which b is read without packing. If rows of b are a multiple of a page apart, all lines of a panel fall into a few
  // sets of the caches, so with more rows of a packing pays. A panel with two cache lines for each row suffers less than one with one line.
  int64_t most_direct_rows() const {
    if (product_.b_row * size_ % 4096 != 0) return INT64_MAX;
    return panel_ * real_ > 64 ? 256 : 32;
  }

  // The links of the whole batch for this many rows of a.
  double work_of(int64_t rows) const {
    return static_cast<double>(batches_) * static_cast<double>(rows) * static_cast<double>(n_) * static_cast<double>(k_);
  }

  // The number of shares of about `least` links, at least one; one and a half count as two.
  int64_t shares_of(int64_t least, double most) const {
    const double shares = work_of(std::max(m_, kLeastRows)) / static_cast<double>(least);
    return static_cast<int64_t>(std::clamp(shares + 0.5, 1.0, most));
  }

  void choose_tasks() {
    task_rows_ = even_part(m_, kTaskRows, kernels_.rows);
    task_columns_ = even_part(n_, b_direct_ ? kSweptColumns : kTaskColumns, panel_);
    const int64_t wanted = shares_of(kTaskWork, kTasks);
    auto count = [&] { return row_tasks_ = divide_up(m_, task_rows_), column_tasks_ = divide_up(n_, task_columns_), tasks(); };
    const bool packs = !b_direct_ && !product_.packed;
    while (count() < wanted) {
      const bool few = !packs && tasks() < kFewTasks && task_rows_ >= 2 * kFewTaskRows;
      if (task_rows_ >= 2 * kLeastTaskRows && task_rows_ >= task_columns_)
        task_rows_ = even_part(m_, divide_up(task_rows_, 2), kernels_.rows);
      else if (task_columns_ > kLeastTaskPanels * panel_)
        task_columns_ = even_part(n_, std::max(divide_up(task_columns_, 2), kLeastTaskPanels * panel_), panel_);
      else if (few) task_rows_ = even_part(m_, divide_up(task_rows_, 2), kernels_.rows);
      else break;
    }
  }

  void locate(OutputBlock& block, int64_t batch) const {
    block.batch = batch;
    int64_t a = 0, b = 0, c = 0;
    for (size_t d = product_.batch.size(); d-- > 0;) {
      const MatmulBatch& dim = product_.batch[d];
      const int64_t index = batch % dim.size;
      batch /= dim.size;
      a += index * dim.a, b += index * dim.b, c += index * dim.c;
    }
    block.a = static_cast<const char*>(product_.a) + a * size_;
    block.b = static_cast<const char*>(product_.b) + b * size_;
    block.c = static_cast<char*>(product_.c) + c * size_;
  }

  void stream(const OutputBlock& block) const {
    auto rows = [&](auto zero) {
      using T = decltype(zero);
      const auto* a = reinterpret_cast<const T*>(block.a) + block.i * product_.a_row;
      auto* c = reinterpret_cast<T*>(block.c) + block.i * product_.c_row + block.j;
      (block.rows == 1 ? stream_rows<1, T> : stream_rows<2, T>)(c, product_.c_row, a, product_.a_row, product_.a_col,
                                                                reinterpret_cast<const T*>(block.b) + block.j, product_.b_row, k_,
                                                                block.columns);
    };
    if (real_ == 4) rows(0.0F);
    else rows(0.0);
  }

  // The columns of b that are packed at once: all of a block if several steps of rows use them.
  int64_t chunk_columns(const OutputBlock& block) const { return block.rows > step_rows_ ? round_up(block.columns, chunk_) : chunk_; }

  bool take_scratch(OutputBlock& block) const {
    const int64_t a_bytes = a_direct_ ? 0 : step_rows_ * a_memory_row();
    const int64_t b_bytes = product_.packed ? 0 : depth_ * chunk_columns(block) * real_;
    const int64_t acc_row = round_up(block.columns * real_, 64);
    char* memory = scratch(a_bytes + b_bytes + (c_direct_ ? 0 : block.rows * acc_row));
    if (memory == nullptr && a_bytes + b_bytes + (c_direct_ ? 0 : 1) > 0) return false;
    block.b_memory = memory, block.a_memory = memory + b_bytes;
    block.acc = c_direct_ ? block.c + (block.i * product_.c_row * parts_ + block.j) * real_ : memory + b_bytes + a_bytes;
    block.acc_row = c_direct_ ? product_.c_row * size_ : acc_row;
    return true;
  }

  int64_t a_memory_row() const { return round_up(depth_ * real_, 64) + 64; }  // the odd cache line keeps rows from evicting each other

  // Computes rows [i, i + step_rows_) of the block with links [p, p + depth), all columns.
  void step(const OutputBlock& block, int64_t i, int64_t p, int64_t depth) const {
    const int64_t rows = std::min(step_rows_, block.rows - i);
    int64_t a_row = product_.a_row * size_;
    const char* a = block.a + (block.i + i) * a_row + p * real_;
    if (!a_direct_) {
      const char* from = block.a + ((block.i + i) * product_.a_row + p / parts_ * product_.a_col) * size_;
      dispatch_chain(product_.type, [&](auto zero) {
        using S = decltype(zero);
        using Real = ChainType<S>;
        pack_rows(reinterpret_cast<Real*>(block.a_memory), a_memory_row() / real_, reinterpret_cast<const S*>(from), rows, depth / parts_,
                  product_.a_row, product_.a_col);
      });
      a = block.a_memory, a_row = a_memory_row();
    }
    const int64_t height = divide_up(rows, divide_up(rows, kernels_.rows));
    for (int64_t j = 0; j < block.columns;) {
      const int64_t n = std::min(width(block, height, j), block.columns - j);
      columns(block, a, a_row, i, rows, j, n, p, depth);
      j += n;
    }
    if (!c_direct_ && p + depth >= k_) store(block, i, rows);
  }

  // The columns of the kernel call at column j: as many contiguous panels as there is a kernel for with this number of rows.
  int64_t width(const OutputBlock& block, int64_t height, int64_t j) const {
    const int64_t columns = block.columns - j;
    int64_t panels = b_direct_ ? columns / panel_ : divide_up(columns, panel_);
    if (!b_direct_ && !product_.packed) panels = std::min(panels, kChunkPanels - j / panel_ % kChunkPanels);
    panels = std::clamp<int64_t>(panels, 1, kMaxMatmulPanels);
    while (panels > 1 && !kernels_.blocks[height - 1][panels - 1]) --panels;
    return panels * panel_;
  }

  struct Panels {
    const char* data;
    int64_t row, panel;
    int64_t ahead;
  };

  // Computes columns [j, j + n) of the block; n is at most width().
  void columns(const OutputBlock& block, const char* a, int64_t a_row, int64_t i, int64_t rows, int64_t j, int64_t n, int64_t p,
               int64_t depth) const {
    const Panels b = panels(block, i, j, n, p, depth);
    char* c = block.acc + i * block.acc_row + j * real_;
    const int64_t resume = p != 0, count = divide_up(n, panel_);
    const char* bias = product_.bias && p + depth >= k_ ? static_cast<const char*>(product_.bias) + (block.j + j) * real_ : nullptr;
    // Groups of nearly equal size: a last group of few rows would not keep the multipliers busy.
    const int64_t groups = divide_up(rows, kernels_.rows);
    const EqualParts heights(rows, groups);
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t height = heights.size(g);
      kernels_.blocks[height - 1][count - 1](depth, a, a_row, b.data, b.row, b.panel, b.ahead, c, block.acc_row, n, resume, bias);
      a += height * a_row, c += height * block.acc_row;
    }
  }

  // The panels at column j. If they must be packed, the first rows of the block pack a chunk of panels at its first one.
  Panels panels(const OutputBlock& block, int64_t i, int64_t j, int64_t n, int64_t p, int64_t depth) const {
    const int64_t row = panel_ * real_;
    if (product_.packed) return {product_.packed->data() + ((block.j + j) * k_ + p * panel_) * real_, row, k_ * row, 16 * row};
    const char* from = block.b + (p / parts_ * product_.b_row + (block.j + j) / parts_ * product_.b_col) * size_;
    if (b_direct_ && n % panel_ == 0) return {from, product_.b_row * size_, row, n * real_};
    const int64_t chunk = chunk_columns(block), start = b_direct_ ? 0 : j % chunk;
    if (start == 0 && i == 0)
      dispatch_chain(product_.type, [&](auto zero) {
        using S = decltype(zero);
        using Real = ChainType<S>;
        pack_panels(kernels_, reinterpret_cast<Real*>(block.b_memory), reinterpret_cast<const S*>(from), depth / parts_,
                    std::min(chunk, block.columns - j) / parts_, product_.b_row, product_.b_col);
      });
    return {block.b_memory + start * depth * real_, row, depth * row, 0};
  }

  // Called when rows [i, i + rows) of the block are complete.
  void store(const OutputBlock& block, int64_t i, int64_t rows) const {
    const char* acc = block.acc + i * block.acc_row;
    char* c = block.c + ((block.i + i) * product_.c_row + block.j / parts_ * product_.c_col) * size_;
    dispatch_chain(product_.type, [&](auto zero) {
      using S = decltype(zero);
      store_rows(reinterpret_cast<S*>(c), product_.c_row, product_.c_col, reinterpret_cast<const ChainType<S>*>(acc), block.acc_row / real_,
                 rows, block.columns / parts_);
    });
  }

  const Matmul& product_;
  const MatmulKernels& kernels_;
  int64_t parts_, real_, size_, panel_;
  int64_t m_, n_, k_;
  bool a_direct_, b_direct_, c_direct_;
  bool streamed_;  // whether few rows use a b that is larger than the caches
  int64_t depth_, step_rows_, task_rows_, task_columns_, row_tasks_, column_tasks_;
  int64_t chunk_;  // the columns of b that are packed at once
  int64_t batches_ = 1;
};

// Integers wrap: sums are unsigned, with the bits of the result's dtype. For bool, a sum is "or" and a product "and".
template <class T>
using WrappingSum = std::conditional_t<std::is_same_v<T, bool>, bool, std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>>;

// kColumns columns of one row of the product; their sums stay in registers of kLanes elements.
template <int kColumns, class T, class Sum>
[[gnu::always_inline]] inline void sum_columns(const Matmul& x, const T* a, const T* b, T* c) {
  constexpr int kLanes = 32 / sizeof(Sum), kParts = kColumns / kLanes;
  typedef Sum Lanes __attribute__((vector_size(32)));
  typedef T Row __attribute__((vector_size(kLanes * sizeof(T))));
  Lanes sums[kParts] = {};
  for (int64_t p = 0; p < x.k; ++p) {
    const Sum u = static_cast<Sum>(a[p * x.a_col]);
    for (int part = 0; part < kParts; ++part) {
      Row row;
      std::memcpy(&row, b + p * x.b_row + part * kLanes, sizeof row);
      sums[part] += u * __builtin_convertvector(row, Lanes);
    }
  }
  for (int j = 0; j < kColumns; ++j) c[j * x.c_col] = static_cast<T>(sums[j / kLanes][j % kLanes]);
}

struct PlainRows {
  template <class T>
  [[gnu::always_inline]] static void run(const Matmul* x, const T* a, const T* b, T* c, int64_t rows) {
    using Sum = WrappingSum<T>;
    constexpr int kColumns = 256 / sizeof(Sum);  // the columns of eight registers
    for (int64_t i = 0; i < rows; ++i, a += x->a_row, c += x->c_row) {
      int64_t j = 0;
      if constexpr (!std::is_same_v<T, bool>)
        if (x->b_col == 1) {
          for (; j + kColumns <= x->n; j += kColumns) sum_columns<kColumns, T, Sum>(*x, a, b + j, c + j * x->c_col);
          constexpr int kFew = kColumns / 8;
          for (; j + kFew <= x->n; j += kFew) sum_columns<kFew, T, Sum>(*x, a, b + j, c + j * x->c_col);
          if (j < x->n && x->n >= kFew) {  // the last columns, computed together with some before them once more
            j = x->n - kFew;
            sum_columns<kFew, T, Sum>(*x, a, b + j, c + j * x->c_col);
            continue;
          }
        }
      for (; j < x->n; ++j) {
        Sum sum = 0;
        const T* column = b + j * x->b_col;
        if (x->a_col == 1 && x->b_row == 1) {
          for (int64_t p = 0; p < x->k; ++p) {
            if constexpr (std::is_same_v<T, bool>) sum |= a[p] & column[p];
            else sum += static_cast<Sum>(a[p]) * static_cast<Sum>(column[p]);
          }
        } else {
          for (int64_t p = 0; p < x->k; ++p) {
            if constexpr (std::is_same_v<T, bool>) sum |= a[p * x->a_col] & column[p * x->b_row];
            else sum += static_cast<Sum>(a[p * x->a_col]) * static_cast<Sum>(column[p * x->b_row]);
          }
        }
        c[j * x->c_col] = static_cast<T>(sum);
      }
    }
  }
};

template <class T>
void plain_product(const Matmul& x, const T* a, const T* b, T* c) {
  parallel_for(0, x.m, grain(1, std::max<int64_t>(1, x.n * x.k)),
               [&](int64_t begin, int64_t end) { run_clone<PlainRows>(&x, a + begin * x.a_row, b, c + begin * x.c_row, end - begin); });
}

void plain_products(const Matmul& x) {
  int64_t batches = 1;
  for (const MatmulBatch& dim : x.batch) batches *= dim.size;
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t rest = batch, a = 0, b = 0, c = 0;
    for (size_t d = x.batch.size(); d-- > 0; rest /= x.batch[d].size) {
      const int64_t index = rest % x.batch[d].size;
      a += index * x.batch[d].a, b += index * x.batch[d].b, c += index * x.batch[d].c;
    }
    dispatch(x.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        plain_product(x, static_cast<const T*>(x.a) + a, static_cast<const T*>(x.b) + b, static_cast<T*>(x.c) + c);
    });
  }
}

}  // namespace

const MatmulKernels& matmul_kernels(DType type, Isa isa) {
  if (const MatmulKernels* generated = generated_matmul_kernels(type, isa)) return *generated;
  return type == DType::f64 ? kPortable<double, DType::f64> : kPortable<float, DType::f32>;
}

int64_t PackedMatrix::bytes_for(DType type, int64_t k, int64_t n, const MatmulKernels& kernels) {
  return round_up(n * parts(type), kernels.columns) * k * parts(type) * element_size(chain_type(type));
}

void PackedMatrix::pack_into(void* memory, DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                             const MatmulKernels& kernels) {
  dispatch_chain(type, [&](auto zero) {
    using S = decltype(zero);
    pack_panels(kernels, static_cast<ChainType<S>*>(memory), static_cast<const S*>(data), k, n, row, col);
  });
}

PackedMatrix PackedMatrix::over(DType type, const void* packed, int64_t k, int64_t n, const MatmulKernels& kernels) {
  PackedMatrix matrix;
  matrix.type_ = type, matrix.k_ = k, matrix.n_ = n, matrix.kernels_ = &kernels;
  matrix.bytes_ = bytes_for(type, k, n, kernels);
  matrix.data_ = static_cast<const char*>(packed);
  return matrix;
}

PackedMatrix PackedMatrix::try_pack(DType type, const void* data, int64_t k, int64_t n, int64_t row, int64_t col,
                                    const MatmulKernels* kernels) {
  if (!kernels) kernels = &matmul_kernels(chain_type(type));
  char* memory = take_memory(bytes_for(type, k, n, *kernels));
  if (memory == nullptr) return {};
  pack_into(memory, type, data, k, n, row, col, *kernels);
  PackedMatrix packed = over(type, memory, k, n, *kernels);
  packed.owned_ = memory;
  return packed;
}

PackedMatrix::~PackedMatrix() { std::free(owned_); }

void PackedMatrix::swap(PackedMatrix& other) noexcept {
  std::swap(data_, other.data_), std::swap(owned_, other.owned_), std::swap(k_, other.k_), std::swap(n_, other.n_);
  std::swap(bytes_, other.bytes_), std::swap(type_, other.type_), std::swap(kernels_, other.kernels_);
}

// The same product as c^T = b^T a^T; its batch goes to `batch`. The bits are the same, since fma(a, b, acc) equals fma(b, a, acc).
Matmul transposed(const Matmul& x, std::span<MatmulBatch> batch) {
  Matmul t = x;
  t.m = x.n, t.n = x.m;
  t.a = x.b, t.a_row = x.b_col, t.a_col = x.b_row;
  t.b = x.a, t.b_row = x.a_col, t.b_col = x.a_row;
  t.c_row = x.c_col, t.c_col = x.c_row;
  std::transform(x.batch.begin(), x.batch.end(), batch.begin(), [](const MatmulBatch& d) { return MatmulBatch{d.size, d.b, d.a, d.c}; });
  t.batch = batch.first(x.batch.size());
  return t;
}

// A panel would be mostly empty with few columns, so matrix times vector is computed as vector times transposed matrix.
constexpr size_t kMostBatchDims = 8;
bool worth_transposing(const Matmul& x) {
  return x.n <= kFewColumns && x.n < x.m && !x.packed && !x.bias && is_floating(x.type) && x.batch.size() <= kMostBatchDims;
}

bool try_matmul(const Matmul& product) {
  if (product.m <= 0 || product.n <= 0) return true;
  if (!is_floating(product.type) && !is_complex(product.type)) return plain_products(product), true;
  // An empty operand may have a null pointer; offsets are added to it, but it is never read.
  static constexpr char kNothing[64] = {};
  std::array<MatmulBatch, kMostBatchDims> batch;
  Matmul given = worth_transposing(product) ? transposed(product, batch) : product;
  if (!given.a) given.a = kNothing;
  if (!given.b) given.b = kNothing;
  const Driver driver(given);
  std::atomic<bool> whole{true};
  parallel_for(0, driver.tasks(), driver.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task)
      if (!driver.run(task)) whole.store(false, std::memory_order_relaxed);
  });
  return whole.load(std::memory_order_relaxed);
}

}  // namespace monograph

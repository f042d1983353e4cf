// The six OpenMP functions run on a Gang of the pool; primitives are cached by shape and number of threads.
#include "onednn/onednn.h"

#include "core/error.h"
#include "core/threads/pool.h"

#ifdef MONOGRAPH_ONEDNN  // set by bench/onednn/OneDnn.cmake

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "onednn/omp_table.h"

namespace monograph::onednn {
namespace {

// --- OpenMP's six functions on the pool

// What OpenMP calls see in this thread. A primitive is made for a number of threads and runs on exactly that many, since some contain barriers:
// so the gang is taken first, and max_threads, which oneDNN plans by, is the gang's size.
struct Omp {
  Gang* gang = nullptr;
  int max_threads = 1;
  int rank = 0, size = 1;  // in the current region
};
thread_local constinit Omp omp;

// Sets what the calls see for a while, also within somebody's region.
class OmpScope {
 public:
  explicit OmpScope(const Omp& now) : before_(omp) { omp = now; }
  ~OmpScope() { omp = before_; }
  OmpScope(const OmpScope&) = delete;
  OmpScope& operator=(const OmpScope&) = delete;

 private:
  Omp before_;
};

void omp_parallel(void (*function)(void*), void* data, unsigned threads, unsigned) {
  const int wanted = threads == 0 ? omp.max_threads : static_cast<int>(threads);
  if (wanted == 1 || omp.size > 1) {  // a nested region has one thread, as OpenMP's have by default
    OmpScope scope({omp.gang, omp.max_threads, 0, 1});
    function(data);
    return;
  }
  MONOGRAPH_ASSERT(omp.gang != nullptr && wanted <= omp.gang->size());
  Gang* gang = omp.gang;
  const int max_threads = omp.max_threads;
  gang->run(wanted, [&](int rank, int size) {
    OmpScope scope({gang, max_threads, rank, size});
    function(data);
  });
}
void omp_barrier() {
  if (omp.size > 1) omp.gang->barrier();
}
constexpr monograph_omp_table kOmp = {omp_parallel,
                                      omp_barrier,
                                      [] { return omp.max_threads; },
                                      [] { return omp.size; },
                                      [] { return omp.rank; },
                                      [] { return omp.size > 1 ? 1 : 0; }};

// --- the library

// oneDNN's functions that we call; the copy exports them under the prefix monograph_, so a libdnnl of the host's never mixes with it.
// clang-format off
#define MONOGRAPH_ONEDNN_FUNCTIONS(X) \
  X(version) X(engine_create) X(stream_create) X(stream_wait) X(memory_desc_init_by_strides) X(memory_desc_get_size) \
  X(memory_create) X(memory_destroy) X(matmul_desc_init) X(primitive_attr_create) X(primitive_attr_set_scratchpad_mode) \
  X(primitive_attr_destroy) X(primitive_desc_create) X(primitive_desc_query_md) X(primitive_desc_destroy) X(primitive_create) \
  X(primitive_execute) X(primitive_destroy)
// clang-format on

struct OneDnnFunctions {
#define X(name) decltype(&::dnnl_##name) name = nullptr;
  MONOGRAPH_ONEDNN_FUNCTIONS(X)
#undef X
  dnnl_engine_t engine = nullptr;
};

void check(dnnl_status_t status, std::string_view what) {
  MONOGRAPH_CHECK(status == dnnl_success, Runtime, "oneDNN: ", what, " failed with status ", static_cast<int>(status));
}

struct ProductShape {
  int64_t M, N, K, lda, ldb, ldc;
  int threads;
  bool operator==(const ProductShape&) const = default;
};

struct OneDnnMatmul {
  const OneDnnFunctions& library;
  dnnl_memory_desc_t a{}, b{}, c{}, scratchpad{};
  size_t scratchpad_bytes = 0;
  dnnl_primitive_t primitive = nullptr;

  OneDnnMatmul(const OneDnnFunctions& library, const ProductShape& shape);
  ~OneDnnMatmul() { library.primitive_destroy(primitive); }
  OneDnnMatmul(const OneDnnMatmul&) = delete;
  OneDnnMatmul& operator=(const OneDnnMatmul&) = delete;
};

// One lock for loading and for making primitives. A fork waits for it, so that a child finds both whole; running a primitive takes no lock of
// the library.
constinit std::mutex mutex;
constinit bool tried = false;
constinit const OneDnnFunctions* loaded = nullptr;  // kept for the life of the process
constinit std::string* failure = nullptr;

struct CachedMatmul {
  ProductShape shape;
  std::shared_ptr<const OneDnnMatmul> matmul;
};
constexpr size_t kMatmuls = 64;
constinit std::vector<CachedMatmul>* matmuls = nullptr;  // most recently used last

[[gnu::constructor]] void watch_forks() {
  pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
}

// The folder of the file that this code is in: the program, the extension or the shared library.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&watch_forks), &info) == 0 || info.dli_fname == nullptr) return ".";
  // For the program itself dladdr answers argv[0], which may be any word; and either may be a symbolic link.
  const bool program = getauxval(AT_PHDR) - reinterpret_cast<uintptr_t>(info.dli_fbase) < 4096;
  std::error_code failed;
  const auto file = std::filesystem::canonical(program ? "/proc/self/exe" : info.dli_fname, failed);
  return failed ? "." : file.parent_path().string();
}

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

// Loads both libraries from `folder`; says why not in `why`.
const OneDnnFunctions* load_from(const std::string& folder, std::string& why) {
  // The first is in the process when the second asks for it by name, so no search path is needed.
  void* shim = dlopen((folder + "/libmonograph_omp.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (shim == nullptr) return why = last_error(), nullptr;
  const auto set = reinterpret_cast<monograph_omp_set_function>(dlsym(shim, "monograph_omp_set"));
  if (set == nullptr) return why = last_error(), nullptr;
  set(&kOmp);
  void* dnnl = dlopen((folder + "/libmonograph_dnnl.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (dnnl == nullptr) return why = last_error(), nullptr;
  auto library = std::make_unique<OneDnnFunctions>();
#define X(name) \
  library->name = reinterpret_cast<decltype(library->name)>(dlsym(dnnl, "monograph_dnnl_" #name)); \
  if (library->name == nullptr) return why = last_error(), nullptr;
  MONOGRAPH_ONEDNN_FUNCTIONS(X)
#undef X
  const dnnl_version_t* version = library->version();
  if (version->major != DNNL_VERSION_MAJOR) return why = concat("version ", version->major, " is not the one built for"), nullptr;
  if (library->engine_create(&library->engine, dnnl_cpu, 0) != dnnl_success) return why = "no CPU engine", nullptr;
  return library.release();
}

// Under the lock.
const OneDnnFunctions* find_library() {
  if (tried) return loaded;
  tried = true;
  std::vector<std::string> folders;
  if (const char* folder = std::getenv("MONOGRAPH_ONEDNN_DIR")) {
    folders = {folder};
  } else {
    const std::string own = own_folder();
    folders = {own, own + "/lib", own + "/../lib"};
  }
  failure = new std::string;
  for (const std::string& folder : folders) {
    std::string why;
    loaded = load_from(folder, why);
    if (loaded != nullptr) break;
    *failure += (failure->empty() ? "" : "; ") + why;
  }
  return loaded;
}

// --- products

OneDnnMatmul::OneDnnMatmul(const OneDnnFunctions& library, const ProductShape& s) : library(library) {
  auto describe = [&](dnnl_memory_desc_t& md, int64_t rows, int64_t columns, int64_t stride) {
    const dnnl_dims_t dims = {rows, columns}, strides = {stride, 1};
    check(library.memory_desc_init_by_strides(&md, 2, dims, dnnl_f32, strides), "memory_desc_init_by_strides");
  };
  describe(a, s.M, s.K, s.lda);
  describe(b, s.K, s.N, s.ldb);
  describe(c, s.M, s.N, s.ldc);
  dnnl_matmul_desc_t desc;
  check(library.matmul_desc_init(&desc, &a, &b, nullptr, &c), "matmul_desc_init");
  // The scratchpad is the caller's, so that one primitive can run in many threads at once.
  dnnl_primitive_attr_t attr = nullptr;
  check(library.primitive_attr_create(&attr), "primitive_attr_create");
  dnnl_primitive_desc_t pd = nullptr;
  dnnl_status_t status = library.primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
  if (status == dnnl_success) status = library.primitive_desc_create(&pd, &desc, attr, library.engine, nullptr);
  library.primitive_attr_destroy(attr);
  check(status, "primitive_desc_create");
  scratchpad = *library.primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  scratchpad_bytes = library.memory_desc_get_size(&scratchpad);
  status = library.primitive_create(&primitive, pd);
  library.primitive_desc_destroy(pd);
  check(status, "primitive_create");
}

std::shared_ptr<const OneDnnMatmul> find_matmul(const ProductShape& shape) {
  std::lock_guard lock(mutex);
  const OneDnnFunctions* library = find_library();
  MONOGRAPH_CHECK(library != nullptr, Runtime, "oneDNN is not available: ", *failure);
  if (matmuls == nullptr) matmuls = new std::vector<CachedMatmul>;
  const auto found = std::find_if(matmuls->begin(), matmuls->end(), [&](const CachedMatmul& entry) { return entry.shape == shape; });
  if (found != matmuls->end()) {
    std::rotate(found, found + 1, matmuls->end());
    return matmuls->back().matmul;
  }
  auto made = std::make_shared<const OneDnnMatmul>(*library, shape);
  if (matmuls->size() == kMatmuls) matmuls->erase(matmuls->begin());
  matmuls->push_back({shape, made});
  return made;
}

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
// This thread's scratchpad, grown to the largest one asked for.
void* scratchpad_of(size_t bytes) {
  thread_local std::unique_ptr<void, FreeDeleter> buffer;
  thread_local size_t size = 0;
  constexpr size_t kPage = 4096;
  if (size < bytes) {
    const size_t rounded = (bytes + kPage - 1) / kPage * kPage;
    size = 0;
    buffer.reset(std::aligned_alloc(kPage, rounded));
    if (!buffer) throw std::bad_alloc();
    size = rounded;
  }
  return buffer.get();
}

class Memory {
 public:
  Memory(const OneDnnFunctions& library, const dnnl_memory_desc_t& md, const void* data) : library_(library) {
    check(library.memory_create(&memory_, &md, library.engine, const_cast<void*>(data)), "memory_create");
  }
  ~Memory() { library_.memory_destroy(memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  dnnl_memory_t get() const { return memory_; }

 private:
  const OneDnnFunctions& library_;
  dnnl_memory_t memory_ = nullptr;
};

void execute(const OneDnnMatmul& matmul, const float* A, const float* B, float* C) {
  const OneDnnFunctions& library = matmul.library;
  thread_local dnnl_stream_t stream = nullptr;  // as long-lived as the library: a few bytes a thread
  if (stream == nullptr) check(library.stream_create(&stream, library.engine, dnnl_stream_default_flags), "stream_create");
  const Memory a(library, matmul.a, A), b(library, matmul.b, B), c(library, matmul.c, C);
  const Memory scratchpad(library, matmul.scratchpad, scratchpad_of(matmul.scratchpad_bytes));
  const dnnl_exec_arg_t args[] = {
      {DNNL_ARG_SRC, a.get()}, {DNNL_ARG_WEIGHTS, b.get()}, {DNNL_ARG_DST, c.get()}, {DNNL_ARG_SCRATCHPAD, scratchpad.get()}};
  check(library.primitive_execute(matmul.primitive, stream, static_cast<int>(std::size(args)), args), "primitive_execute");
  check(library.stream_wait(stream), "stream_wait");
}

}  // namespace

bool built() { return true; }

bool available() {
  std::lock_guard lock(mutex);
  return find_library() != nullptr;
}

std::string status() {
  std::lock_guard lock(mutex);
  const OneDnnFunctions* library = find_library();
  if (library == nullptr) return *failure;
  const dnnl_version_t* version = library->version();
  return concat("oneDNN ", version->major, ".", version->minor, ".", version->patch);
}

void matmul_f32(int64_t M, int64_t N, int64_t K, const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                int threads) {
  MONOGRAPH_ASSERT(M >= 0 && N >= 0 && K >= 0 && lda >= K && ldb >= N && ldc >= N && threads >= 0);
  if (M == 0 || N == 0) return;
  if (K == 0) {
    for (int64_t i = 0; i < M; ++i) std::fill_n(C + i * ldc, N, 0.0f);
    return;
  }
  const int most = num_threads();
  Gang gang(threads == 0 ? most : std::min(threads, most));
  const int size = gang ? gang.size() : 1;
  OmpScope scope({size > 1 ? &gang : nullptr, size, 0, 1});
  execute(*find_matmul({M, N, K, lda, ldb, ldc, size}), A, B, C);
}

}  // namespace monograph::onednn

#else

namespace monograph::onednn {

bool built() { return false; }
bool available() { return false; }
std::string status() { return "built without oneDNN"; }
void matmul_f32(int64_t, int64_t, int64_t, const float*, int64_t, const float*, int64_t, float*, int64_t, int) {
  fail(ErrorKind::Runtime, "oneDNN is not available: ", status());
}

}  // namespace monograph::onednn

#endif

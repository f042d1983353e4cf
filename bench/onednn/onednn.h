// oneDNN on our thread pool, the yardstick for our own products; nothing that is shipped uses it. It is loaded at the first use and never linked;
// everything else works without it. Its results are within the bound of docs/numerics.md, not bit-equal to ours.
#pragma once

#include <cstdint>
#include <string>

namespace monograph::onednn {

// True if this build made the private copy of libdnnl (bench/onednn/OneDnn.cmake).
bool built();
// True if the copy is there and loads; tried once.
bool available();
// "oneDNN 2.6.3", or why it is not available.
std::string status();

// C[M,N] = A[M,K] B[K,N], rows `lda`, `ldb`, `ldc` elements apart. Runs on at most `threads` threads (0: num_threads()) of the pool: all of
// them at once, or the calling thread alone while the pool is busy or in a parallel region. Primitives are kept for the last shapes and thread
// counts; a call may allocate.
void matmul_f32(int64_t M, int64_t N, int64_t K, const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                int threads = 0);

}  // namespace monograph::onednn

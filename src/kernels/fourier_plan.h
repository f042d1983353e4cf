// Discrete Fourier transforms of lines of n complex numbers, for any n:
//
//   y[j] = sum over k of x[k] exp(-2 pi i j k / n)
//
// Several lines are transformed side by side: element k of line l stands at k * lines + l, real and imaginary parts in arrays of their own, so that
// every loop runs over neighbours. What a line gives does not depend on the lines beside it.
//
// Sizes whose prime factors are small go by Stockham's decimation in frequency, which needs no reordering, with factors 4, 2, 3, 5 and any other prime
// (Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, sections 1.7 and 2.1). Others are convolutions with a chirp, done by
// transforms of a larger size (Bluestein, 1970). The roots of unity are within 2 ulp of float64, and rounded once.
#pragma once

#include <cstdint>

namespace monograph {

// Real and imaginary parts.
template <class T>
struct SplitComplex {
  T* re;
  T* im;
  SplitComplex swapped() const { return {im, re}; }  // the other direction of a transform: exchange the parts before and after
  SplitComplex from(int64_t k) const { return {re + k, im + k}; }
};

// Hands out pieces of a block of memory, each at an address divisible by 64. Without a block it counts the bytes.
class PlanMemory {
 public:
  explicit PlanMemory(char* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* take(int64_t count) {
    char* at = memory_ ? memory_ + used_ : nullptr;
    used_ += (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return reinterpret_cast<T*>(at);
  }
  template <class T>
  SplitComplex<T> take_split(int64_t count) {
    T* re = take<T>(count);
    return {re, take<T>(count)};
  }
  int64_t used() const { return used_; }

 private:
  char* memory_;
  int64_t used_ = 0;
};

// The roots of unity of order n, exp(-2 pi i k / n) for 0 <= k < n, as products of two of about sqrt(n) stored ones.
class UnitRoots {
 public:
  UnitRoots(int64_t n, PlanMemory& room);
  void fill();
  struct Root {
    double re, im;
  };
  Root at(int64_t k) const;

 private:
  int64_t n_;
  int shift_ = 0;
  SplitComplex<double> low_{}, high_{};
};

// The tables of a transform of n numbers.
template <class T>
class FourierPlan {
 public:
  FourierPlan(int64_t n, PlanMemory& room);
  // Elements of a line that both arrays of transform() have room for.
  int64_t room() const { return work_; }
  // Computes the tables. `a` and `b` are scratch memory for one line.
  void fill(SplitComplex<T> a, SplitComplex<T> b);
  // Of lines in x; `spare` is scratch memory of the same size. The result lies in one of the two.
  SplitComplex<T> transform(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const;

 private:
  static constexpr int kMostStages = 64;
  struct Stage {
    int64_t radix, rest;  // the length before it is their product
    SplitComplex<T> twiddles;  // radix - 1 for each of `rest` places
    SplitComplex<T> circle;  // the roots of order radix, where no formula of its own is used
  };
  SplitComplex<T> run_stages(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const;
  void fill_stages();

  int64_t n_, work_;  // work_: of the stages; more than n_ where they convolve with a chirp
  UnitRoots roots_, chirp_roots_;
  int stage_count_ = 0;
  Stage stages_[kMostStages];
  SplitComplex<T> chirp_{}, spectrum_{};  // the chirp, and the transform of its conjugate
};

extern template class FourierPlan<float>;
extern template class FourierPlan<double>;

}  // namespace monograph

// Discrete Fourier transforms of lines of n complex numbers, for any n:
//
//   y[j] = sum over k of x[k] exp(-2 pi i j k / n)
//
// Several lines are transformed together: element k of line l is at k * lines + l, and real and imaginary parts are in separate arrays, so that every
// loop runs over contiguous memory. The result of a line does not depend on the other lines.
//
// Sizes with small prime factors use Stockham's decimation in frequency, which needs no reordering, with radices 4, 2, 3, 5 and any other prime
// (Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, sections 1.7 and 2.1). Other sizes are computed as convolutions with a
// chirp, by transforms of a larger size (Bluestein, 1970). The roots of unity are computed within 2 ulp of float64, then rounded once to T.
#pragma once

#include <cstdint>

#include "kernels/workspace.h"

namespace monograph {

// Complex numbers as two arrays of real and imaginary parts.
template <class T>
struct SplitComplex {
  T* re;
  T* im;
  SplitComplex swapped() const { return {im, re}; }  // a backward transform is a forward one with swapped input and output
  SplitComplex from(int64_t k) const { return {re + k, im + k}; }
};

// The arrays of `count` complex numbers.
template <class T>
SplitComplex<T> take_split(Workspace& workspace, int64_t count) {
  T* re = workspace.take<T>(count);
  return {re, workspace.take<T>(count)};
}

// The roots of unity of order n, exp(-2 pi i k / n) for 0 <= k < n. Each is a product of two numbers from tables of about sqrt(n) entries.
class UnitRoots {
 public:
  UnitRoots(int64_t n, Workspace& workspace);
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
  FourierPlan(int64_t n, Workspace& workspace);
  // The number of elements that each array of transform() must hold for a line; at least n.
  int64_t line_elements() const { return work_; }
  // Computes the tables. `a` and `b` are scratch memory for one line.
  void fill(SplitComplex<T> a, SplitComplex<T> b);
  // Transforms the lines in x. `spare` is scratch memory of the same size. Returns x or spare, the one that holds the result.
  SplitComplex<T> transform(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const;

 private:
  static constexpr int kMostStages = 64;
  struct Stage {
    int64_t radix, rest;  // the stage divides transforms of radix * rest elements into `radix` transforms of `rest` elements
    SplitComplex<T> twiddles;  // radix - 1 factors for each of `rest` positions
    SplitComplex<T> circle;  // the roots of unity of order `radix`; unused by the radices that have their own code
  };
  SplitComplex<T> run_stages(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const;
  void fill_stages();

  int64_t n_, work_;  // work_: the size that the stages transform; more than n_ if they convolve with a chirp
  UnitRoots roots_, chirp_roots_;
  int stage_count_ = 0;
  Stage stages_[kMostStages];
  SplitComplex<T> chirp_{}, spectrum_{};  // the chirp, and the transform of its conjugate
};

extern template class FourierPlan<float>;
extern template class FourierPlan<double>;

}  // namespace monograph

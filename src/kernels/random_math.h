// The Box-Muller transform with the roundings of PyTorch's CPU kernels, the same bits on every machine. Used by random.cpp only.
//
// float: Cephes' single-precision logf and sincosf (S. Moshier, 1984-1992: public constants) with a fused multiply-add wherever a
// product meets a sum. double: what PyTorch takes from the C library, which may not be called here: log correctly rounded by a table,
// log1p by Sun's fdlibm polynomial, sine and cosine by a table at multiples of 1/128 and the addition theorems, so that the last bit
// falls as the C library's nearly always does.
#pragma once

#include <cstdint>

namespace monograph::random_math {

// Turns 16 uniform floats of [0, 1) into 16 normal ones in place: data[j] gives the radius and data[j + 8] the angle of a pair.
void normal_block(float* data, float mean, float std);

// The same for doubles, on 8 + 8 values.
void normal_block(double* data, double mean, double std);

// One pair: radius from -log1p(-u2), angle from u1.
struct CosineSine {
  double cosine, sine;
};
CosineSine normal_pair(double u1, double u2);

// x * y + z with one rounding.
double fused(double x, double y, double z);
float fused(float x, float y, float z);

// log(1 + x) for x in (-1, 0], the bits of fdlibm.
double log1p(double x);
// log(x) for x in (0, 1], correctly rounded (to within 2^-66 of the value).
double log(double x);
// Sine and cosine of x in [0, 2 pi].
CosineSine cosine_sine(double x);

// The same for processors without the fused instruction. Named for the test that both have the same bits.
namespace portable {
void normal_block(float* data, float mean, float std);
void normal_block(double* data, double mean, double std);
CosineSine normal_pair(double u1, double u2);
double log1p(double x);
}  // namespace portable

}  // namespace monograph::random_math

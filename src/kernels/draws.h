// The kernels of random operators: fills of kernels/random.h with the numbers of a call. A Generator among its arguments draws, else the default one.
#pragma once

#include "kernels/call.h"

namespace monograph {

KernelStatus unit_uniform_kernel(KernelCall& call);  // rand: [0, 1)
KernelStatus unit_normal_kernel(KernelCall& call);  // randn: mean 0, deviation 1
KernelStatus integers_below_kernel(KernelCall& call);  // of arguments (high, ..)
KernelStatus integers_between_kernel(KernelCall& call);  // of arguments (low, high, ..)
KernelStatus integers_below_like_kernel(KernelCall& call);  // of arguments (self, high, ..)
KernelStatus integers_like_kernel(KernelCall& call);  // of arguments (self, low, high, ..); random_.from's high may be None
KernelStatus permutation_kernel(KernelCall& call);
KernelStatus uniform_kernel(KernelCall& call);  // of arguments (self, from, to)
KernelStatus normal_kernel(KernelCall& call);  // of arguments (self, mean, std)
KernelStatus made_normal_kernel(KernelCall& call);  // of arguments (mean, std, ..)
KernelStatus exponential_kernel(KernelCall& call);  // of arguments (self, lambd)
KernelStatus any_integers_kernel(KernelCall& call);  // random_ of the dtype's whole range
KernelStatus bernoulli_kernel(KernelCall& call);  // of arguments (self, p)
KernelStatus bernoulli_by_element_kernel(KernelCall& call);  // of (self), its probabilities; one that is none is a bad value
KernelStatus geometric_kernel(KernelCall& call);  // of arguments (self, p)
KernelStatus cauchy_kernel(KernelCall& call);  // of arguments (self, median, sigma)
KernelStatus log_normal_kernel(KernelCall& call);  // of arguments (self, mean, std)
KernelStatus poisson_kernel(KernelCall& call);  // of (self), its rates; one below 0 is a bad value
KernelStatus standard_gamma_kernel(KernelCall& call);  // of (self), its shapes
KernelStatus binomial_kernel(KernelCall& call);  // of (count, prob), which broadcast
// Of arguments (self, samples, replacement): a bad weight is a bad value, a row of zeros a bad second. It needs multinomial_scratch().
KernelStatus multinomial_kernel(KernelCall& call);

}  // namespace monograph

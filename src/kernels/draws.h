// The kernels of random operators. Each passes the arguments of a call to a function of kernels/random.h. The generator is the call's Generator
// argument, or else the default one.
#pragma once

#include "kernels/call.h"

namespace monograph {

KernelStatus unit_uniform_kernel(KernelCall& call);  // rand: [0, 1)
KernelStatus unit_normal_kernel(KernelCall& call);  // randn: mean 0, standard deviation 1
KernelStatus integers_below_kernel(KernelCall& call);  // randint(high, ..)
KernelStatus integers_between_kernel(KernelCall& call);  // randint(low, high, ..)
KernelStatus integers_below_like_kernel(KernelCall& call);  // randint_like(self, high, ..)
KernelStatus integers_like_kernel(KernelCall& call);  // (self, low, high, ..); for random_.from, high may be None
KernelStatus permutation_kernel(KernelCall& call);  // randperm
KernelStatus uniform_kernel(KernelCall& call);  // uniform_(self, from, to)
KernelStatus normal_kernel(KernelCall& call);  // normal_(self, mean, std)
KernelStatus made_normal_kernel(KernelCall& call);  // normal(mean, std, ..), whose result is a new tensor
KernelStatus exponential_kernel(KernelCall& call);  // exponential_(self, lambd)
KernelStatus any_integers_kernel(KernelCall& call);  // random_(self), over the whole range of the dtype
KernelStatus bernoulli_kernel(KernelCall& call);  // bernoulli_(self, p)
KernelStatus bernoulli_by_element_kernel(
    KernelCall& call);  // bernoulli(self): self holds the probabilities. BadValue: one is not in [0, 1]
KernelStatus geometric_kernel(KernelCall& call);  // geometric_(self, p)
KernelStatus cauchy_kernel(KernelCall& call);  // cauchy_(self, median, sigma)
KernelStatus log_normal_kernel(KernelCall& call);  // log_normal_(self, mean, std)
KernelStatus poisson_kernel(KernelCall& call);  // poisson(self): self holds the rates. BadValue: one is below 0
KernelStatus standard_gamma_kernel(KernelCall& call);  // _standard_gamma(self): self holds the shape parameters
KernelStatus binomial_kernel(KernelCall& call);  // binomial(count, prob), which broadcast
// multinomial(self, samples, replacement). BadValue: a weight is negative, infinite or NaN. BadSecond: all weights of a row are zero. It needs
// multinomial_scratch() bytes.
KernelStatus multinomial_kernel(KernelCall& call);

}  // namespace monograph

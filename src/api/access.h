// Converts between the public types (include/monograph) and the library's own types. src/api and the generated functions (tools/apigen) include it.
#pragma once

#ifndef MONOGRAPH_API_SOURCE
#define MONOGRAPH_API_SOURCE
#endif
#include <monograph/monograph.h>

#include <atomic>

#include "capture/capture.h"
#include "ops/dispatch.h"
#include "ops/generator_value.h"

namespace monograph::api {

struct Tensor::Access {
  static Tensor wrap(const monograph::Tensor& t) {
    Tensor out;
    if (t.defined()) out.impl_ = std::make_shared<monograph::Tensor>(t);
    return out;
  }
  static const monograph::Tensor& of(const Tensor& t) {
    if (!t.impl_) throw ValueError("this Tensor was not assigned yet");
    return *static_cast<const monograph::Tensor*>(t.impl_.get());
  }
  // The tensor, which must have sizes. RuntimeError for a symbolic tensor says that it has no `what`.
  static const monograph::Tensor& dense(const Tensor& t, const char* what) {
    const monograph::Tensor& real = of(t);
    if (real->kind != TensorImpl::Kind::Dense)
      throw RuntimeError(monograph::concat("a symbolic tensor has no ", what,
                                           ": it is a node of the graph that is being captured; capture with How::Trace "
                                           "to look at example values, or use operators"));
    return real;
  }
};

inline const monograph::Tensor& unwrap(const Tensor& t) { return Tensor::Access::of(t); }
inline std::vector<monograph::Tensor> unwrap(const std::vector<Tensor>& list) {
  std::vector<monograph::Tensor> out;
  out.reserve(list.size());
  for (const Tensor& t : list) out.push_back(unwrap(t));
  return out;
}

struct Generator::Access {
  static GeneratorBox& of(const Generator& g) { return *static_cast<GeneratorBox*>(g.impl_.get()); }
};

// Set to N while unpack<N>(f) runs f: the number of tensors in a list whose length the capture does not know.
struct ListLength {
  static thread_local std::optional<size_t> expected;
};

// Registers captures and autograd with dispatch, once in the process.
void start();
// In a catch block: throws the public error for the library's error that was caught.
[[noreturn]] void rethrow();
// Runs f. Errors of the library are thrown as the public errors.
template <class F>
auto translated(F&& f) {
  start();
  try {
    return f();
  } catch (const Error&) {
    rethrow();
  } catch (const monograph::InternalError&) {
    rethrow();
  }
}

// The public enumerations have the same values as the library's.
inline DType inner(Dtype t) { return static_cast<DType>(t); }
inline monograph::Device inner(Device d) { return {static_cast<monograph::DeviceType>(d.type()), static_cast<int8_t>(d.index())}; }
inline Device outer(monograph::Device d) { return Device(static_cast<DeviceType>(d.type), d.index); }
inline monograph::MemoryFormat inner(MemoryFormat f) { return static_cast<monograph::MemoryFormat>(f); }

// Converts public arguments to arguments of operators.
inline IValue value(IValue v) { return v; }
inline IValue value(const Tensor& t) { return t.defined() ? IValue(Tensor::Access::of(t)) : IValue(); }  // an undefined tensor becomes None
inline IValue value(Int v) { return v.value; }
inline IValue value(Float v) { return v.value; }
inline IValue value(Flag v) { return v.value; }
IValue value(const Scalar& v);
inline IValue value(Dtype v) { return inner(v); }
inline IValue value(Device v) { return inner(v); }
inline IValue value(MemoryFormat v) { return inner(v); }
inline IValue value(const std::string& v) { return v; }
IValue value(const Generator& v);
inline IValue value(const Ints& v) { return Dims(std::span<const int64_t>(v.values())); }
inline IValue value(const IntOrInts& v) { return v.is_one() ? IValue(v.values()[0]) : value(static_cast<const Ints&>(v)); }
inline IValue value(const OptionalInts& v) { return v.ints() ? value(*v.ints()) : IValue(); }
IValue value(const std::vector<Tensor>& v);
IValue value(const std::vector<double>& v);
template <class T>
IValue value(const std::optional<T>& v) {
  return v ? value(*v) : IValue();
}
inline IValue dtype_value(const Options& o) { return value(o.dtype()); }
inline IValue device_value(const Options& o) { return value(o.device()); }

// The results of a call, without an allocation.
struct ResultBuffer {
  static constexpr size_t kMost = 4;  // no operator has more results
  IValue values[kMost];
};
// An overload of an operator. A call passes all arguments of the schema.
class BoundOverload {
 public:
  explicit BoundOverload(const char* full_name);
  template <size_t N>
  ResultBuffer operator()(IValue (&&args)[N]) const {
    return call({args, N});
  }

 private:
  ResultBuffer call(std::span<IValue> args) const;
  OverloadSet only_;
};
// The overload that a generated function calls. It is looked up at the first call.
class NamedOverload {
 public:
  constexpr explicit NamedOverload(const char* full_name) : name_(full_name) {}
  const BoundOverload& get() const {
    const BoundOverload* found = found_.load(std::memory_order_acquire);
    return found ? *found : find();
  }

 private:
  const BoundOverload& find() const;
  const char* name_;
  mutable std::atomic<const BoundOverload*> found_{nullptr};
};
// Sets requires_grad of the first result, if the options say so.
ResultBuffer with_options(ResultBuffer results, const Options& options);

// Converts results of operators to C++ values.
Scalar number_of(const IValue& v);  // in a trace it is the example's number, and becomes a guard of the graph
inline void give(const IValue& v, Tensor& out) { out = v.is_none() ? Tensor() : Tensor::Access::wrap(v.as_tensor()); }
inline void give(const IValue& v, Dtype& out) { out = static_cast<Dtype>(v.to_dtype()); }
void give(const IValue& v, std::vector<Tensor>& out);
void collect(const IValue& v, std::vector<Tensor>& out);  // appends all tensors in a list or tuple, also in nested ones
template <class T>
struct ResultConverter {
  static T of(const IValue* results) {
    if constexpr (std::is_same_v<T, Scalar>) return number_of(*results);
    else if constexpr (std::is_arithmetic_v<T>) return number_of(*results).template to<T>();
    else {
      T out;
      give(*results, out);
      return out;
    }
  }
};
template <class... T>
struct ResultConverter<std::tuple<T...>> {
  static std::tuple<T...> of(const IValue* results) {
    return [&]<size_t... K>(std::index_sequence<K...>) {
      return std::tuple<T...>{ResultConverter<T>::of(results + K)...};
    }(std::index_sequence_for<T...>());
  }
};
template <class T>
T give(const ResultBuffer& results) {
  return ResultConverter<T>::of(results.values);
}

// The bodies of the generated functions. All functions with the same types share one instance.
template <class Result, class... T>
[[gnu::noinline]] Result call(const NamedOverload& callee, const T&... args) {
  if constexpr (std::is_void_v<Result>) callee.get()({value(args)...});
  else return give<Result>(callee.get()({value(args)...}));
}
template <class Result, class... T>
[[gnu::noinline]] Result call_with(const NamedOverload& callee, const Options& options, const T&... args) {
  return give<Result>(with_options(callee.get()({value(args)...}), options));
}

}  // namespace monograph::api

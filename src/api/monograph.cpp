// The public API over the layers.
#define MONOGRAPH_API_SOURCE
#include <monograph/monograph.h>

#include <algorithm>

#include "autograd/engine.h"
#include "capture/capture.h"
#include "capture/writer.h"
#include "exec/interpreter.h"
#include "formats/mgraph.h"
#include "ir/text.h"
#include "ops/pointwise.h"
#include "passes/canonical.h"

namespace monograph::api {

struct Tensor::Access {
  static Tensor wrap(const monograph::Tensor& t) {
    Tensor out;
    if (t.defined()) out.impl_ = std::make_shared<monograph::Tensor>(t);
    return out;
  }
  static const monograph::Tensor& of(const Tensor& t) {
    if (!t.impl_) throw Exception("this Tensor was not assigned yet");
    return *static_cast<const monograph::Tensor*>(t.impl_.get());
  }
  static const monograph::Tensor& dense(const Tensor& t, const char* what) {
    const monograph::Tensor& real = of(t);
    if (real->kind != TensorImpl::Kind::Dense)
      throw Exception(concat("a symbolic tensor has no ", what,
                             ": it is a node of the graph that is being captured; capture with How::Trace "
                             "to look at example values, or use operators"));
    return real;
  }
};

struct Graph::Access {
  // Graphs live in their Unit.
  static Graph wrap(std::shared_ptr<ir::Unit> unit, ir::Graph* graph) {
    Graph out;
    out.impl_ = std::shared_ptr<ir::Graph>(std::move(unit), graph);
    return out;
  }
  static ir::Graph& of(const Graph& g) {
    if (!g.impl_) throw Exception("this Graph was not assigned yet");
    return *static_cast<ir::Graph*>(g.impl_.get());
  }
};

namespace {

// The library's errors become the API's.
template <class F>
auto translated(F&& f) {
  static const bool ready = [] {
    capture::use_operators();
    install_autograd();
    return true;
  }();
  (void)ready;
  try {
    return f();
  } catch (const Error& e) {
    throw Exception(e.what());
  }
}

const monograph::Tensor& unwrap(const Tensor& t) { return Tensor::Access::of(t); }
std::vector<Tensor> wrap(const std::vector<monograph::Tensor>& list) {
  std::vector<Tensor> out;
  out.reserve(list.size());
  for (const auto& t : list) out.push_back(Tensor::Access::wrap(t));
  return out;
}
std::vector<monograph::Tensor> unwrap(const std::vector<Tensor>& list) {
  std::vector<monograph::Tensor> out;
  out.reserve(list.size());
  for (const Tensor& t : list) out.push_back(unwrap(t));
  return out;
}

IValue to_ivalue(const Value& v) {
  return std::visit(
      [](const auto& x) -> IValue {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) return {};
        else if constexpr (std::is_same_v<T, Tensor>) return unwrap(x);
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>) return Dims(std::span<const int64_t>(x));
        else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
          std::vector<IValue> items;
          items.reserve(x.size());
          for (const Tensor& t : x) items.emplace_back(unwrap(t));
          return IValue::list(std::move(items));
        } else return x;
      },
      v);
}
void collect(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor()) out.push_back(Tensor::Access::wrap(v.as_tensor()));
  else if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) collect(item, out);
  else if (!v.is_none()) throw Exception(concat("a ", describe(v), " came where tensors were expected"));
}

capture::Branch branch(const Branch& f) {
  return [f](const std::vector<monograph::Tensor>& x) { return unwrap(f(wrap(x))); };
}

// Whether a trace follows this tensor: what C++ makes of its sizes or elements is no part of the graph.
bool is_traced(const monograph::Tensor& t) {
  const capture::Session* session = capture::current_session();
  return session && session->writer.find(t);
}

// A number of the example that the program goes on with: every run checks it.
int64_t guarded(const char* name, std::initializer_list<IValue> args) {
  return translated([&] {
    IValue result;
    call(find_operator(name), args.begin(), &result);
    return capture::demand(result, concat(name, " in C++")).to_int();
  });
}

void refuse_elements(const monograph::Tensor& t, const char* what) {
  if (is_traced(t))
    throw Exception(concat(what, ": the elements of a traced tensor are the example's, and what is computed from them would stay so for ",
                           "every input; use operators, and cond or while_loop for what depends on them"));
}

}  // namespace

bool Tensor::is_symbolic() const { return Access::of(*this)->kind == TensorImpl::Kind::Symbolic; }
std::vector<int64_t> Tensor::sizes() const {
  const monograph::Tensor& t = Access::dense(*this, "sizes");
  Dims s = t.sizes();
  for (size_t d = 0; is_traced(t) && d < s.size(); ++d) s[d] = guarded("aten::sym_size.int", {t, static_cast<int64_t>(d)});
  return {s.begin(), s.end()};
}
int64_t Tensor::numel() const {
  const monograph::Tensor& t = Access::dense(*this, "number of elements");
  return is_traced(t) ? guarded("aten::sym_numel", {t}) : t.numel();
}
std::string Tensor::dtype() const { return std::string(monograph::name(Access::of(*this).dtype())); }
std::vector<double> Tensor::values() const {
  const monograph::Tensor& t = Access::dense(*this, "data");
  refuse_elements(t, "values");
  return translated([&] {
    monograph::Tensor d = contiguous(t.dtype() == DType::f64 ? t : convert_tensor(t, DType::f64));
    return std::vector<double>(d.data_as<double>(), d.data_as<double>() + d.numel());
  });
}
template <class T>
const T* Tensor::data() const {
  constexpr DType wanted = std::is_same_v<T, float>     ? DType::f32
                           : std::is_same_v<T, double>  ? DType::f64
                           : std::is_same_v<T, int64_t> ? DType::i64
                           : std::is_same_v<T, int32_t> ? DType::i32
                           : std::is_same_v<T, uint8_t> ? DType::u8
                                                        : DType::b1;
  const monograph::Tensor& t = Access::dense(*this, "data");
  refuse_elements(t, "data");
  if (t.dtype() != wanted) throw Exception(concat("data: the tensor is ", monograph::name(t.dtype()), ", not ", monograph::name(wanted)));
  if (!t.is_contiguous()) throw Exception("data: the tensor is not contiguous; use \"contiguous\"_op first");
  return t.data_as<T>();
}
template const float* Tensor::data<float>() const;
template const double* Tensor::data<double>() const;
template const int64_t* Tensor::data<int64_t>() const;
template const int32_t* Tensor::data<int32_t>() const;
template const uint8_t* Tensor::data<uint8_t>() const;
template const bool* Tensor::data<bool>() const;

Results call(std::string_view op, std::vector<Value> args) {
  return translated([&] {
    std::vector<IValue> given;
    for (const Value& v : args) given.push_back(to_ivalue(v));
    Bound bound;
    const Operator& chosen = bind(find_overloads(op), given, {}, bound, {.in_order = true});
    std::vector<IValue> out(std::max<size_t>(1, chosen.schema().returns().size()));
    monograph::call(chosen, bound.data(), out.data());
    Results results;
    for (const IValue& v : out) collect(v, results.all);
    return results;
  });
}

Tensor full(const std::vector<int64_t>& sizes, double value) {
  return translated([&] {
    monograph::Tensor t = monograph::empty(std::span<const int64_t>(sizes));
    std::fill_n(t.data_as<float>(), t.numel(), static_cast<float>(value));
    return Tensor::Access::wrap(t);
  });
}
Tensor tensor(const std::vector<float>& values, const std::vector<int64_t>& sizes) {
  return translated([&] {
    monograph::Tensor t = monograph::empty(std::span<const int64_t>(sizes));
    if (t.numel() != static_cast<int64_t>(values.size()))
      throw Exception(concat("tensor: ", values.size(), " values do not fill ", t.numel(), " elements"));
    std::copy(values.begin(), values.end(), t.data_as<float>());
    return Tensor::Access::wrap(t);
  });
}

std::vector<Tensor> Graph::run(const std::vector<Tensor>& inputs) const {
  return translated([&] {
    std::vector<IValue> given;
    for (const Tensor& t : inputs) given.emplace_back(unwrap(t));
    std::vector<Tensor> out;
    for (const IValue& v : exec::plan(Access::of(*this))(std::move(given))) collect(v, out);
    return out;
  });
}
std::string Graph::str() const {
  return translated([&] { return ir::to_text(Access::of(*this)); });
}
std::string Graph::tabular() const {
  return translated([&] { return ir::to_tabular(Access::of(*this)); });
}
std::string Graph::code() const {
  return translated([&] { return ir::to_python(Access::of(*this)); });
}
std::string Graph::hash() const {
  return translated([&] { return passes::hash(Access::of(*this)); });
}
void Graph::save(const std::string& path) const {
  translated([&] { save_mgraph(Access::of(*this), path); });
}
Graph load_graph(const std::string& path) {
  return translated([&] {
    std::shared_ptr<ir::Unit> unit = load_mgraph(path);
    if (unit->functions().empty()) throw Exception(path + " holds no function");
    ir::Graph* first = unit->functions().front().get();
    return Graph::Access::wrap(std::move(unit), first);
  });
}

Graph capture_program(const Program& program, const std::vector<Tensor>& inputs, How how) {
  return translated([&] {
    auto unit = std::make_shared<ir::Unit>();
    capture::Options options;
    options.how = how == How::Trace ? capture::How::Trace : capture::How::Symbolic;
    options.unit = unit.get();
    std::vector<IValue> given;
    for (const Tensor& t : inputs) given.emplace_back(t.defined() ? unwrap(t) : monograph::Tensor());
    capture::Captured captured = capture::capture(
        [&](std::vector<IValue> x) -> IValue {
          std::vector<Tensor> arguments;
          for (const IValue& v : x) collect(v, arguments);
          std::vector<IValue> out;
          for (const Tensor& t : program(arguments)) out.emplace_back(unwrap(t));
          return out.size() == 1 ? out[0] : IValue::tuple(std::move(out));
        },
        std::move(given), options);
    ir::Graph* graph = unit->add_function(std::move(captured.graph));
    return Graph::Access::wrap(std::move(unit), graph);
  });
}

std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands) {
  return translated([&] { return wrap(capture::cond(unwrap(predicate), branch(then), branch(otherwise), unwrap(operands))); });
}
std::vector<Tensor> while_loop(const std::function<Tensor(const std::vector<Tensor>&)>& condition, const Branch& body,
                               const std::vector<Tensor>& initial) {
  return translated([&] {
    return wrap(capture::while_loop([&](const std::vector<monograph::Tensor>& x) { return unwrap(condition(wrap(x))); }, branch(body),
                                    unwrap(initial)));
  });
}

}  // namespace monograph::api

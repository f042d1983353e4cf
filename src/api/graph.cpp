// Implements monograph/graph.h: converts tensors and errors, and calls capture, exec and passes.
#include "api/graph_access.h"
#include "capture/adopted.h"
#include "capture/writer.h"
#include "exec/freeze.h"
#include "formats/mgraph.h"
#include "ir/text.h"
#include "passes/canonical.h"
#include "passes/differentiate.h"

MONOGRAPH_API_BEGIN

namespace {

std::vector<Tensor> wrap(const std::vector<monograph::Tensor>& list) {
  std::vector<Tensor> out;
  out.reserve(list.size());
  for (const auto& t : list) out.push_back(Tensor::Access::wrap(t));
  return out;
}
capture::Branch branch(const Branch& f) {
  return [f](const std::vector<monograph::Tensor>& x) { return unwrap(f(wrap(x))); };
}

}  // namespace

std::vector<Tensor> Graph::run(const std::vector<Tensor>& inputs) const {
  return translated([&] {
    std::vector<IValue> given;
    for (const Tensor& t : inputs) given.emplace_back(unwrap(t));
    std::vector<Tensor> out;
    for (const IValue& v : Access::plan (*this)(std::move(given))) collect(v, out);
    return out;
  });
}
std::string Graph::str() const {
  return translated([&] { return ir::to_text(Access::typed(*this)); });
}
std::string Graph::tabular() const {
  return translated([&] { return ir::to_tabular(Access::typed(*this)); });
}
std::string Graph::code() const {
  return translated([&] { return ir::to_python(Access::typed(*this)); });
}
std::string Graph::hash() const {
  return translated([&] { return passes::hash(Access::typed(*this)); });
}
void Graph::save(const std::string& path) const {
  translated([&] { save_mgraph(Access::typed(*this), path, std::vector<std::string>()); });  // no roots: names without folders
}

void Graph::train(bool on) const {
  translated([&] {
    const bool reads = exec::set_mode(Access::of(*this), on);
    MONOGRAPH_CHECK(reads, Runtime, "Graph::", on ? "train" : "eval",
                    ": the graph reads the mode of no module, so it computes the same in training and in evaluation. A file holds both "
                    "modes if the module "
                    "was saved from Python, traced.save('model.mgraph')");
    ++*Access::access(*this).attribute_changes;
  });
}

struct Saved::Access {
  std::vector<IValue> values;
  static std::vector<IValue>& of(Saved& s) {
    if (!s.impl_) s.impl_ = std::make_shared<Access>();
    return static_cast<Access*>(s.impl_.get())->values;
  }
  static const std::vector<IValue>& of(const Saved& s) {
    if (!s.impl_) throw ValueError("nothing was saved: call run() before gradients()");
    return static_cast<const Access*>(s.impl_.get())->values;
  }
};

namespace {

// The results of a graph that differentiate() made. Several results are one tuple.
std::vector<IValue> items_of(const std::vector<IValue>& results) {
  return results.size() == 1 && results[0].is_tuple() ? results[0].items() : results;
}

}  // namespace

Differentiated Graph::differentiate() const {
  return translated([&] {
    passes::Differentiated d = passes::differentiate(Access::typed(*this));
    const std::shared_ptr<ir::Unit>& unit = Access::access(*this).unit;
    auto graph = [&](std::unique_ptr<ir::Graph> g) {  // the graph keeps the Unit whose modules it names
      ir::Graph* raw = g.release();
      return Access::wrap(std::shared_ptr<ir::Unit>(unit.get(), [unit, raw](ir::Unit*) { delete raw; }), raw);
    };
    Differentiated out;
    out.forward = graph(std::move(d.forward)), out.backward = graph(std::move(d.backward));
    out.results = d.results, out.names = std::move(d.gradients);
    return out;
  });
}
std::vector<Tensor> Differentiated::run(const std::vector<Tensor>& inputs, Saved& saved) const {
  return translated([&] {
    std::vector<IValue> given;
    for (const Tensor& t : inputs) given.emplace_back(unwrap(t));
    std::vector<IValue> all = items_of(Graph::Access::plan(forward)(std::move(given)));
    std::vector<Tensor> out;
    for (size_t k = 0; k < results; ++k) collect(all[k], out);
    Saved::Access::of(saved).assign(all.begin() + static_cast<ptrdiff_t>(results), all.end());
    return out;
  });
}
std::vector<Tensor> Differentiated::gradients(const std::vector<Tensor>& gradients, const Saved& saved) const {
  return translated([&] {
    std::vector<IValue> given;
    for (const Tensor& t : gradients) given.emplace_back(unwrap(t));
    for (const IValue& v : Saved::Access::of(saved)) given.push_back(v);
    std::vector<Tensor> out;
    for (const IValue& v : items_of(Graph::Access::plan(backward)(std::move(given))))
      out.push_back(v.is_tensor() ? Tensor::Access::wrap(v.to_tensor()) : Tensor());
    return out;
  });
}

Graph load_graph(const std::string& path) {
  return translated([&] {
    std::shared_ptr<ir::Unit> unit = load_mgraph(path);
    if (unit->functions().empty()) throw ValueError(path + " holds no function");
    ir::Graph* first = unit->functions().front().get();
    return Graph::Access::wrap(std::move(unit), first);
  });
}

Graph capture_function(const TensorFunction& program, const std::vector<Tensor>& inputs, How how) {
  return translated([&] {
    auto unit = std::make_shared<ir::Unit>();
    capture::CaptureOptions options;
    options.how = how == How::Trace ? capture::How::Trace : capture::How::Symbolic;
    options.unit = unit.get();
    capture::AdoptedParameters adopted;
    options.adopt = [&](const monograph::Tensor& t) { return adopted.path_of(t, nullptr); };
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
    adopted.install(*unit);
    ir::Graph* graph = unit->add_function(std::move(captured.graph));
    return Graph::Access::wrap(std::move(unit), graph);
  });
}

thread_local std::optional<size_t> ListLength::expected;
std::vector<Tensor> detail::unpacked(const std::function<std::vector<Tensor>()>& f, size_t count) {
  struct Scope {
    explicit Scope(size_t n) : saved(std::exchange(ListLength::expected, n)) {}
    ~Scope() { ListLength::expected = saved; }
    std::optional<size_t> saved;
  };
  const Scope scope(count);
  std::vector<Tensor> list = f();
  if (list.size() != count) throw ValueError(monograph::concat("unpack: expected a list of ", count, " tensors, but got ", list.size()));
  return list;
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

MONOGRAPH_API_END

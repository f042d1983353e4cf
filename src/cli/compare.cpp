// `monograph compare`: compares two programs by canonical form and parameters, or by their results on the same inputs, and two files of weights or arrays
// tensor by tensor. It exits with 3 if they differ.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "cli/inputs.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "core/generator.h"
#include "exec/interpreter.h"
#include "ops/dispatch.h"
#include "passes/canonical.h"

namespace monograph::cli {
namespace {

struct CompareOptions {
  std::string a, b, function;
  InputOptions inputs;
  double atol = 0, rtol = 0;
  bool json = false;
};

// The largest differences between the elements of two tensors of equal shape. NaN equals NaN.
struct Difference {
  double absolute = 0, relative = 0, ulp = 0;
  int64_t beyond = 0, count = 0;  // the elements whose difference exceeds the tolerance; all elements
};

// Maps floating-point numbers to integers in the same order, so that neighbours differ by one.
int64_t rank_of(double v) {
  const auto bits = std::bit_cast<int64_t>(v);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
}
int64_t rank_of(float v) {
  const auto bits = std::bit_cast<int32_t>(v);
  return bits < 0 ? std::numeric_limits<int32_t>::min() - int64_t{bits} : bits;
}

Difference difference_of(const Tensor& x, const Tensor& y, double atol, double rtol) {
  Difference d;
  const DType part = real_type(promote_types(x.dtype(), y.dtype()));
  const DType wide = is_complex(x.dtype()) || is_complex(y.dtype()) ? DType::c128 : DType::f64;
  const Tensor a = "contiguous"_op("to"_op(x, wide)), b = "contiguous"_op("to"_op(y, wide));
  d.count = a.numel() * (wide == DType::c128 ? 2 : 1);
  // The ulp of float16 is 2^13 ulps of float32, that of bfloat16 2^16.
  const double scale = part == DType::f16 ? 8192 : part == DType::bf16 ? 65536 : 1;
  for (int64_t k = 0; k < d.count; ++k) {
    const double p = a.data_as<double>()[k], q = b.data_as<double>()[k];
    if (p == q || (p != p && q != q)) continue;
    const double gap = std::fabs(p - q);  // not finite if p or q is not
    const bool finite = std::isfinite(gap);
    d.absolute = std::max(d.absolute, finite ? gap : INFINITY);
    if (q != 0 || !finite) d.relative = std::max(d.relative, finite ? gap / std::fabs(q) : INFINITY);
    if (is_floating(part))
      d.ulp = std::max(d.ulp, !finite ? INFINITY
                              : part == DType::f64
                                  ? std::fabs(static_cast<double>(rank_of(p)) - static_cast<double>(rank_of(q)))
                                  : static_cast<double>(std::abs(rank_of(static_cast<float>(p)) - rank_of(static_cast<float>(q)))) / scale);
    if (!(gap <= atol + rtol * std::fabs(q))) ++d.beyond;
  }
  return d;
}

std::string short_number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

class ModelComparison {
 public:
  explicit ModelComparison(const CompareOptions& o) : o_(o) {}

  int run() {
    Model a = open_model(o_.a), b = open_model(o_.b);
    const bool programs = a.unit && b.unit;
    MONOGRAPH_CHECK(programs || (!a.unit && !b.unit), Value, "cannot compare ", to_string(a.format), " with ", to_string(b.format),
                    "\n  give two graphs, or two files of weights or arrays");
    if (!programs && (!o_.inputs.inputs.empty() || !o_.function.empty()))
      throw UsageError("compare: --input and --function are for graphs", "leave them out");
    if (programs) {
      same_ = graphs(a, b);
      // With inputs only the results decide, because different graphs may give equal results.
      if (!o_.inputs.inputs.empty()) same_ = results(a, b);
    } else {
      arrays(named(a), named(b));
    }
    if (o_.json) {
      report_["equal"] = same_;
      out(json_text(report_, 1) + "\n");
    }
    return same_ ? kDone : kCheckFailed;
  }

 private:
  void say(const std::string& text) {
    if (!o_.json) out(text + "\n");
  }
  static std::string verdict(bool same) { return same ? styled("equal", TextStyle::Green) : styled("different", TextStyle::Red); }

  bool graphs(const Model& a, const Model& b) {
    std::string difference;
    bool same = true;
    const bool single =
        !o_.function.empty() || (a.unit->functions().size() == 1 && b.unit->functions().size() == 1) || !o_.inputs.inputs.empty();
    if (single) {
      same = passes::equal(a.graph(o_.function), b.graph(o_.function), &difference);
    } else {
      for (const auto& g : a.unit->functions()) {
        const ir::Graph* other = b.unit->find_function(g->name());
        if (!other) same = false, difference = concat("the function ", g->name(), " is missing in ", b.path);
        else if (!passes::equal(*g, *other, &difference)) same = false, difference = concat(g->name(), ": ", difference);
        if (!same) break;
      }
      for (const auto& g : b.unit->functions())
        if (same && !a.unit->find_function(g->name()))
          same = false, difference = concat("the function ", g->name(), " is missing in ", a.path);
    }
    report_["graphs"] = {{"equal", same}, {"difference", difference}};
    say(concat("graphs in canonical form: ", verdict(same)));
    if (!same) say(concat("  first difference: ", difference));
    const auto pa = parameters_of(*a.unit), pb = parameters_of(*b.unit);
    if (pa.empty() && pb.empty()) return same;
    return parameters(pa, pb) && same;
  }

  using Arrays = std::vector<std::pair<std::string, Tensor>>;
  bool parameters(const std::vector<ProgramTensor>& pa, const std::vector<ProgramTensor>& pb) {
    Arrays a, b;  // constants are part of the graphs
    for (const ProgramTensor& p : pa)
      if (!p.constant) a.push_back({p.name, exec::tensor_of(p.tensor)});
    for (const ProgramTensor& p : pb)
      if (!p.constant) b.push_back({p.name, exec::tensor_of(p.tensor)});
    const bool before = std::exchange(same_, true);
    if (!a.empty() || !b.empty()) arrays(std::move(a), std::move(b));
    return std::exchange(same_, before);
  }

  static Arrays named(const Model& m) {
    if (m.array) return {{"array", *m.array}};
    Arrays all;
    std::vector<Tensor> held;
    const Safetensors weights = m.checkpoint ? weights_of(*m.checkpoint, held) : *m.weights;
    for (const NamedArray& a : weights.arrays) {
      Tensor copy = empty(a.shape, a.dtype);
      if (a.nbytes) std::copy_n(static_cast<const char*>(a.data), a.nbytes, copy.data());
      all.push_back({a.name, copy});
    }
    return all;
  }

  // Compares arrays of the same name. Reports those that are missing or differ, with the largest differences.
  void arrays(Arrays a, Arrays b) {
    auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
    std::sort(a.begin(), a.end(), by_name), std::sort(b.begin(), b.end(), by_name);
    Json list = Json::array();
    TextTable table({"tensor", "", "largest difference", "relative", "ulp"});
    size_t equal = 0, left_out = 0;
    auto missing = [&](const std::string& name, const std::string& where) {
      same_ = false;
      list.push_back({{"name", name}, {"missing_in", where}});
      table.row({printable(name), styled("missing in " + printable(where), TextStyle::Red), "", "", ""});
    };
    for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
      if (y == b.end() || (x != a.end() && x->first < y->first)) missing((x++)->first, o_.b);
      else if (x == a.end() || y->first < x->first) missing((y++)->first, o_.a);
      else {
        const bool fine = tensors(x->first, x->second, y->second, list, table, left_out);
        equal += fine, same_ = same_ && fine;
        ++x, ++y;
      }
    }
    report_["tensors"] = list;
    say(concat("tensors: ", plural(static_cast<int64_t>(equal), "tensor"), " equal",
               o_.atol > 0 || o_.rtol > 0 ? " within the tolerance" : ""));
    if (!table.empty()) say(table.to_string(static_cast<size_t>(terminal_width()), 2));
  }

  bool tensors(const std::string& name, const Tensor& x, const Tensor& y, Json& list, TextTable& table, size_t& left_out) {
    if (x.dtype() != y.dtype() || !(x.sizes() == y.sizes())) {
      list.push_back({{"name", name}, {"a", shape_text(x)}, {"b", shape_text(y)}});
      table.row({printable(name), concat(shape_text(x), " and ", shape_text(y)), "", "", ""});
      return false;
    }
    const Difference d = difference_of(x, y, o_.atol, o_.rtol);
    if (d.absolute == 0) return true;
    Json row{{"name", name}};
    describe(row, d);
    list.push_back(row);
    if (++left_out <= 20)
      table.row({printable(name), d.beyond ? styled("different", TextStyle::Red) : styled("within", TextStyle::Green),
                 short_number(d.absolute), short_number(d.relative), short_number(d.ulp)});
    return d.beyond == 0;
  }

  static void describe(Json& row, const Difference& d) {
    auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json("inf"); };
    row["max_abs"] = number(d.absolute), row["max_rel"] = number(d.relative), row["max_ulp"] = number(d.ulp);
    row["beyond"] = d.beyond, row["elements"] = d.count;
  }

  // The effects of a run: its results, and the tensors that it wrote.
  struct Outcome {
    std::vector<NamedValue> results;
    std::map<std::string, Tensor> memory;  // the inputs and attributes by name
    std::set<std::string> written;  // the names of those that the run wrote
  };
  Outcome run(const Model& m, bool inputs_by_name) {
    ir::Graph& graph = m.graph(o_.function);
    ir::infer_types(graph);
    Binding binding(graph, o_.inputs);
    const std::vector<IValue> inputs = binding.make();
    Outcome out;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].is_tensor())
        out.memory[concat("input ", inputs_by_name ? graph.placeholders()[k]->target().name() : std::to_string(k))] = inputs[k].to_tensor();
    for (const ProgramTensor& p : parameters_of(*m.unit))
      if (!p.constant) out.memory[p.name] = exec::tensor_of(p.tensor);
    std::map<std::string, uint32_t> before;
    for (const auto& [name, tensor] : out.memory) before[name] = tensor.version();
    default_generator().manual_seed(o_.inputs.seed);
    const GradModeScope gradients(computes_gradients(*m.unit));
    out.results = leaves(exec::plan(graph)(inputs));
    for (const auto& [name, tensor] : out.memory)
      if (tensor.version() != before[name]) out.written.insert(name);
    return out;
  }

  static std::set<std::string> input_names(const ir::Graph& graph) {
    std::set<std::string> names;
    for (const ir::Node* p : graph.placeholders()) names.insert(p->target().name());
    return names;
  }

  bool results(const Model& a, const Model& b) {
    const bool by_name = input_names(a.graph(o_.function)) == input_names(b.graph(o_.function));
    const Outcome x = run(a, by_name), y = run(b, by_name);
    Json list = Json::array();
    TextTable table({"result", "", "largest difference", "relative", "ulp", "elements"});
    bool same = x.results.size() == y.results.size();
    if (!same) say(concat("results: ", x.results.size(), " and ", y.results.size(), " values: ", verdict(false)));
    for (size_t k = 0; k < std::min(x.results.size(), y.results.size()); ++k)
      same = value(x.results[k].path, x.results[k].value, y.results[k].value, list, table) && same;
    std::set<std::string> written = x.written;
    written.insert(y.written.begin(), y.written.end());
    for (const std::string& name : written) {
      const auto p = x.memory.find(name), q = y.memory.find(name);
      const IValue none;
      same = value(concat(name, ", written"), p == x.memory.end() ? none : IValue(p->second),
                   q == y.memory.end() ? none : IValue(q->second), list, table) &&
             same;
    }
    report_["results"] = list;
    if (!table.empty()) say("results:\n" + table.to_string(static_cast<size_t>(terminal_width()), 2));
    return same;
  }

  // Values that are neither tensors nor numbers (None, strings) are equal if their texts are.
  bool value(const std::string& name, const IValue& x, const IValue& y, Json& list, TextTable& table) {
    auto counts = [](const IValue& v) { return v.is_tensor() || v.is_number(); };
    auto told = [&](const std::string& p, const std::string& q, bool same) {
      list.push_back({{"name", name}, {"a", p}, {"b", q}, {"equal", same}});
      table.row({printable(name), verdict(same), same ? printable(p) : printable(concat(p, " and ", q)), "", "", ""});
      return same;
    };
    if (!counts(x) || !counts(y)) {
      const bool alike = !counts(x) && !counts(y);
      const std::string p = alike ? value_text(x, 0) : shape_text(x), q = alike ? value_text(y, 0) : shape_text(y);
      return told(p, q, alike && p == q);
    }
    const Tensor p = as_tensor(x), q = as_tensor(y);
    if (p.dtype() != q.dtype() || !(p.sizes() == q.sizes())) return told(shape_text(p), shape_text(q), false);
    const Difference d = difference_of(p, q, o_.atol, o_.rtol);
    Json row{{"name", name}};
    describe(row, d);
    list.push_back(row);
    table.row({printable(name),
               d.absolute == 0 ? styled("equal", TextStyle::Green)
               : d.beyond      ? styled("different", TextStyle::Red)
                               : styled("within", TextStyle::Green),
               short_number(d.absolute), short_number(d.relative), short_number(d.ulp), with_commas(d.count)});
    return d.beyond == 0;
  }

  const CompareOptions& o_;
  Json report_;
  bool same_ = true;
};

Action prepare(CLI::App& app) {
  auto o = std::make_shared<CompareOptions>();
  app.add_option("A", o->a, "A graph, weights or an array.")->required();
  app.add_option("B", o->b, "Another of the same kind.")->required();
  o->inputs.add_to(app);
  app.add_option("--atol", o->atol, "Accept differences of up to ATOL + RTOL × |B| (default 0: equal bits, except the sign of zero).")
      ->type_name("ATOL")
      ->check(number_in(0, std::numeric_limits<double>::max()));
  app.add_option("--rtol", o->rtol, "See --atol (default 0).")->type_name("RTOL")->check(number_in(0, std::numeric_limits<double>::max()));
  app.add_option("--function", o->function, "The function to compare.")->type_name("NAME");
  app.add_flag("--json", o->json, "Print the comparison as JSON.");
  return [o] { return ModelComparison(*o).run(); };
}

constexpr Example kExamples[] = {
    {"monograph compare tour.txt tour.txt", "Compares the graphs in canonical form. If they differ: the first difference, and exit 3."},
    {"monograph compare tour.txt tour.txt --input random:100:float32 --rtol 1e-5",
     "Runs both on the same inputs, and prints the largest absolute, relative and ulp difference."},
};

}  // namespace

const Verb kCompare{
    "compare",
    "A B [--input SPEC…] [options]",
    "compare two graphs, or their results; exit 3 if they differ",
    "Compares two graphs: their parameters, and their canonical form, which does not depend on names and order. With inputs, runs "
    "both, and compares the results and what they wrote to inputs and buffers. Two files of weights, or two arrays, are "
    "compared tensor by tensor.",
    kExamples,
    prepare};

}  // namespace monograph::cli

// The methods of Python's lists and dicts, as operators for programs. A list or dict is shared: if two names hold it, a write through one is seen by the
// other. So these operators have memory effects.
#include <algorithm>
#include <complex>
#include <deque>

#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/families/programs.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

// Access to a list value, which stores its items either as values or as plain ints. Writes change the shared list.
class List {
 public:
  explicit List(const IValue& v) : v_(v) {}
  int64_t size() const { return static_cast<int64_t>(v_.is_ints() ? v_.to_ints().size() : v_.items().size()); }
  IValue at(int64_t k) const { return v_.is_ints() ? IValue(v_.to_ints()[static_cast<size_t>(k)]) : v_.items()[static_cast<size_t>(k)]; }
  std::vector<IValue> items() const {
    if (!v_.is_ints()) return v_.items();
    std::vector<IValue> items;
    for (int64_t k : v_.to_ints()) items.emplace_back(k);
    return items;
  }
  // The ints of the list, for writing. Every holder of the list sees the write.
  Dims& written_ints() const { return const_cast<Dims&>(v_.to_ints()); }
  void assign(std::vector<IValue> items) const {
    if (!v_.is_ints()) return void(v_.items() = std::move(items));
    Dims dims;
    for (const IValue& item : items) dims.push_back(item.to_int());
    written_ints() = std::move(dims);
  }
  void append(IValue item) const {
    if (v_.is_ints()) written_ints().push_back(item.to_int());
    else v_.items().push_back(std::move(item));
  }
  // The place of index k, which counts from the end if it is negative. Error (Index) if it is out of range.
  int64_t place(const Operator& op, int64_t k) const {
    const int64_t n = size();
    MONOGRAPH_CHECK(k >= -n && k < n, Index, "[", op.name(), "] list index ", k, " is out of range for a list of ", n);
    return k < 0 ? k + n : k;
  }
  int64_t find(const Operator& op, const IValue& item) const {
    for (int64_t k = 0; k < size(); ++k)
      if (equal_values(op, at(k), item)) return k;
    return -1;
  }

 private:
  const IValue& v_;
};

int64_t find_key(const IValue& dict, const IValue& key) {
  const auto& pairs = dict.pairs();
  for (size_t k = 0; k < pairs.size(); ++k)
    if (same_key(pairs[k].first, key)) return static_cast<int64_t>(k);
  return -1;
}
[[noreturn]] void no_key(const Operator& op, const IValue& key) {
  fail(ErrorKind::Key, "[", op.name(), "] the dict has no key ", text_of_value(op, key, true));
}

void sort_values(const Operator& op, std::vector<IValue>& items, bool reverse) {
  // As in Python, equal items keep their order, also with reverse.
  if (reverse) std::ranges::stable_sort(items, [&](const IValue& a, const IValue& b) { return less_values(op, b, a); });
  else std::ranges::stable_sort(items, [&](const IValue& a, const IValue& b) { return less_values(op, a, b); });
}

// Python's min and max of a list: the first one among equals.
template <bool kGreatest>
void extremum(const Operator& op, const IValue* a, IValue* out) {
  const std::vector<IValue> items = List(a[0]).items();
  MONOGRAPH_CHECK(!items.empty(), Value, "[", op.name(), "] the list is empty");
  IValue best = items[0];
  for (const IValue& item : items)
    if (kGreatest ? less_values(op, best, item) : less_values(op, item, best)) best = item;
  out[0] = best;
}

template <bool kAll>
void truths(const Operator&, const IValue* a, IValue* out) {
  bool result = kAll;
  for (const IValue& item : List(a[0]).items()) {
    const bool truth = item.to_double() != 0;
    if (truth != kAll) result = truth;
  }
  out[0] = result;
}

template <bool kEqual>
void compare_lists(const Operator& op, const IValue* a, IValue* out) {
  const std::vector<IValue> x = List(a[0]).items(), y = List(a[1]).items();
  out[0] = std::ranges::equal(x, y, [&](const IValue& p, const IValue& q) { return equal_values(op, p, q); }) == kEqual;
}

void replace_slice(const Operator& op, const IValue* a, const IValue* other);

// Whether two tensors of one number each are equal, as TorchScript compares those in lists.
bool equal_tensors(const IValue& a, const IValue& b) { return "is_nonzero"_op("eq"_op(a, b)).to_bool(); }

// Canonicalizes append(el) and extend(other) to += of a list.
bool as_joined(ir::Node* n, bool one) {
  if (!one && n->has_uses()) return false;  // extend() has no result, so a used one cannot become +=
  ir::Graph& g = *n->graph();
  ir::Args args(n->arg(0));
  if (one) args.open(ir::ArgKind::List).add(n->arg(1)).close();
  else args.add(n->arg(1));
  g.insert_before(n);
  ir::Node* joined = g.call(find_operator("aten::add_.t"), args);
  g.derive(joined, n);
  g.set_type(joined, n->arg(0).is(ir::ArgKind::Node) ? n->arg(0).as_node()->type() : ir::Type());
  g.replace_all_uses(n, joined);
  g.erase(n);
  return true;
}

void list_methods(const ProgramOp& op, const ir::Effects& reads) {
  op({"prim::set_slice.t(t[](a!) l, int? start, int? end, int step, t[] v) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) { replace_slice(self, a, &a[4]); })
      .effects(raising(reads))
      .doc("Python's assignment to a slice of a list.");
  no_torchscript("prim::set_slice.t", "TorchScript assigns no slice of a list");
  op({"prim::delete_slice.t(t[](a!) l, int? start, int? end, int step) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) { replace_slice(self, a, nullptr); })
      .effects(raising(reads))
      .doc("Python's del of a slice of a list.");
  no_torchscript("prim::delete_slice.t", "PyTorch has no operator of this name");
  op({"append.t(t[](a!) self, t el) -> t[](a!)"}, [](const Operator&, const IValue* a, IValue* out) {
    List(a[0]).append(a[1]);
    out[0] = a[0];
  }).canonical([](ir::Node* n) {
      return as_joined(n, true);
    }).doc("Appends a value to a list.");
  op({"extend.t(t[](a!) self, t[] other) -> ()"}, [](const Operator&, const IValue* a, IValue*) {
    for (IValue& item : List(a[1]).items()) List(a[0]).append(std::move(item));
  }).canonical([](ir::Node* n) {
      return as_joined(n, false);
    }).doc("Appends the values of another list to a list.");
  op({"add_.t(t[](a!) self, t[] b) -> t[](a!)"},
     [](const Operator&, const IValue* a, IValue* out) {
       for (IValue& item : List(a[1]).items()) List(a[0]).append(std::move(item));
       out[0] = a[0];
     })
      .functional("aten::add.t")
      .doc("Python's += of lists.");
  op({"insert.t(t[](a!) self, int idx, t el) -> ()"}, [](const Operator&, const IValue* a, IValue*) {
    const List list(a[0]);
    std::vector<IValue> items = list.items();
    const int64_t n = list.size(), k = a[1].to_int();
    items.insert(items.begin() + std::clamp<int64_t>(k < 0 ? std::max(k, -n) + n : k, 0, n), a[2]);
    list.assign(std::move(items));
  }).doc("Puts a value in front of the one at a place of a list.");
  op({"pop.t(t[](a!) self, int idx=-1) -> t(*)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const List list(a[0]);
       const int64_t k = list.place(self, a[1].to_int());
       std::vector<IValue> items = list.items();
       out[0] = items[static_cast<size_t>(k)];
       items.erase(items.begin() + k);
       list.assign(std::move(items));
     })
      .effects(raising(reads))
      .doc("Takes a value out of a list, the last one unless a place is given.");
  op({"Delete.t(t[](a!) self, int idx) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) {
       const List list(a[0]);
       std::vector<IValue> items = list.items();
       items.erase(items.begin() + list.place(self, a[1].to_int()));
       list.assign(std::move(items));
     })
      .effects(raising(reads))
      .doc("Python's del of an item of a list.");
  op({"remove.t(t[](a!) self, t el) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) {
       const List list(a[0]);
       const int64_t k = list.find(self, a[1]);
       MONOGRAPH_CHECK(k >= 0, Value, "[", self.name(), "] the value is not in the list");
       std::vector<IValue> items = list.items();
       items.erase(items.begin() + k);
       list.assign(std::move(items));
     })
      .effects(raising(reads))
      .doc("Takes the first equal value out of a list.");
  op({"clear.t(t[](a!) self) -> ()"}, [](const Operator&, const IValue* a, IValue*) { List(a[0]).assign({}); }).doc("Empties a list.");
  op({"reverse.t(t[](a!) self) -> ()"}, [](const Operator&, const IValue* a, IValue*) {
    std::vector<IValue> items = List(a[0]).items();
    std::ranges::reverse(items);
    List(a[0]).assign(std::move(items));
  }).doc("Turns a list around.");
  op({"sort.t(t[](a!) self, bool reverse=False) -> ()", "sort.int(int[](a!) self, bool reverse=False) -> ()",
      "sort.float(float[](a!) self, bool reverse=False) -> ()", "sort.bool(bool[](a!) self, bool reverse=False) -> ()",
      "sort.str(str[](a!) self, bool reverse=False) -> ()", "sort.any(t[](a!) self, bool reverse=False) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) {
       std::vector<IValue> items = List(a[0]).items();
       sort_values(self, items, a[1].to_bool());
       List(a[0]).assign(std::move(items));
     })
      .effects(raising(reads))
      .doc("Sorts a list of numbers or strs.");
  op({"sort.Tensor(Tensor[](a!) self, bool reverse=False) -> ()"},
     [](const Operator&, const IValue* a, IValue*) {
       std::vector<IValue>& items = a[0].items();
       auto less = [](const IValue& x, const IValue& y) {
         return !x.as_tensor().is_same(y.as_tensor()) && "is_nonzero"_op("lt"_op(x, y)).to_bool();
       };
       if (a[1].to_bool()) std::ranges::stable_sort(items, [&](const IValue& x, const IValue& y) { return less(y, x); });
       else std::ranges::stable_sort(items, less);
     })
      .effects(raising(reads))
      .doc("Sorts a list of tensors of one number each.");
  op({"_set_item.t(t[](a!) l, int idx, t el) -> t[](a!)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const List list(a[0]);
       const int64_t k = list.place(self, a[1].to_int());
       if (a[0].is_ints()) list.written_ints()[static_cast<size_t>(k)] = a[2].to_int();
       else a[0].items()[static_cast<size_t>(k)] = a[2];
       out[0] = a[0];
     })
      .effects(raising(reads))
      .doc("Sets an item of a list.");
}

// Python's v[start:end:step] = other, or its del where there is no other.
void replace_slice(const Operator& op, const IValue* a, const IValue* other) {
  const List list(a[0]);
  std::vector<IValue> items = list.items();
  const int64_t n = list.size(), step = a[3].to_int();
  MONOGRAPH_CHECK(step != 0, Value, "[", op.name(), "] slice step cannot be zero");
  auto bound = [](const IValue& v) { return v.is_none() ? std::optional<int64_t>() : std::optional(v.to_int()); };
  const std::vector<int64_t> places = slice_places(n, bound(a[1]), bound(a[2]), step);
  const std::vector<IValue> values = other ? List(*other).items() : std::vector<IValue>();
  if (step != 1 && other) {
    MONOGRAPH_CHECK(values.size() == places.size(), Value, "[", op.name(), "] attempt to assign sequence of size ", values.size(),
                    " to extended slice of size ", places.size());
    for (size_t k = 0; k < places.size(); ++k) items[static_cast<size_t>(places[k])] = values[k];
    return list.assign(std::move(items));
  }
  // `at` is the place where the new items go: the first index of the slice, or, as in Python, the start of an empty slice, clamped to the list.
  int64_t at = a[1].is_none() ? 0 : a[1].to_int();
  at = places.empty() ? std::clamp<int64_t>(at < 0 ? std::max<int64_t>(at + n, 0) : at, 0, n) : places[0];
  std::vector<bool> taken(static_cast<size_t>(n), false);
  for (int64_t k : places) taken[static_cast<size_t>(k)] = true;
  std::vector<IValue> kept;
  for (int64_t k = 0; k <= n; ++k) {
    if (k == at) kept.insert(kept.end(), values.begin(), values.end());
    if (k < n && !taken[static_cast<size_t>(k)]) kept.push_back(items[static_cast<size_t>(k)]);
  }
  list.assign(std::move(kept));
}

void list_questions(const ProgramOp& op, const ir::Effects& reads) {
  op({"len.Tensor(Tensor t) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(a[0].as_tensor().dim() > 0, Type, "[", self.name(), "] len() of a 0-d tensor");
       out[0] = a[0].as_tensor().size(0);
     })
      .reads_sizes_alone()
      .effects(raising({}))
      .canonical([](ir::Node* n) {
        n->graph()->set_args(n, ir::Args(n->arg(0), 0));
        n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::sym_size.int")));
        return true;
      })
      .doc("The first size of a tensor.");
  op({"index.t(t[] self, t el) -> int", "index.list_int(int[] self, int el) -> int", "index.list_float(float[] self, float el) -> int",
      "index.list_bool(bool[] self, bool el) -> int", "index.list_str(str[] self, str el) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const int64_t k = List(a[0]).find(self, a[1]);
       MONOGRAPH_CHECK(k >= 0, Value, "[", self.name(), "] the value is not in the list");
       out[0] = k;
     })
      .effects(raising(reads))
      .doc("The place of the first equal value of a list.");
  op({"index.list_Tensor(Tensor[] self, Tensor el) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const std::vector<IValue>& items = a[0].items();
       const auto at = std::ranges::find_if(items, [&](const IValue& item) { return equal_tensors(a[1], item); });
       MONOGRAPH_CHECK(at != items.end(), Value, "[", self.name(), "] the value is not in the list");
       out[0] = static_cast<int64_t>(at - items.begin());
     })
      .effects(raising(reads))
      .doc("The place of the first equal tensor of a list, each of one number.");
  op({"eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::ranges::equal(a[0].items(), a[1].items(), equal_tensors); })
      .effects(raising(reads))
      .doc("Whether two lists have equal tensors, each of one number.");
  op({"ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = !std::ranges::equal(a[0].items(), a[1].items(), equal_tensors); })
      .effects(raising(reads))
      .doc("Whether two lists have other tensors, each of one number.");
  op({"count.t(t[] self, t el) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const std::vector<IValue> items = List(a[0]).items();
       out[0] = static_cast<int64_t>(std::ranges::count_if(items, [&](const IValue& item) { return equal_values(self, item, a[1]); }));
     })
      .effects(reads)
      .doc("How many values of a list are equal to this one.");
  op({"__contains__.t(t[] l, t item) -> bool"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = List(a[0]).find(self, a[1]) >= 0; })
      .effects(reads)
      .doc("Whether a list has an equal value.");
  op({"copy.t(t[] self) -> t[]", "list.t(t[] l) -> t[]"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = IValue::list(List(a[0]).items()); })
      .effects(reads)
      .doc("Another list of the same values.");
  op({"sorted.t(t[] input) -> t[]"},
     [](const Operator& self, const IValue* a, IValue* out) {
       std::vector<IValue> items = List(a[0]).items();
       sort_values(self, items, false);
       out[0] = IValue::list(std::move(items));
     })
      .effects(reads)
      .doc("A sorted list of the same numbers or strs.");
  EvalFn repeated = [](const Operator&, const IValue* a, IValue* out) {
    const bool list_first = !a[0].is_int();
    const std::vector<IValue> items = List(a[list_first ? 0 : 1]).items();
    const int64_t n = a[list_first ? 1 : 0].to_int();
    std::vector<IValue> all;
    for (int64_t k = 0; k < n; ++k) all.insert(all.end(), items.begin(), items.end());
    out[0] = IValue::list(std::move(all));
  };
  op({"mul.left_t(t[] l, int n) -> t[]", "mul.right_(int n, t[] l) -> t[]"}, repeated).effects(reads).doc("The values of a list, n times.");
  op({"prim::min.self_int(int[] self) -> int", "prim::min.self_bool(bool[] self) -> bool", "prim::min.self_float(float[] self) -> float",
      "prim::min.self_str(str[] self) -> str"},
     extremum<false>)
      .effects(raising(reads))
      .doc("The least value of a list.");
  op({"prim::max.self_int(int[] self) -> int", "prim::max.self_bool(bool[] self) -> bool", "prim::max.self_float(float[] self) -> float",
      "prim::max.self_str(str[] self) -> str"},
     extremum<true>)
      .effects(raising(reads))
      .doc("The greatest value of a list.");
  for (const char* name : {"prim::min.self_str", "prim::max.self_str"}) no_torchscript(name, "TorchScript has no least or greatest str");
  // A list of flags passes for one of floats, too, so its own overload goes first.
  op({"mul_.t(t[](a!) l, int n) -> t[](a!)"},
     [](const Operator&, const IValue* a, IValue* out) {
       const std::vector<IValue> items = List(a[0]).items();
       std::vector<IValue> all;
       for (int64_t k = 0; k < a[1].to_int(); ++k) all.insert(all.end(), items.begin(), items.end());
       List(a[0]).assign(std::move(all));
       out[0] = a[0];
     })
      .functional("aten::mul.left_t")
      .doc("Python's *= of a list.");
  op({"sum.complex(complex[] self) -> complex"},
     [](const Operator&, const IValue* a, IValue* out) {
       std::complex<double> sum;
       for (const IValue& item : List(a[0]).items()) sum += item.to_complex();
       out[0] = sum;
     })
      .effects(reads)
      .doc("The sum of a list of numbers.");
  op({"sum.int(int[] self) -> int", "sum.bool(bool[] self) -> int", "sum.float(float[] self) -> float"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const bool floats = self.schema().returns()[0].type.is(ir::TypeKind::Float);
       double sum = 0;
       uint64_t whole = 0;
       for (const IValue& item : List(a[0]).items())
         floats ? void(sum += item.to_double()) : void(whole += static_cast<uint64_t>(item.to_int()));
       out[0] = floats ? IValue(sum) : IValue(static_cast<int64_t>(whole));
     })
      .effects(reads)
      .doc("The sum of a list of numbers.");
  op({"all.int(int[] self) -> bool", "all.float(float[] self) -> bool", "all.bool(bool[] self) -> bool"}, truths<true>)
      .effects(reads)
      .doc("Whether all numbers of a list are true.");
  op({"any.int(int[] self) -> bool", "any.float(float[] self) -> bool", "any.bool(bool[] self) -> bool"}, truths<false>)
      .effects(reads)
      .doc("Whether a number of a list is true.");
  op({"eq.float_list(float[] a, float[] b) -> bool", "eq.bool_list(bool[] a, bool[] b) -> bool", "eq.str_list(str[] a, str[] b) -> bool"},
     compare_lists<true>)
      .effects(reads)
      .doc("Whether two lists have equal values.");
  op({"ne.float_list(float[] a, float[] b) -> bool", "ne.bool_list(bool[] a, bool[] b) -> bool", "ne.str_list(str[] a, str[] b) -> bool"},
     compare_lists<false>)
      .effects(reads)
      .doc("Whether two lists have other values.");
}

// Adds the methods of dicts whose keys have the type `k`. In the schemas below, $ stands for that type. `texts` keeps the schemas alive.
void dict_methods(const ProgramOp& op, const ir::Effects& reads, const std::string& k, std::deque<std::string>& texts) {
  auto text = [&](const std::string& pattern) {
    std::string s;
    for (char c : pattern) c == '$' ? s += k : s += c;
    return texts.emplace_back(std::move(s)).c_str();
  };
  if (k != "str") {
    op({text("__getitem__.Dict_$(Dict($, t) self, $ key) -> t(*)")},
       [](const Operator& self, const IValue* a, IValue* out) {
         const int64_t at = find_key(a[0], a[1]);
         if (at < 0) no_key(self, a[1]);
         out[0] = a[0].pairs()[static_cast<size_t>(at)].second;
       })
        .effects(raising(reads))
        .doc("The value of a key of a dict.");
    op({text("len.Dict_$(Dict($, t) self) -> int")},
       [](const Operator&, const IValue* a, IValue* out) { out[0] = static_cast<int64_t>(a[0].pairs().size()); })
        .effects(reads)
        .doc("The number of keys of a dict.");
  }
  op({text("_set_item.$(Dict($, t)(a!) l, $ idx, t v) -> ()")}, [](const Operator&, const IValue* a, IValue*) {
    if (const int64_t at = find_key(a[0], a[1]); at >= 0) a[0].pairs()[static_cast<size_t>(at)].second = a[2];
    else a[0].pairs().emplace_back(a[1], a[2]);
  }).doc("Sets the value of a key of a dict.");
  op({text("keys.$(Dict($, t) self) -> $[]")},
     [](const Operator&, const IValue* a, IValue* out) {
       std::vector<IValue> keys;
       for (const auto& [key, value] : a[0].pairs()) keys.push_back(key);
       out[0] = IValue::list(std::move(keys));
     })
      .effects(reads)
      .doc("The keys of a dict, in the order in which they came.");
  op({text("values.$(Dict($, t) self) -> t[]")},
     [](const Operator&, const IValue* a, IValue* out) {
       std::vector<IValue> values;
       for (const auto& [key, value] : a[0].pairs()) values.push_back(value);
       out[0] = IValue::list(std::move(values));
     })
      .effects(reads)
      .doc("The values of a dict, in the order in which their keys came.");
  op({text("items.$(Dict($, t) self) -> (($, t)[])")},
     [](const Operator&, const IValue* a, IValue* out) {
       std::vector<IValue> items;
       for (const auto& [key, value] : a[0].pairs()) items.push_back(IValue::tuple({key, value}));
       out[0] = IValue::list(std::move(items));
     })
      .effects(reads)
      .doc("The keys of a dict with their values.");
  op({text("get.$(Dict($, t) self, $ key) -> t?")},
     [](const Operator&, const IValue* a, IValue* out) {
       const int64_t at = find_key(a[0], a[1]);
       out[0] = at < 0 ? IValue() : a[0].pairs()[static_cast<size_t>(at)].second;
     })
      .effects(reads)
      .doc("The value of a key of a dict, or None.");
  op({text("get.default_$(Dict($, t) self, $ key, t default_value) -> t(*)")},
     [](const Operator&, const IValue* a, IValue* out) {
       const int64_t at = find_key(a[0], a[1]);
       out[0] = at < 0 ? a[2] : a[0].pairs()[static_cast<size_t>(at)].second;
     })
      .effects(reads)
      .doc("The value of a key of a dict, or another value.");
  EvalFn pop = [](const Operator& self, const IValue* a, IValue* out) {
    const int64_t at = find_key(a[0], a[1]);
    const bool has_default = self.schema().arguments().size() == 3;
    if (at < 0 && !has_default) no_key(self, a[1]);
    out[0] = at < 0 ? a[2] : a[0].pairs()[static_cast<size_t>(at)].second;
    if (at >= 0) a[0].pairs().erase(a[0].pairs().begin() + at);
  };
  op({text("pop.Dict_$(Dict($, t)(a!) self, $ key) -> t(*)"),
      text("pop.Dict_default_$(Dict($, t)(a!) self, $ key, t default_value) -> t(*)")},
     pop)
      .effects(raising(reads))
      .doc("Takes a key out of a dict, and gives its value.");
  op({text("Delete.Dict_$(Dict($, t)(a!) self, $ key) -> ()")},
     [](const Operator& self, const IValue* a, IValue*) {
       const int64_t at = find_key(a[0], a[1]);
       if (at < 0) no_key(self, a[1]);
       a[0].pairs().erase(a[0].pairs().begin() + at);
     })
      .effects(raising(reads))
      .doc("Python's del of a key of a dict.");
  op({text("setdefault.$(Dict($, t)(a!) self, $ key, t default_value) -> t(*)")}, [](const Operator&, const IValue* a, IValue* out) {
    const int64_t at = find_key(a[0], a[1]);
    if (at < 0) a[0].pairs().emplace_back(a[1], a[2]);
    out[0] = at < 0 ? a[2] : a[0].pairs()[static_cast<size_t>(at)].second;
  }).doc("The value of a key of a dict, which is set where the key is missing.");
  op({text("update.$(Dict($, t)(a!) self, Dict($, t) to_add) -> ()")}, [](const Operator&, const IValue* a, IValue*) {
    const auto added = a[1].pairs();
    for (const auto& [key, value] : added) {
      if (const int64_t at = find_key(a[0], key); at >= 0) a[0].pairs()[static_cast<size_t>(at)].second = value;
      else a[0].pairs().emplace_back(key, value);
    }
  }).doc("Sets the keys of another dict.");
  op({text("clear.$(Dict($, t)(a!) self) -> ()")}, [](const Operator&, const IValue* a, IValue*) {
    a[0].pairs().clear();
  }).doc("Empties a dict.");
  op({text("copy.Dict_$(Dict($, t) self) -> Dict($, t)")},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = IValue::dict(a[0].pairs()); })
      .effects(reads)
      .doc("Another dict of the same keys and values.");
  op({text("popitem.$(Dict($, t)(a!) self) -> (($, t))")},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(!a[0].pairs().empty(), Key, "[", self.name(), "] the dict is empty");
       out[0] = IValue::tuple({a[0].pairs().front().first, a[0].pairs().front().second});
       a[0].pairs().erase(a[0].pairs().begin());
     })
      .effects(raising(reads))
      .doc("Takes the first key out of a dict, as TorchScript does, and gives it with its value.");
  op({text("prim::pop_last.$(Dict($, t)(a!) self) -> (($, t))")},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(!a[0].pairs().empty(), Key, "[", self.name(), "] the dict is empty");
       out[0] = IValue::tuple({a[0].pairs().back().first, a[0].pairs().back().second});
       a[0].pairs().pop_back();
     })
      .effects(raising(reads))
      .doc("Takes the last key out of a dict, and gives it with its value.");
  no_torchscript(concat("prim::pop_last.", k),
                 "TorchScript's popitem() takes the first key; write key = list(d.keys())[-1] and d.pop(key)");
  op({text("__contains__.$(Dict($, t) dict, $ key) -> bool")},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = find_key(a[0], a[1]) >= 0; })
      .effects(reads)
      .doc("Whether a dict has a key.");
}

}  // namespace

void containers(Registry& r) {
  const ProgramOp op(r);
  ir::Effects reads;
  reads.reads = ir::Effects::Memory;
  list_methods(op, reads);
  list_questions(op, reads);
  std::deque<std::string> texts;  // the registry copies them
  for (const char* key : {"str", "int", "bool", "float", "complex", "Tensor"}) dict_methods(op, reads, key, texts);
}

}  // namespace monograph

// First the values of --input are parsed. Then each is assigned to an input of the graph, by name or by position. Then it is read or drawn, and checked
// against the input's type. The first input with a symbolic size sets the value of this size.
#include "cli/inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>

#include "cli/terminal.h"
#include "exec/interpreter.h"
#include "formats/npy.h"
#include "ir/words.h"
#include "kernels/random.h"
#include "kernels/random_checks.h"
#include "ops/dispatch.h"

namespace monograph::cli {
namespace {

constexpr const char* kForms = "a file x.npy, random:2x3:float32, random, or text:1,2,3";
constexpr int64_t kMostElements = int64_t{1} << 36;  // of a random input, so that a mistyped size does not exhaust the memory

[[noreturn]] void bad_input(std::string_view word, std::string_view what) {
  throw UsageError(concat("--input ", printable(word), ": ", what), concat("an input is ", kForms, "; NAME= before it names the input"));
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
bool read(std::string_view text, T& out) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string dtype_names() {
  std::string out;
  for (int t = 0; t < kComputedDTypeCount; ++t) out += concat(t ? ", " : "", name(static_cast<DType>(t)));
  return out;
}

void read_random(InputSpec& spec, std::string_view rest) {
  const auto parts = split(rest, ':');
  if (!parts[0].empty()) {
    spec.shape.emplace();
    if (parts[0] != "scalar")
      for (std::string_view size : split(parts[0], 'x')) {
        int64_t n = 0;
        if (!read(size, n) || n < 0)
          bad_input(spec.word, concat("'", size, "' is not a size; write a shape as 2x3x8, or scalar for no dims"));
        spec.shape->push_back(n);
      }
  }
  if (parts.size() > 1 && !parts[1].empty()) {
    DType t{};
    if (!parse_dtype(parts[1], t)) bad_input(spec.word, concat("'", parts[1], "' is not a dtype; the dtypes are ", dtype_names()));
    spec.dtype = t;
  }
  if (parts.size() > 2 && (!read(parts[2], spec.below) || spec.below < 1))
    bad_input(spec.word, concat("'", printable(parts[2]), "' is not an upper bound for random integers; it must be a positive integer"));
  if (parts.size() > 3) bad_input(spec.word, "there may be nothing after the upper bound of random integers");
}

// Refuses a number that the dtype in the option cannot represent.
void check_fits(const InputSpec& spec, std::string_view cell, std::optional<int64_t> whole) {
  const DType t = *spec.dtype;
  if (!is_integral(t)) return;
  if (!whole) bad_input(spec.word, concat(printable(cell), " is not a whole number, but torch.", name(t), " needs one"));
  const int bits = 8 * static_cast<int>(element_size(t)) - (info(t).is_signed ? 1 : 0);
  const int64_t high = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1, low = info(t).is_signed ? -high - 1 : 0;
  if (*whole < low || *whole > high)
    bad_input(spec.word, concat(printable(cell), " is out of the range of torch.", name(t), ", which is from ", low, " to ", high));
}

// The numbers of text:…, as a tensor.
Tensor text_tensor(const InputSpec& spec) {
  std::vector<double> floats;
  std::vector<int64_t> ints;
  bool whole = true;
  int64_t columns = -1;
  auto rows = split(spec.text, ';');
  const bool table = rows.size() > 1;
  if (table && rows.back().empty()) rows.pop_back();
  for (std::string_view row : rows) {
    const auto cells = row.empty() ? std::vector<std::string_view>() : split(row, ',');
    if (columns >= 0 && static_cast<int64_t>(cells.size()) != columns) bad_input(spec.word, "its rows differ in length");
    columns = static_cast<int64_t>(cells.size());
    for (std::string_view cell : cells) {
      int64_t i = 0;
      double d = 0;
      const bool truth = cell == "true" || cell == "True", word = truth || cell == "false" || cell == "False";
      const bool is_int = word || read(cell, i);
      if (word) i = truth;
      if (!is_int && !read(cell, d)) bad_input(spec.word, concat("'", printable(cell), "' is not a number"));
      if (!is_int && cell.find_first_not_of("+-0123456789") == std::string_view::npos && !(spec.dtype && is_floating(*spec.dtype)))
        bad_input(spec.word, concat(printable(cell), " is out of the range of int64; write ", printable(cell), ".0 for a float"));
      if (spec.dtype) check_fits(spec, cell, is_int ? std::optional(i) : std::nullopt);
      whole = whole && is_int;
      ints.push_back(i), floats.push_back(is_int ? static_cast<double>(i) : d);
    }
  }
  const Dims shape = table ? Dims{static_cast<int64_t>(rows.size()), columns} : Dims{columns};
  Tensor t = empty(shape, whole ? DType::i64 : DType::f64);
  if (whole) std::copy(ints.begin(), ints.end(), t.data_as<int64_t>());
  else std::copy(floats.begin(), floats.end(), t.data_as<double>());
  const DType wanted = spec.dtype.value_or(whole ? DType::i64 : DType::f32);
  return wanted == t.dtype() ? t : Tensor("to"_op(t, wanted));
}

StridedView view_of(const Tensor& t) { return {t.dtype(), t.data(), static_cast<int>(t.dim()), t.sizes().data(), t.strides().data()}; }

void collect(std::vector<NamedValue>& out, const std::string& path, const IValue& v) {
  if (v.is_list() || v.is_tuple()) {
    for (size_t k = 0; k < v.items().size(); ++k) collect(out, concat(path, "[", k, "]"), v.items()[k]);
  } else if (v.is_dict()) {
    for (const auto& [key, value] : v.pairs())
      collect(out, key.is_string() ? concat(path, "['", key.to_string(), "']") : concat(path, "[", key.is_int() ? key.to_int() : -1, "]"),
              value);
  } else if (v.is_ints()) {
    for (size_t k = 0; k < v.to_ints().size(); ++k) out.push_back({concat(path, "[", k, "]"), v.to_ints()[k]});
  } else {
    out.push_back({path, v});
  }
}

}  // namespace

CLI::Validator number_in(double low, double high) {
  std::array<char, 64> range{};
  if (high < std::numeric_limits<double>::max()) std::snprintf(range.data(), range.size(), "from %g to %g", low, high);
  else std::snprintf(range.data(), range.size(), "of at least %g", low);
  return {[=](std::string& word) {
            double v = 0;
            return read(word, v) && v >= low && v <= high ? std::string()
                                                          : concat("expected a number ", range.data(), ", but got ", printable(word));
          },
          ""};
}

CLI::Validator seed_number() {
  return {[](std::string& word) {
            uint64_t v = 0;
            return read(word, v) ? std::string() : concat("expected a whole number from 0 to ", UINT64_MAX, ", but got ", printable(word));
          },
          ""};
}

DimValues parse_dims(const std::vector<std::string>& words) {
  DimValues dims;
  for (const std::string& word : words) {
    const size_t at = word.find('=');
    int64_t n = 0;
    if (at == std::string::npos || at == 0 || !read(std::string_view(word).substr(at + 1), n) || n < 0)
      throw UsageError(concat("--dim ", printable(word), ": expected NAME=N, and N must not be negative"),
                       "as in --dim s0_0=128; `monograph info FILE` shows the names");
    if (!dims.emplace(word.substr(0, at), n).second)
      throw UsageError(concat("--dim ", word.substr(0, at), " is given twice"), "give each size once");
  }
  return dims;
}

std::vector<std::string> size_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Node* p : graph.placeholders())
    if (p->type()) p->type().visit_symbols([&](const Symbol& s) { names.push_back(s.name); });
  return names;
}

void check_dims(const ir::Graph& graph, const DimValues& dims) {
  const std::vector<std::string> names = size_names(graph);
  for (const auto& [name, n] : dims)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(concat("--dim ", name, "=", n, ": no input has a size of that name", did_you_mean(name, names)),
                       "`monograph info FILE` shows the inputs with their sizes");
}

InputSpec parse_input(const std::string& word) {
  InputSpec spec;
  spec.word = spec.text = word;
  if (const size_t at = word.find('='); at != std::string::npos && ir::is_identifier(std::string_view(word).substr(0, at)))
    spec.name = word.substr(0, at), spec.text = word.substr(at + 1);
  if (spec.text.empty()) bad_input(word, "is empty");
  if (spec.text == "random" || spec.text.starts_with("random:")) {
    spec.kind = InputSpec::Kind::Random;
    read_random(spec, std::string_view(spec.text).substr(std::min<size_t>(7, spec.text.size())));
  } else if (spec.text.starts_with("text:")) {
    spec.kind = InputSpec::Kind::Text;
    spec.text.erase(0, 5);
    DType t{};
    if (const size_t at = spec.text.rfind(':'); at != std::string::npos && parse_dtype(std::string_view(spec.text).substr(at + 1), t))
      spec.dtype = t, spec.text.resize(at);
  }
  return spec;
}

void InputOptions::add_to(CLI::App& app) {
  app.add_option("--input", inputs,
                 concat("An input, in order or by name: ", kForms,
                        ". May be repeated. ';' separates rows of text; "
                        "random:1x8:int64:30000 draws integers below 30000 (default: below 10)."))
      ->type_name("[NAME=]SPEC")
      ->allow_extra_args(false);
  app.add_option("--dim", dims, "A symbolic size, for random inputs without a shape. May be repeated.")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--seed", seed, "Seed of random inputs and of random operators (default 0).")->type_name("N")->check(seed_number());
}

Binding::Binding(const ir::Graph& graph, const InputOptions& options, bool fill)
    : graph_(graph), dims_(parse_dims(options.dims)), generator_(options.seed) {
  for (ir::Node* p : graph.placeholders()) slots_.push_back({p->target().name(), p->type(), {}, {}, {}});
  check_dims(graph, dims_);
  for (const auto& [name, n] : dims_) set_by_[name] = "--dim";
  std::vector<InputSpec> specs;
  for (const std::string& word : options.inputs) specs.push_back(parse_input(word));
  assign(specs, fill);
  // First the inputs with given sizes, which may set the symbolic sizes of the random ones.
  for (bool follows : {false, true})
    for (Slot& s : slots_)
      if (s.spec && (s.spec->kind == InputSpec::Kind::Random && !s.spec->shape) == follows) prepare(s);
  // A missing input is reported last, after errors in the inputs that were given.
  if (missing_.empty()) return;
  const Slot& s = slots_[missing_[0]];
  fail(ErrorKind::Value, "input '", s.name, "' is missing", s.type ? concat("; it is ", ir::in_words(s.type)) : "", "\n  add --input ",
       s.name, "=x.npy, --input ", s.name, "=random:2x3:float32 or --input ", s.name, "=text:1,2,3");
}

void Binding::assign(const std::vector<InputSpec>& specs, bool fill) {
  std::vector<std::string> names;
  for (const Slot& s : slots_) names.push_back(s.name);
  std::string all;
  for (const Slot& s : slots_) all += concat(all.empty() ? "" : ", ", s.name, s.type ? concat(": ", ir::in_words(s.type)) : "");
  const std::string takes = slots_.empty() ? concat(graph_.name(), " takes no inputs") : concat("the inputs of ", graph_.name(), ": ", all);
  for (const InputSpec& spec : specs) {
    if (spec.name.empty()) continue;
    auto at = std::find(names.begin(), names.end(), spec.name);
    MONOGRAPH_CHECK(at != names.end(), Value, "no input '", spec.name, "'", did_you_mean(spec.name, names), "\n  ", takes);
    Slot& slot = slots_[static_cast<size_t>(at - names.begin())];
    MONOGRAPH_CHECK(!slot.spec, Value, "input '", spec.name, "' is given twice: --input ", slot.spec->word, " and --input ", spec.word);
    slot.spec = spec;
  }
  auto slot = slots_.begin();
  for (const InputSpec& spec : specs) {
    if (!spec.name.empty()) continue;
    while (slot != slots_.end() && slot->spec) ++slot;
    MONOGRAPH_CHECK(slot != slots_.end(), Value, "too many inputs: --input ", spec.word, "\n  ", takes);
    slot->spec = spec;
  }
  for (size_t k = 0; k < slots_.size(); ++k) {
    Slot& s = slots_[k];
    const ir::Node* p = graph_.placeholders()[k];
    if (s.spec) continue;
    if (p->arg_count()) s.value = exec::literal(p->arg(0));
    else if (fill) s.spec = parse_input("random");
    else missing_.push_back(k);
  }
}

void Binding::wrong(const Slot& slot, std::string_view expected, std::string_view came, std::string_view way_out) const {
  fail(ErrorKind::Value, "input '", slot.name, "' must be ", expected, ", but ",
       slot.spec ? concat("--input ", slot.spec->word) : "its default", " is ", came, "\n  ", way_out);
}

void Binding::prepare(Slot& s) {
  InputSpec& spec = *s.spec;
  const ir::TypeKind kind = s.type ? s.type.kind() : ir::TypeKind::Any;
  const bool number =
      kind == ir::TypeKind::Int || kind == ir::TypeKind::SymInt || kind == ir::TypeKind::Float || kind == ir::TypeKind::Bool;
  if (kind == ir::TypeKind::Str && spec.kind == InputSpec::Kind::Text) {
    s.value = IValue(spec.text);
    return;
  }
  const bool ints = kind == ir::TypeKind::List && s.type.element().is(ir::TypeKind::Int);
  if (!number && !ints && kind != ir::TypeKind::Tensor && kind != ir::TypeKind::Any)
    wrong(s, ir::in_words(s.type), "an array", "the command line takes tensors, numbers and strings; run this graph from Python or C++");
  if (spec.kind == InputSpec::Kind::Random) {
    if (number || ints) wrong(s, ir::in_words(s.type), "a tensor", concat("give a number: --input ", s.name, "=text:3"));
    const ir::TensorType* t = kind == ir::TypeKind::Tensor ? &s.type.tensor() : nullptr;
    s.dtype = spec.dtype ? *spec.dtype : t && t->dtype ? *t->dtype : DType::f32;
    if (spec.shape) {
      s.shape = Dims(*spec.shape);
    } else {
      MONOGRAPH_CHECK(t && t->sizes, Value, "input '", s.name, "' needs a shape, because the graph does not say how many dimensions it has",
                      "\n  write --input ", s.name, "=random:2x3:", name(s.dtype));
      for (const auto& size : *t->sizes) {
        std::string unknown = size ? "" : "?";
        const size_t d = s.shape.size();
        int64_t n = !size ? 0 : size->evaluate([&](const Symbol& symbol) -> int64_t {
          if (auto at = dims_.find(symbol.name); at != dims_.end()) return at->second;
          if (symbol.hint) return dims_[symbol.name] = *symbol.hint;
          unknown = symbol.name;
          return 1;
        });
        MONOGRAPH_CHECK(unknown.empty(), Value, "input '", s.name, "' is ", ir::in_words(s.type), ", and the size of its dimension ", d,
                        " is unknown\n  add ",
                        unknown == "?" ? concat("--input ", s.name, "=random:2x3") : concat("--dim ", unknown, "=128"));
        s.shape.push_back(n);
      }
    }
    int64_t count = 1;
    for (int64_t n : s.shape)
      MONOGRAPH_CHECK(!__builtin_mul_overflow(count, n, &count) && count <= kMostElements, Value, "input '", s.name,
                      "': ", shape_text(s.dtype, s.shape), " has too many elements");
    check(s);
    return;
  }
  // Of a path that cannot be looked at, such as a symbolic link to itself, load_npy() says why.
  if (std::error_code failed;
      spec.kind == InputSpec::Kind::File && !spec.text.ends_with(".npy") && !std::filesystem::exists(spec.text, failed) && !failed)
    bad_input(spec.word, concat("there is no file '", printable(spec.text), "'"));
  Tensor t = spec.kind == InputSpec::Kind::File ? load_npy(spec.text) : text_tensor(spec);
  if (number) {
    if (t.numel() != 1) wrong(s, ir::in_words(s.type), shape_text(t), concat("give one number: --input ", s.name, "=text:3"));
    const double v = Tensor("to"_op(t, DType::f64)).data_as<double>()[0];
    if (kind == ir::TypeKind::Float) s.value = v;
    else if (kind == ir::TypeKind::Bool) s.value = v != 0;
    else if (!is_integral(t.dtype(), true))
      wrong(s, ir::in_words(s.type), shape_text(t), concat("give a whole number: --input ", s.name, "=text:3"));
    else s.value = Tensor("to"_op(t, DType::i64)).data_as<int64_t>()[0];
    return;
  }
  if (ints) {
    if (t.dim() != 1 || !is_integral(t.dtype()))
      wrong(s, ir::in_words(s.type), shape_text(t), concat("give whole numbers: --input ", s.name, "=text:3,4"));
    const Tensor w = "to"_op(t, DType::i64);
    s.value = Dims(std::span<const int64_t>(w.data_as<int64_t>(), static_cast<size_t>(w.numel())));
    return;
  }
  if (spec.kind == InputSpec::Kind::Text && t.numel() == 1 && kind == ir::TypeKind::Tensor && s.type.tensor().sizes &&
      s.type.tensor().sizes->empty())
    t = t.as_strided({}, {}, 0);
  s.value = t, s.shape = t.sizes(), s.dtype = t.dtype();
  check(s);
}

void Binding::check(const Slot& s) {
  if (!s.type.is(ir::TypeKind::Tensor)) return;
  const ir::TensorType& t = s.type.tensor();
  const std::string came = shape_text(s.dtype, s.shape), expected = ir::in_words(s.type);
  auto way_out = [&](std::string_view file) {
    return s.spec->kind == InputSpec::Kind::Text
               ? concat("write --input ", s.name, "=text:", s.spec->text, ":", name(t.dtype.value_or(s.dtype)))
           : s.spec->kind == InputSpec::Kind::Random
               ? concat("write --input ", s.name, "=random, which takes dtype and sizes from the graph; --dim NAME=N sets a size")
               : std::string(file);
  };
  if (t.dtype && *t.dtype != s.dtype)
    wrong(s, expected, came, way_out(concat("convert it: np.save(path, x.astype(np.", name(*t.dtype), "))")));
  if (!t.sizes) return;
  if (t.sizes->size() != s.shape.size())
    wrong(s, expected, concat(came, ", with ", plural(static_cast<int64_t>(s.shape.size()), "dimension")),
          s.spec->kind == InputSpec::Kind::Text && t.sizes->size() == 2
              ? concat("separate rows with ';': text:1,2;3,4 (one row: text:1,2;)")
              : concat("use an array with ", plural(static_cast<int64_t>(t.sizes->size()), "dimension")));
  for (size_t d = 0; d < s.shape.size(); ++d) {
    if (!(*t.sizes)[d]) continue;
    const SymInt size = *(*t.sizes)[d];
    if (const Symbol* symbol = size.as_symbol()) {
      const auto [at, is_new] = dims_.emplace(symbol->name, s.shape[d]);
      if (is_new) set_by_[symbol->name] = concat("dimension ", d, " of input '", s.name, "'");
      if (at->second != s.shape[d])
        wrong(s, concat(expected, ", of size ", at->second, " in dimension ", d), came,
              concat(set_by_.contains(symbol->name) ? set_by_[symbol->name] : "the example", " has size ", at->second));
      if (s.shape[d] < symbol->lower || s.shape[d] > symbol->upper)
        wrong(s, ir::in_words(s.type), came,
              concat("dimension ", d, " must be at least ", symbol->lower,
                     symbol->upper == INT64_MAX ? "" : concat(" and at most ", symbol->upper)));
    } else if (size.is_int() && size.as_int() != s.shape[d]) {
      wrong(s, expected, came, concat("dimension ", d, " must be ", size.as_int(), ", not ", s.shape[d]));
    }
  }
}

IValue Binding::random(const Slot& s) {
  Tensor t = empty(s.shape, s.dtype);
  const StridedView view = view_of(t);
  if (s.dtype == DType::b1) {
    bernoulli_(view, 0.5, generator_);
  } else if (is_integral(s.dtype)) {
    check_random("random", s.dtype, 0, s.spec->below);
    random_(view, 0, s.spec->below, generator_);
  } else {
    normal_(view, 0, 1, generator_);
  }
  return t;
}

std::vector<IValue> Binding::make() {
  std::vector<IValue> values;
  for (const Slot& s : slots_) {
    if (s.spec && s.spec->kind == InputSpec::Kind::Random) values.push_back(random(s));
    else if (s.value.is_tensor() && s.spec) values.push_back(Tensor("clone"_op(s.value)));  // graphs may write to their inputs
    else values.push_back(s.value);
  }
  return values;
}

std::vector<std::string> Binding::describe() const {
  std::vector<std::string> lines;
  for (const Slot& s : slots_) {
    const bool random = s.spec && s.spec->kind == InputSpec::Kind::Random;
    lines.push_back(concat(s.name, ": ", random ? shape_text(s.dtype, s.shape) + ", random" : shape_text(s.value)));
  }
  return lines;
}

std::string shape_text(DType dtype, std::span<const int64_t> sizes) {
  return sizes.empty() ? concat(name(dtype), " without dims") : concat(name(dtype), to_string(sizes));
}

std::string shape_text(const IValue& v) {
  if (v.is_tensor()) return shape_text(v.as_tensor().dtype(), v.as_tensor().sizes());
  return monograph::describe(v);
}

std::vector<NamedValue> leaves(const std::vector<IValue>& results) {
  std::vector<NamedValue> out;
  for (size_t k = 0; k < results.size(); ++k) collect(out, results.size() == 1 ? "output" : concat("output[", k, "]"), results[k]);
  return out;
}

Tensor as_tensor(const IValue& v) {
  if (v.is_tensor()) return v.to_tensor();
  Tensor t = empty(std::span<const int64_t>(), v.is_bool()      ? DType::b1
                                               : v.is_int()     ? DType::i64
                                               : v.is_complex() ? DType::c128
                                                                : DType::f64);
  if (v.is_bool()) t.data_as<bool>()[0] = v.to_bool();
  else if (v.is_int()) t.data_as<int64_t>()[0] = v.to_int();
  else if (v.is_float()) t.data_as<double>()[0] = v.to_double();
  else if (v.is_complex()) t.data_as<std::complex<double>>()[0] = v.to_complex();
  else fail(ErrorKind::Type, "a result is a ", monograph::describe(v), ", and not a tensor or number");
  return t;
}

}  // namespace monograph::cli

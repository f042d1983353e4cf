// Python code and the short texts of torch.fx.
//
// Code runs: an operator is spelled torch.ops.NAMESPACE.NAME.OVERLOAD, which Monograph and PyTorch both have, a small constant as torch.tensor(...),
// a guard as torch._assert(...).
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "ir/operators.h"
#include "ir/python_methods.h"
#include "ir/text.h"
#include "ir/unit.h"

namespace monograph::ir {

// repr() of Python's types.

void print_python_float(std::string& out, double v, bool point) {
  if (v != v) return void(out += "nan");
  char text[40];
  auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::scientific).ptr;
  std::string_view sci(text, static_cast<size_t>(end - text));
  if (sci.ends_with("inf")) return void(out += sci);
  int exponent = 0;
  size_t e = sci.find('e');
  std::from_chars(sci.data() + e + 1 + (sci[e + 1] == '+'), end, exponent);
  if (exponent < -4 || exponent >= 16) return void(out += sci);
  end = std::to_chars(text, text + sizeof text, v, std::chars_format::fixed).ptr;
  std::string_view fixed(text, static_cast<size_t>(end - text));
  out += fixed;
  if (point && fixed.find('.') == std::string_view::npos) out += ".0";
}

namespace {

constexpr std::string_view kRaise = "torch.fx._kept.raise_error";  // a `raise` of the program, in torch.fx's graphs
constexpr size_t kMaxPythonLoops = 16, kMaxPythonDepth = 80;  // CPython takes 20 nested loops, and 100 levels of indentation

void python_complex(std::string& out, std::complex<double> v) {
  if (v.real() == 0 && !std::signbit(v.real())) return print_python_float(out, v.imag(), false), void(out += "j");
  out += "(";
  print_python_float(out, v.real(), false);
  if (!std::signbit(v.imag()) || v.imag() != v.imag()) out += "+";
  print_python_float(out, v.imag(), false);
  out += "j)";
}

// Whether repr() writes a character beyond ASCII as an escape: separators, and what has no shape.
bool is_escaped(uint32_t c) {
  static constexpr std::pair<uint32_t, uint32_t> kRanges[] = {
      {0x80, 0xa0},     {0xad, 0xad},     {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},   {0x70f, 0x70f},
      {0x8e2, 0x8e2},   {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
      {0x3000, 0x3000}, {0xd800, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}};
  return std::any_of(std::begin(kRanges), std::end(kRanges), [c](const auto& r) { return r.first <= c && c <= r.second; });
}

// Writes the escape of the first character of a text in UTF-8, where that is beyond ASCII and has one. Answers how many bytes it took.
size_t escape(std::string& out, std::string_view s) {
  auto byte = [&](size_t k) { return static_cast<uint32_t>(static_cast<unsigned char>(s[k])); };
  const size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 1;
  if ((size != 2 && size != 3) || s.size() < size) return 0;  // those of four bytes have shapes
  uint32_t code = byte(0) & (size == 2 ? 0x1f : 0xf);
  for (size_t k = 1; k < size; ++k) code = code << 6 | (byte(k) & 0x3f);
  if (!is_escaped(code)) return 0;
  out += code < 0x100 ? "\\x" : "\\u";
  for (int shift = code < 0x100 ? 4 : 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[code >> shift & 15];
  return size;
}

void python_string(std::string& out, std::string_view s) {
  char quote = s.find('\'') != std::string_view::npos && s.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  for (size_t k = 0; k < s.size(); ++k) {
    if (size_t taken = escape(out, s.substr(k))) {
      k += taken - 1;
      continue;
    }
    char c = s[k];
    unsigned char u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else if (u < 0x20 || u == 0x7f) out += "\\x", out += "0123456789abcdef"[u >> 4], out += "0123456789abcdef"[u & 15];
    else out += c;
  }
  out += quote;
}

// How code writes an operator, its operands at "{}"; empty where it calls a function.
std::string operator_code(OperatorUse use) {
  if (!use || use.row->symbol.empty()) return {};
  switch (use.row->form) {
    case OperatorForm::Unary: return concat(use.row->symbol, "{}");
    case OperatorForm::GetItem: return "{}[{}]";
    case OperatorForm::SetItem: return "{}[{}] = {}";
    default: return concat("{} ", use.row->symbol, use.inplace ? "= {}" : " {}");
  }
}

}  // namespace

// The name under which generated code calls a function. "aten::relu" is all overloads of an operator.
std::string python_function(std::string_view name) {
  if (size_t colons = name.find("::"); colons != std::string_view::npos)
    return concat("torch.ops.", name.substr(0, colons), ".", name.substr(colons + 2));
  if (name.starts_with("torch.")) return std::string(name);
  if (name.starts_with("builtins.")) return std::string(name.substr(9));
  std::string result = name.starts_with("operator.") ? "_" : "";  // the module that defines them is _operator
  for (char c : name) result += is_identifier(concat("x", c)) ? c : '_';
  return result;
}

namespace {

// What a call_function node calls: of an operator the overload, where it is known.
std::string called_function(const Node* n) {
  const std::string& target = n->target().name();
  if (target.find("::") == std::string::npos || !n->info()) return python_function(target);
  return concat(python_function(n->info()->schema().name()), ".",
                n->info()->schema().overload().empty() ? "default" : n->info()->schema().overload());
}

// A constant's sizes and dtype, where its elements are too many to read.
std::string constant_summary(const TensorConstant& t) {
  std::string sizes;
  for (int64_t s : t.sizes()) sizes += concat(sizes.empty() ? "" : ", ", s);
  return concat("torch.Tensor(size=[", sizes, "], dtype=", ::monograph::name(t.dtype()), ")");
}

bool is_keyword(std::string_view name) {
  if (name.size() < 2 || name.size() > 8 || name.find('_') != std::string_view::npos) return false;
  static constexpr std::string_view kKeywords[] = {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
                                                   "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
                                                   "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
                                                   "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  for (std::string_view keyword : kKeywords)
    if (keyword[0] == name[0] && keyword == name) return true;
  return false;
}

class PythonPrinter {
 public:
  // brief: constants by sizes and dtype, for texts that nobody runs.
  PythonPrinter(const Graph& g, const PythonCode& options, bool brief = false) : g_(g), options_(options), brief_(brief) {
    for (Node* n : NestedNodes(g)) flat_ &= n->structure() == Structure::None;
  }

  std::string run() {
    if (flat_) find_last_uses();
    for (const Guard& guard : g_.guards())
      if (guard.value) guards_[guard.value].push_back(&guard);
    make_names();
    std::string body;
    const std::string parameters = "self" + placeholders(body);
    const Node* end = g_.output();
    const std::string result = end ? annotated(end) : "";
    out_.reserve(96 * (g_.node_count() + 4));
    out_ += concat("\n\n\ndef ", options_.name, "(", parameters, ")", result.empty() ? "" : " -> ", result, ":\n", body);
    sizes();
    bool empty = body.empty() && g_.guards().empty();
    std::vector<Frame> stack{{g_.root(), g_.root()->first()}};
    while (!stack.empty()) {
      auto [block, n] = stack.back();
      if (!n) {
        stack.pop_back();
        if (!block->owner()) break;
        end_block(block, stack.size());
        if (block->index() + 1 < block->owner()->block_count())
          stack.push_back(begin_block(block->owner()->block(block->index() + 1), stack.size()));
        continue;
      }
      stack.back().next = n->next();
      if (n->op() == Op::Placeholder || (n->op() == Op::Output && block->owner())) continue;
      if (n->is_projection() && n->projected()->structure() != Structure::None) continue;  // assigned where the blocks end
      empty = false;
      if (n->structure() == Structure::None) {
        out_.append(4 * stack.size(), ' ');
        statement(out_, n);
        if (!guards_.empty())
          if (const auto guards = guards_.find(n); guards != guards_.end())
            for (const Guard* guard : guards->second) out_ += "\n", out_.append(4 * stack.size(), ' ') += check(*guard, name(n));
        frees(out_, n);
        out_ += "\n";
        continue;
      }
      if (n->is_loop()) begin_loop(n, stack.size());
      const auto is_loop = [](const Frame& f) { return f.block->owner() && f.block->owner()->is_loop(); };
      MONOGRAPH_CHECK(stack.size() < kMaxPythonDepth && static_cast<size_t>(std::ranges::count_if(stack, is_loop)) < kMaxPythonLoops,
                      NotImplemented, "%", n->name(), " nests deeper than Python code can: in ", kMaxPythonLoops, " loops or ",
                      kMaxPythonDepth, " branches; print the text form instead");
      stack.push_back(begin_block(n->block(0), stack.size()));
    }
    if (empty) out_ += "    pass\n";
    out_ += "    ";
    return std::move(out_);
  }

  std::string repr(ArgRef a) const {
    std::string out;
    write(out, a);
    return out;
  }
  void write(std::string& out, ArgRef a) const {
    auto parts = [&](std::string_view open, std::string_view close) {
      out += open;
      bool first = true;
      for (ArgRef p : a) out += first ? "" : ", ", write(out, p), first = false;
      out += close;
    };
    switch (a.kind()) {
      case ArgKind::Node: out += name(a.as_node()); return;
      case ArgKind::Ellipsis: out += "Ellipsis"; return;
      case ArgKind::Float: {
        const double v = a.as_float();
        used_.numbers |= !std::isfinite(v);
        return print_python_float(out, v, true);
      }
      case ArgKind::Complex: {
        const std::complex<double> v = a.as_complex();
        used_.numbers |= !std::isfinite(v.real()) || !std::isfinite(v.imag());
        if (std::isfinite(v.imag())) return python_complex(out, v);
        out += "complex(", print_python_float(out, v.real(), true), out += ", ",
            print_python_float(out, v.imag(), true);  // "nanj" is a name
        out += ")";
        return;
      }
      case ArgKind::Str: return python_string(out, a.as_str());
      case ArgKind::Device: {
        used_.device = true;
        Device d = a.as_device();
        const std::string text = to_string(d);
        out.append("device(type='").append(text, 0, text.find(':')) += "'";
        if (d.index >= 0) out += concat(", index=", static_cast<int>(d.index));
        out += ")";
        return;
      }
      case ArgKind::SymInt: out += to_string(a.as_symint()); return;
      case ArgKind::Global: out += python_function(a.as_global().name); return;
      case ArgKind::Tensor: out += brief_ ? constant_summary(a.as_tensor()) : tensor(a.as_tensor()); return;
      case ArgKind::Slice: return parts("slice(", ")");
      case ArgKind::List: return parts("[", "]");
      case ArgKind::Tuple: return parts("(", a.size() == 1 ? ",)" : ")");
      case ArgKind::Dict: {
        bool key = true, first = true;
        out += "{";
        for (ArgRef p : a) {
          if (key && !first) out += ", ";
          write(out, p);
          if (key) out += ": ";
          key = !key, first = false;
        }
        out += "}";
        return;
      }
      default: return print_arg(out, a);
    }
  }

  // Names that the code has from elsewhere than `torch`.
  struct Used {
    bool numbers = false, device = false;  // inf and nan; device
    std::vector<const TensorConstant*> constants;  // _tensor_constant0, ...
    std::set<std::string> functions;  // of modules: math.sqrt
  };
  const Used& used() const { return used_; }

 private:
  struct Frame {
    const Block* block;
    const Node* next;
  };

  // Names from a text are no identifiers always, or are words of Python's.
  const std::string& name(const Node* n) const {
    if (renamed_.empty()) return n->name();
    const auto found = renamed_.find(n);
    return found == renamed_.end() ? n->name() : found->second;
  }
  [[noreturn]] static void refuse(const Node* n, const std::string& words) {
    Error e(ErrorKind::Value, concat("%", n->name(), " ", words));
    e.locate(n->span());
    throw e;
  }
  static bool needs_name(const Node* n) { return !is_identifier(n->name()) || is_python_name(n->name()) || n->name() == "self"; }
  void make_names() {
    bool all_good = true;
    for (const Node* n : NestedNodes(g_)) all_good &= !needs_name(n);
    if (all_good) return;
    std::unordered_set<std::string> taken;
    for (const Node* n : NestedNodes(g_))
      if (!needs_name(n)) taken.insert(n->name());
    for (const Node* n : NestedNodes(g_)) {
      if (!needs_name(n) || (n->op() == Op::Output && n->block()->owner() == nullptr)) continue;
      std::string base = is_identifier(n->name()) ? n->name() : "_";
      if (base == "_")
        for (char c : n->name()) base += c == '.' ? '_' : c;
      std::string made = base;
      for (size_t k = 1; is_python_name(made) || made == "self" || taken.contains(made); ++k) made = concat(base, "_", k);
      taken.insert(made);
      renamed_.emplace(n, std::move(made));
    }
  }

  // No parameter may have these names: keywords, and what the body names itself.
  bool is_hidden(std::string_view name) const {
    if (name == "device") return body_names(ArgKind::Device);
    if (name == "inf" || name == "nan") return body_names(ArgKind::Float) || body_names(ArgKind::Complex);
    return is_keyword(name) || name == "self" || name == "torch";
  }
  bool body_names(ArgKind kind) const {
    for (const Node* n : NestedNodes(g_)) {
      if (n->op() == Op::Placeholder) continue;  // a default is no part of the body
      for (uint32_t k = 0; k < n->skeleton().items; ++k)
        if (n->skeleton().item[k].kind == kind) return true;
    }
    return false;
  }

  // The parameters, and lines of `body` where a placeholder has another name than its parameter.
  std::string placeholders(std::string& body) const {
    std::string parameters;
    std::unordered_map<std::string, const Node*> taken;
    for (Node* p : g_.placeholders()) {
      std::string raw = p->target().name(), stars = raw.substr(0, std::min(raw.find_first_not_of('*'), raw.size()));
      raw.erase(0, stars.size());
      if (!is_identifier(raw) || is_hidden(raw)) raw = name(p);
      if (const auto [first, fresh] = taken.try_emplace(raw, p); !fresh)
        refuse(p, concat("and %", first->second->name(), " are both the parameter '", raw, "'. Give one of them another target"));
      parameters += ", " + stars + raw + annotation(p);
      if (p->arg_count()) parameters += " = ", parameters += repr(p->arg(0));
      if (raw != name(p)) body += "    " + name(p) + " = " + raw + "\n";
    }
    return parameters;
  }

  std::string annotated(const Node* n) const { return options_.annotation ? options_.annotation(n) : std::string(); }
  std::string annotation(const Node* n) const {
    const std::string text = annotated(n);
    return text.empty() || text.front() == ':' ? text : " : " + text;
  }

  // The symbols that arguments and guards name, read from the inputs whose sizes they are, and the guards on them.
  void sizes() {
    std::set<std::string> wanted;
    auto want = [&](const Symbol& s) { wanted.insert(s.name); };
    for (const Guard& guard : g_.guards())
      if (!guard.value) guard.size.visit_symbols(want);
    for (const Node* n : NestedNodes(g_))
      for (uint32_t k = 0; k < n->skeleton().items; ++k)
        if (n->skeleton().item[k].kind == ArgKind::SymInt) SymInt::from_bits(n->skeleton().item[k].i).visit_symbols(want);
    for (const Node* p : g_.placeholders()) {
      if (!p->type() || !p->type().is(TypeKind::Tensor) || !p->type().tensor().sizes) continue;
      for (size_t d = 0; d < p->type().tensor().sizes->size(); ++d) {
        const auto& size = (*p->type().tensor().sizes)[d];
        const Symbol* symbol = size ? size->as_symbol() : nullptr;
        if (symbol && wanted.erase(symbol->name)) line(1, concat(symbol->name, " = torch.ops.aten.sym_size.int(", name(p), ", ", d, ")"));
      }
    }
    for (const Guard& guard : g_.guards())
      if (!guard.value) line(1, check(guard, to_string(guard.size)));
  }
  std::string check(const Guard& guard, const std::string& value) const {
    const std::string expected = guard.expected.size() ? repr(guard.expected[0]) : "None";
    std::string text = concat("torch._assert(", value, " == ", expected, ", ");
    python_string(text, concat("the graph was captured where `", guard.expression, "` is ", expected));
    return text + ")";
  }

  static void elements(std::string& out, const TensorConstant& t, size_t dim, int64_t& at, bool& finite) {
    if (dim < t.sizes().size()) {
      out += "[";
      for (int64_t k = 0; k < t.sizes()[dim]; ++k) out += k ? ", " : "", elements(out, t, dim + 1, at, finite);
      out += "]";
      return;
    }
    std::string text;
    print_element(text, t.dtype(), t.bytes().data() + at++ * element_size(t.dtype()));
    for (size_t nan = 0; (nan = text.find("nan(", nan)) != std::string::npos;) nan += 3, text.erase(nan, text.find(')', nan) + 1 - nan);
    finite &= text.find('n') == std::string::npos;  // of nan and inf
    out += text;
  }
  std::string tensor(const TensorConstant& t) const {
    const std::string dtype = concat("torch.", ::monograph::name(t.dtype()));
    if (t.numel() == 0) {
      std::string sizes;
      for (int64_t s : t.sizes()) sizes += concat(sizes.empty() ? "" : ", ", s);
      return concat("torch.zeros([", sizes, "], dtype=", dtype, ")");
    }
    if (t.numel() > kLargestCodeConstant || t.bytes().empty()) {
      auto at = std::find(used_.constants.begin(), used_.constants.end(), &t);
      if (at == used_.constants.end()) at = used_.constants.insert(at, &t);
      return concat("self._tensor_constant", static_cast<int64_t>(at - used_.constants.begin()));
    }
    std::string out = "torch.tensor(";
    int64_t at = 0;
    bool finite = true;
    elements(out, t, 0, at, finite);
    used_.numbers |= !finite && !is_integral(t.dtype(), true);
    return concat(out, ", dtype=", dtype, ")");
  }
  void line(size_t depth, std::string_view text) { out_.append(4 * depth, ' ').append(text) += "\n"; }

  void find_last_uses() {
    last_users_.resize(g_.id_limit());
    for (const Node* n : *g_.root())
      for (size_t k = 0; k < n->input_count(); ++k) last_users_[n->input(k)->id()] = n;
  }
  void frees(std::string& out, const Node* n) {
    if (!flat_ || n->op() == Op::Output) return;
    const size_t before = out.size();
    const auto free = [&](const Node* v) { out.append(out.size() == before ? ";  " : "").append(name(v)) += " = "; };
    for (size_t k = 0; k < n->input_count(); ++k) {
      const Node* v = n->input(k);
      if (last_users_[v->id()] == n) free(v), last_users_[v->id()] = nullptr;  // once
    }
    if (!n->has_uses()) free(n);
    if (out.size() != before) out += "None";
  }

  // A function, as calls of it are written: of each target once.
  struct Callee {
    OperatorUse use;
    std::string pattern;  // of an operator
    std::string function;
    const std::vector<Argument>* places = nullptr;  // of an overload, whose arguments may go by their names
    bool of_unit = false;
  };
  const Callee& callee(const Node* n) {
    const auto [at, fresh] = callees_.try_emplace(n->target().surface);
    auto& known = at->second;
    const auto found = std::ranges::find(known, n->info(), &std::pair<const OpInfo*, Callee>::first);
    if (found != known.end()) return found->second;
    const std::string& target = n->target().name();
    Callee& made = known.emplace_back(n->info(), Callee()).second;
    made.use = python_operator(target);
    made.pattern = operator_code(made.use);
    made.function = called_function(n);
    if (n->info() && target.find("::") != std::string::npos) made.places = &n->info()->schema().arguments();
    made.of_unit = options_.functions && options_.functions->find_function(target);
    return made;
  }

  static void add_path(std::string& out, std::string_view target) {  // of the module's own
    bool plain = true;
    for (size_t begin = 0; plain && begin <= target.size();) {
      const size_t end = std::min(target.find('.', begin), target.size());
      const std::string_view part = target.substr(begin, end - begin);
      plain = is_identifier(part) && !is_keyword(part);
      begin = end + 1;
    }
    if (plain) out.append("self.").append(target);
    else out += path("self", target);
  }
  static std::string path(std::string base, std::string_view target) {
    for (;;) {
      size_t dot = target.find('.');
      std::string_view part = target.substr(0, dot);
      if (is_identifier(part) && !is_keyword(part)) base.append(".").append(part);
      else base.insert(0, "getattr(").append(", \"").append(part).append("\")");
      if (dot == std::string_view::npos) return base;
      target.remove_prefix(dot + 1);
    }
  }
  void arguments(std::string& out, const Node* n, size_t from, std::string_view first = "",
                 const std::vector<Argument>* places = nullptr) const {
    out.append("(").append(first);
    bool more = !first.empty();
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k < from) continue;
      if (more) out += ", ";
      more = true;
      // A graph may have in its place what a call gives by its name.
      if (k >= n->positional_count()) out.append(n->keyword(k - n->positional_count())) += " = ";
      else if (places && k < places->size() && (*places)[k].kwarg_only) out.append((*places)[k].name) += " = ";
      write(out, *it);
    }
    out += ")";
  }
  // first: what stands for the first operand; "" for itself.
  void filled(std::string& out, std::string_view pattern, const Node* n, std::string_view first = "") const {
    auto it = n->args_begin();
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '{') {
        out += pattern[i];
        continue;
      }
      if (it != n->args_end()) {
        std::string operand = it == n->args_begin() && !first.empty() ? std::string(first) : repr(*it);
        const bool negative_base = operand.starts_with('-') && pattern.substr(i).starts_with("{} ** ");  // -2 ** x is -(2 ** x)
        out += negative_base ? concat("(", operand, ")") : operand;
        ++it;
      }
      ++i;
    }
  }
  void head(std::string& out, const Node* n) const {
    out += name(n);
    if (options_.annotation) out += annotation(n);
    out += " = ";
  }
  // Whether x += 1 may stand for this call: x is a tensor, or nobody reads it afterwards.
  static bool writes_for_good(const Node* n) {
    if (!n->arg_count() || !n->arg(0).is(ArgKind::Node)) return false;
    const Node* written = n->arg(0).as_node();
    if (written->type() && written->type().is(TypeKind::Tensor)) return true;
    return written->block() == n->block() &&
           std::ranges::all_of(written->users(), [&](const Node* user) { return user == n || user->is_before(n); });
  }

  // Of what a graph is made of beside operators: lists, tuples and dicts, and how they are taken apart. Whether it was one.
  bool container(std::string& out, const Node* n) {
    const std::string& target = n->target().name();
    const auto parts = [&](std::string_view open, std::string_view close, bool pairs = false) {
      head(out, n), out += open;
      size_t k = 0;
      for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
        if (k) out += pairs && k % 2 ? ": " : ", ";
        write(out, *it);
      }
      out += close;
      return true;
    };
    if (target == "prim::ListConstruct") return parts("[", "]");
    if (target == "prim::TupleConstruct") return parts("(", n->arg_count() == 1 ? ",)" : ")");
    if (target == "prim::DictConstruct") return parts("{", "}", true);
    if (target == "prim::CreateObject")
      refuse(n, concat("makes an object of ", to_string(n->type()), ", whose class the Python code of a graph does not have"));
    if (target == "prim::Uninitialized") return head(out, n), out += "None", true;
    if (target == "prim::TupleIndex" && n->arg_count() == 2) return head(out, n), filled(out, "{}[{}]", n), true;
    if ((target != "prim::ListUnpack" && target != "prim::TupleUnpack") || n->arg_count() != 1) return false;
    head(out, n), out += "(";  // (_, _) = x raises where x has another length
    for (size_t k = 0; k < n->result_count(); ++k) out += k ? " _," : "_,";
    out += ") = ", write(out, n->arg(0));
    return true;
  }
  // An operator on a list, dict or str, as Python writes it: torch.ops would take a copy of a list. Whether it was one.
  bool of_container(std::string& out, const Node* n) {
    const std::string& target = n->target().name();
    if (!n->info() || target.find("::") == std::string::npos || !n->positional_count()) return false;
    const FunctionSchema& schema = n->info()->schema();
    if (schema.arguments().empty()) return false;
    const bool is = schema.name() == "aten::__is__";
    if ((is || schema.name() == "aten::__isnot__") && n->arg_count() == 2 && !n->arg(1).is_none())
      return head(out, n), filled(out, is ? "{} is {}" : "{} is not {}", n), true;
    const TypeKind kind = schema.arguments()[0].type.kind();
    const auto has = [](const auto& names, std::string_view name) { return std::ranges::find(names, name) != std::end(names); };
    const bool list = kind == TypeKind::List, dict = kind == TypeKind::Dict, text = kind == TypeKind::Str;
    if (!list && !dict && !text) return false;
    const std::string_view name = std::string_view(schema.name()).substr(schema.name().find("::") + 2);
    const size_t given = n->skeleton().names ? 0 : n->arg_count();  // what is no method takes all by position
    const auto value = [&](std::string_view pattern) { return head(out, n), filled(out, pattern, n), true; };
    const auto write_to = [&](std::string_view pattern) {  // the name of the call is the list's too
      filled(out, pattern, n);
      if (n->has_uses()) out += ";  ", head(out, n), write(out, n->arg(0));
      return true;
    };
    if (name == "__getitem__" && given == 2) return value("{}[{}]");
    if (name == "__contains__" && given == 2) return head(out, n), out += repr(n->arg(1)) + " in " + repr(n->arg(0)), true;
    if (name == "len" && given == 1) return value("len({})");
    if ((name == "list" || name == "sorted") && given == 1) return value(concat(name, "({})"));
    if (name == "slice" && given == 4) return value("{}[{}:{}:{}]");
    if (name == "_set_item" && given == 3) return write_to("{}[{}] = {}");
    if (name == "Delete" && given == 2) return write_to("del {}[{}]");
    if (name == "set_slice" && given == 5) return write_to("{}[{}:{}:{}] = {}");
    if (name == "delete_slice" && given == 4) return write_to("del {}[{}:{}:{}]");
    if (!(list && has(kListMethods, name)) && !(dict && has(kDictMethods, name)) && !(text && has(kStrMethods, name))) return false;
    const bool view = dict && given == 1 && (name == "keys" || name == "values" || name == "items");
    const bool sorts = name == "sort" && given == 2;
    std::string call = concat(repr(n->arg(0)), ".", name);
    if (sorts) call += concat("(reverse = ", repr(n->arg(1)), ")");
    else arguments(call, n, 1);
    const std::vector<Argument>& returns = schema.returns();
    const bool returns_itself = returns.size() == 1 && returns[0].type.kind() == kind && returns[0].writes();
    if (!returns_itself) return head(out, n), out += view ? concat("list(", call, ")") : call, true;
    out += call;
    if (n->has_uses()) out += ";  ", head(out, n), write(out, n->arg(0));
    return true;
  }
  void statement(std::string& out, const Node* n) {
    const std::string& target = n->target().name();
    switch (n->op()) {
      case Op::GetAttr: return head(out, n), add_path(out, target);
      case Op::CallModule: return head(out, n), add_path(out, target), arguments(out, n, 0);
      case Op::CallMethod:
        if (!n->arg_count())
          refuse(n, concat("calls the method '", target,
                           "' of nothing. Its first argument is the value that has the method: node.args = (value,)"));
        head(out, n), out += path(repr(n->arg(0)), target);
        return arguments(out, n, 1);
      case Op::Output: out += "return ", n->arg_count() ? write(out, n->arg(0)) : void(out += "None"); return;
      default: break;
    }
    if (n->op() == Op::CallFunction && (container(out, n) || of_container(out, n))) return;
    const Callee& called = callee(n);
    if (!called.pattern.empty()) {
      if (called.use.inplace && !writes_for_good(n)) {  // y = x;  y += 1: a number that is called x keeps its value, a tensor is written
        head(out, n), write(out, n->arg(0)), out += ";  ";
        return filled(out, called.pattern, n, name(n));
      }
      const bool writes = called.use.inplace || called.use.row->form == OperatorForm::SetItem;
      if (!writes) head(out, n);
      filled(out, called.pattern, n);
      if (writes) out += ";  ", head(out, n), write(out, n->arg(0));
      return;
    }
    if (target == kRaise && n->arg_count()) {
      out += concat("raise ", repr(n->arg(0)), "(", n->arg_count() > 1 ? repr(n->arg(1)) : "", ")");
      return;
    }
    if (n->op() == Op::CallFunction && !called.of_unit && target.find("::") == std::string::npos && target.find('.') != std::string::npos &&
        !target.starts_with("torch.") && !target.starts_with("builtins."))
      used_.functions.insert(target);
    head(out, n);
    if ((target == "builtins.getattr" || target == "getattr") && n->arg_count() == 2 && n->arg(1).is(ArgKind::Str) &&
        is_identifier(n->arg(1).as_str())) {
      out += path(repr(n->arg(0)), n->arg(1).as_str());
    } else if (target == "operator.not_" && n->arg_count() == 1) {
      out += "not ", write(out, n->arg(0));
    } else {
      out += called.function;
      arguments(out, n, 0, called.of_unit ? "self" : "", called.places);
    }
  }

  // A loop with a count that nothing ends before, which is a `for`.
  static bool is_counted(const Node* loop) {
    const auto is_true = [](ArgRef a) { return a.is(ArgKind::Bool) && a.as_bool(); };
    const Node* end = loop->block(0)->output();
    const bool endless = loop->arg(0).is(ArgKind::Int) && loop->arg(0).as_int() >= std::numeric_limits<int64_t>::max() / 2;
    // A carried value that the body reads by its first name, too: a capture of the code would not tell them apart in a `for`.
    for (size_t k = 0; k < loop->input_count(); ++k) {
      const std::vector<Node*> users = loop->input(k)->users();
      const bool is_count = loop->arg(0).is(ArgKind::Node) && k == 0;
      if (!is_count && std::any_of(users.begin(), users.end(), [&](const Node* user) { return loop->block(0)->contains(user); }))
        return false;
    }
    return !endless && is_true(loop->arg(1)) && end && end->arg_count() && is_true(end->arg(0));
  }

  // If and Loop: results are assigned at the end of each block; carried values are variables of the loop.
  void begin_loop(const Node* n, size_t depth) {
    auto slots = n->block(0)->placeholders();
    if (!is_counted(n)) {
      line(depth, name(slots[0]) + " = 0");
      line(depth, name(n) + "_runs = " + repr(n->arg(1)));
    }
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k >= 2) line(depth, name(slots[k - 1]) + " = " + repr(*it));
  }
  Frame begin_block(const Block* b, size_t depth) {
    const Node* n = b->owner();
    if (n->is_loop() && is_counted(n)) line(depth, concat("for ", name(b->first()), " in range(", repr(n->arg(0)), "):"));
    else if (n->is_loop()) line(depth, concat("while ", name(b->first()), " < ", repr(n->arg(0)), " and ", name(n), "_runs:"));
    else line(depth, b->index() == 0 ? "if " + repr(n->arg(0)) + ":" : std::string("else:"));
    return {b, b->first()};
  }
  void end_block(const Block* b, size_t depth) {
    const Node *n = b->owner(), *end = b->output();
    std::string to, from;
    size_t k = 0, head = n->is_loop();
    const bool counted = n->is_loop() && is_counted(n);
    auto slots = b->placeholders();
    for (auto it = end->args_begin(); it != end->args_end(); ++it, ++k) {
      std::string variable;
      if (counted && k == 0) continue;
      if (n->is_loop()) variable = k == 0 ? name(n) + "_runs" : name(slots[k]);
      else if (const Node* r = n->result(k)) variable = name(r);
      if (variable.empty()) continue;
      to += (to.empty() ? "" : ", ") + variable;
      from += (from.empty() ? "" : ", ") + repr(*it);
    }
    if (!to.empty()) line(depth + 1, to + " = " + from);
    if (n->is_loop()) {
      if (!counted) line(depth + 1, name(slots[0]) + " += 1");
      else if (to.empty() &&
               std::none_of(b->begin(), b->end(), [](const Node* m) { return m->op() != Op::Placeholder && m->op() != Op::Output; }))
        line(depth + 1, "pass");
      for (size_t r = 0; r < n->result_count(); ++r)
        if (const Node* result = n->result(r)) line(depth, name(result) + " = " + name(slots[r + head]));
    } else if (to.empty() && b->first() == end) {
      line(depth + 1, "pass");
    }
  }

  const Graph& g_;
  const PythonCode& options_;
  const bool brief_;
  std::string out_;
  bool flat_ = true;
  mutable Used used_;
  std::unordered_map<const Node*, std::string> renamed_;
  std::unordered_map<const Node*, std::vector<const Guard*>> guards_;
  std::vector<const Node*> last_users_;  // by id; null once the value is freed
  std::unordered_map<const Global*, std::vector<std::pair<const OpInfo*, Callee>>> callees_;  // of a surface, by what it means
};

}  // namespace

std::string to_python(const Graph& graph) { return to_python(graph, PythonCode()); }
std::string to_python(const Graph& graph, const PythonCode& options) { return PythonPrinter(graph, options).run(); }

std::string to_python_file(const Unit& unit, const Graph* only) {
  std::string code;
  bool numbers = false, device = false;
  std::set<std::string> functions;
  std::vector<std::string> left_out;
  const bool several = !only && unit.functions().size() > 1;
  for (const auto& g : unit.functions()) {
    if (only && g.get() != only) continue;
    PythonCode options;
    options.functions = &unit;
    if (several) options.name = python_function(g->name());
    PythonPrinter printer(*g, options);
    std::string text = printer.run();
    while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
    code += text.substr(text.find("\n\n") == 0 ? 1 : 0) + "\n";
    const auto& used = printer.used();
    numbers |= used.numbers, device |= used.device;
    functions.insert(used.functions.begin(), used.functions.end());
    for (size_t k = 0; k < used.constants.size(); ++k)
      left_out.push_back(
          concat("# self._tensor_constant", k, " of ", g->name(), " is a tensor of more than ", kLargestCodeConstant, " elements.\n"));
  }
  std::string head = "import monograph as torch  # or: import torch\n";
  std::string imports = numbers ? "from math import inf, nan\n" : "";
  for (const std::string& f : functions) {
    const size_t dot = f.rfind('.');
    imports += concat("from ", f.substr(0, dot), " import ", f.substr(dot + 1), " as ", python_function(f), "\n");
  }
  if (!imports.empty()) head = concat(imports, "\n", head);
  if (device) head += "\ndevice = torch.device\n";
  if (!left_out.empty()) head += "\n";
  for (const std::string& l : left_out) head += l;
  return head + code;
}

namespace {

std::string brief(ArgRef a) {
  static const Graph none;
  static const PythonCode plain;
  return PythonPrinter(none, plain, true).repr(a);
}

// str() of an argument as torch.fx shows it: nodes as %name, texts bare.
std::string fx_arg(ArgRef a) {
  if (Node* n = a.node()) return "%" + n->name();
  if (a.is(ArgKind::Str)) return a.as_str();
  if (a.is(ArgKind::Device)) return to_string(a.as_device());
  if (a.is(ArgKind::List) || a.is(ArgKind::Tuple)) {
    std::string out;
    for (ArgRef p : a) out += (out.empty() ? "" : ", ") + fx_arg(p);
    return a.is(ArgKind::List) ? "[" + out + "]" : "(" + out + (a.size() == 1 ? ",)" : ")");
  }
  if (a.is(ArgKind::Dict)) {
    std::string out;
    bool is_key = true;
    for (ArgRef p : a) {
      if (is_key) out += (out.empty() ? "" : ", ") + (p.is(ArgKind::Str) ? std::string(p.as_str()) : brief(p)) + ": ";
      else out += fx_arg(p);
      is_key = !is_key;
    }
    return "{" + out + "}";
  }
  return brief(a);
}

std::string fx_target(const Node* n) {
  const std::string& t = n->target().name();
  if (n->op() != Op::CallFunction || t.find("::") == std::string::npos) return t;
  return called_function(n);
}

}  // namespace

std::string format_node(const Node& node) {
  const Node* n = &node;
  if (n->op() == Op::Output) {
    std::string results;  // of a block any number
    for (auto it = n->args_begin(); it != n->args_end(); ++it) results += (results.empty() ? "" : ", ") + brief(*it);
    return "return " + (n->arg_count() == 1 ? results : "(" + results + ")");
  }
  std::string type = n->type() && n->op() != Op::Placeholder ? to_string(n->type()) + " " : "";
  std::string out =
      concat("%", n->name(), " : ", type, "[num_users=", n->users().size(), "] = ", to_string(n->op()), "[target=", fx_target(n), "]");
  if (n->op() == Op::Placeholder)
    return n->arg_count() ? out + "(default=" + (n->arg(0).is(ArgKind::Dict) ? brief(n->arg(0)) : fx_arg(n->arg(0))) + ")" : out;
  if (n->op() == Op::GetAttr) return out;
  std::string args, kwargs;
  size_t k = 0;
  for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
    if (k < n->positional_count()) args += (k ? ", " : "") + fx_arg(*it);
    else kwargs += (kwargs.empty() ? "" : ", ") + n->keyword(k - n->positional_count()) + ": " + fx_arg(*it);
  }
  return out + "(args = (" + args + (n->positional_count() == 1 ? ",)" : ")") + ", kwargs = {" + kwargs + "})";
}

std::string to_fx_string(const Graph& graph) {
  std::string out = "graph():";
  for (Node* n : NestedNodes(graph)) {
    size_t depth = 1;
    for (const Block* b = n->block(); b->owner() && depth < 32; b = b->parent()) ++depth;
    out += "\n" + std::string(4 * depth, ' ');
    out += format_node(*n);
  }
  return out;
}

// As the tabulate package lays it out: two spaces between columns, a line of dashes under the head.
// Columns line up with cells up to this width. Padding to the widest one would make the text quadratic: an output may list every node.
static constexpr size_t kWidestCell = 200;
// A column is wider than its head by this at least, as tabulate makes it.
static constexpr size_t kHeadPadding = 2;

std::string to_tabular(const Graph& graph) {
  std::vector<std::array<std::string, 5>> rows{{"opcode", "name", "target", "args", "kwargs"}};
  for (Node* n : NestedNodes(graph)) {
    size_t depth = 0;
    for (const Block* b = n->block(); b->owner() && depth < 32; b = b->parent()) ++depth;
    std::string args = "(", kwargs = "{";
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k < n->positional_count()) {
        args += (k ? ", " : "") + brief(*it);
      } else {
        if (kwargs.size() > 1) kwargs += ", ";
        python_string(kwargs, n->keyword(k - n->positional_count()));
        kwargs += ": " + brief(*it);
      }
    }
    args += n->positional_count() == 1 ? ",)" : ")";
    rows.push_back({std::string(2 * depth, ' ') + std::string(to_string(n->op())), n->name(), fx_target(n), args, kwargs + "}"});
  }
  size_t width[5];
  for (size_t c = 0; c < 5; ++c) width[c] = rows[0][c].size() + kHeadPadding;
  for (const auto& row : rows)
    for (size_t c = 0; c < 5; ++c) width[c] = std::max(width[c], std::min(row[c].size(), kWidestCell));
  std::string out;
  auto emit = [&](const std::array<std::string, 5>& row) {
    std::string text;
    for (size_t c = 0; c < 5; ++c) {
      text += row[c];
      if (c < 4) text.append((row[c].size() < width[c] ? width[c] - row[c].size() : 0) + 2, ' ');
    }
    while (text.ends_with(' ')) text.pop_back();
    out += text + "\n";
  };
  emit(rows[0]);
  std::array<std::string, 5> rule;
  for (size_t c = 0; c < 5; ++c) rule[c] = std::string(width[c], '-');
  emit(rule);
  for (size_t r = 1; r < rows.size(); ++r) emit(rows[r]);
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace monograph::ir

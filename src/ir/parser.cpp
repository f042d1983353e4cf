// Reads the text form of docs/ir.md, and TorchScript's spelling of it. Blocks nest on a stack of our own; arguments, types and sizes recurse, and
// their depth is bounded.
#include <algorithm>
#include <charconv>
#include <map>

#include "core/calls.h"
#include "core/characters.h"
#include "ir/format.h"
#include "ir/scanner.h"
#include "ir/text.h"

namespace monograph::ir {
class TextParser final : private Scanner {
 public:
  TextParser(std::string_view text, const ParseOptions& options) : Scanner(text), options_(options) {}

  std::unique_ptr<Graph> single() {
    return located([&] {
      symbols();
      expect_word("graph");
      auto g = graph();
      if (more()) error("expected the end of the text after a graph");
      return g;
    });
  }

  std::unique_ptr<Unit> unit() {
    return located([&] {
      auto u = std::make_unique<Unit>();
      if (accept_word("monograph"))
        if (const int64_t format = integer(); format != kFormat) error(wrong_format("text", std::to_string(format)));
      while (more()) {
        symbols();
        if (accept_word("graph")) u->add_function(graph());
        else if (accept_word("class")) class_definition(*u);
        else if (accept_word("module")) module(*u);
        else if (accept_word("root")) u->set_root(module_named(*u, identifier()));
        else error("expected 'graph', 'class', 'module' or 'root'");
      }
      for (auto& [m, attribute, name] : links_) m->values[attribute].module = module_named(*u, name);
      return u;
    });
  }

 private:
  // --- Errors: what happens below is reported at the place that was reached.

  template <class F>
  auto located(F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& e) {
      if (placed_) throw;
      fail(ErrorKind::Value, place(), e.what());
    }
  }
  std::string place() const {
    size_t at = std::min(at_, text_.size()), line = 1, start = 0;
    for (size_t i = 0; i < at; ++i)
      if (text_[i] == '\n') ++line, start = i + 1;
    return concat("line ", line, ", column ", at - start + 1, ": ");
  }
  [[noreturn]] void error(std::string_view what) override {
    std::string message = concat(place(), what);
    placed_ = true;
    throw Error(ErrorKind::Value, std::move(message));
  }

  // --- Words.

  // Whether the text goes on: for peek() a NUL is its end, wherever it stands.
  bool more() { return peek() || at_ < text_.size(); }

  // Identifiers joined by "." or "::", or a quoted text.
  std::string global() {
    if (peek() == '"') return quoted();
    size_t start = at_;
    identifier();
    for (;;) {
      const size_t joint = rest().starts_with("::") ? 2 : here() == '.' ? 1 : 0;
      if (!joint || !is_letter(here(joint))) break;
      at_ += joint;
      identifier();
    }
    return std::string(since(start));
  }
  std::string value_name() {
    expect("%");
    const std::string_view name = take_while([](char c) { return is_word(c) || c == '.'; });
    if (name.empty()) error("expected the name of a value after '%'");
    return std::string(name);
  }

  // --- Annotations: a comment of the form "# FILE:LINE:COL[-LINE:COL][, in call N][[,] scope: S]" or "# scope: S" belongs to the node or parameter
  // before it, and "# call N: ..." says what that call is; any other is a remark.

  bool comment() override {
    size_t start = at_ + 1, end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    size_t stop = end;
    while (stop > start && (text_[stop - 1] == ' ' || text_[stop - 1] == '\r')) --stop;
    while (start < stop && text_[start] == ' ') ++start;
    annotation(text_.substr(start, stop - start));
    at_ = end;
    return true;
  }
  static bool skip(std::string_view& note, std::string_view word) {
    const bool found = note.starts_with(word);
    if (found) note.remove_prefix(word.size());
    return found;
  }
  static void skip_space(std::string_view& note) {
    while (skip(note, " ") || skip(note, "\t")) {
    }
  }
  static bool take_number(std::string_view& note, uint32_t& number) {
    const auto r = std::from_chars(note.data(), note.data() + note.size(), number);
    note.remove_prefix(static_cast<size_t>(r.ptr - note.data()));
    return r.ec == std::errc();
  }
  std::string take_quoted(std::string_view& note) {
    const size_t begin = at_ = static_cast<size_t>(note.data() - text_.data());
    std::string text = quoted();
    note.remove_prefix(std::min(at_ - begin, note.size()));
    return text;
  }
  // "model.py:3:4-3:17, in call 2"; false where the note does not begin so.
  bool take_place(std::string_view& note, Span& span) {
    std::string file;
    if (note.starts_with('"')) {
      file = take_quoted(note);
    } else {
      // The file ends where ":LINE:COL" begins.
      size_t colon = 0;
      for (;; ++colon) {
        colon = note.find(':', colon);
        if (colon == std::string_view::npos) return false;
        size_t i = colon + 1;
        while (i < note.size() && is_digit(note[i])) ++i;
        if (i > colon + 1 && i + 1 < note.size() && note[i] == ':' && is_digit(note[i + 1])) break;
      }
      file = note.substr(0, colon);
      note.remove_prefix(colon);
    }
    if (!skip(note, ":") || !take_number(note, span.line) || !skip(note, ":") || !take_number(note, span.column)) return false;
    if (skip(note, "-") && (!take_number(note, span.end_line) || !skip(note, ":") || !take_number(note, span.end_column))) return false;
    if (!file.empty() && span.line) span.file = intern_file(file);
    skip_space(note);
    if (skip(note, ",")) skip_space(note);
    uint32_t call = 0;
    if (skip(note, "in call ") && take_number(note, call) && call && call <= calls_.size()) span = in_call(span, calls_[call - 1]);
    skip_space(note);
    if (skip(note, ",")) skip_space(note);
    return true;
  }
  // call 2: "relu" from "Net.forward" at model.py:20:15-20:28, in call 1
  bool call_remark(std::string_view note) {
    uint32_t number = 0;
    if (!skip(note, "call ") || !take_number(note, number) || !number || !skip(note, ": ") || !note.starts_with('"')) return false;
    CallInPlace call;
    call.function = take_quoted(note);
    if (!skip(note, " from ") || !note.starts_with('"')) return false;
    call.caller = take_quoted(note);
    if (!skip(note, " at ") || !take_place(note, call.at)) return false;
    if (number == 1) calls_.clear();  // each graph has calls of its own
    if (number == calls_.size() + 1) calls_.push_back(intern_call(std::move(call)));
    return true;
  }
  void annotation(std::string_view note) {
    if (call_remark(note) || (!noted_ && !noted_guard_) || note.empty()) return;
    Span span;
    std::string scope;
    if (!note.starts_with("scope:") && !take_place(note, span)) return;
    if (skip(note, "scope:")) {
      skip_space(note);
      if (note.starts_with('"')) scope = take_quoted(note);
      else scope = note;
    }
    if (noted_guard_) {
      noted_guard_->span = span.known() ? span : Span();
      return;
    }
    if (span.known()) noted_->graph()->set_span(noted_, span);
    if (!scope.empty()) noted_->graph()->set_scope(noted_, scope);
  }

  // --- Symbols and types.

  void symbols() {
    symbols_.clear();
    while (accept_word("symbol")) {
      Symbol s;
      s.name = identifier();
      if (accept_word("in")) {
        expect("[");
        s.lower = accept("-inf") ? std::numeric_limits<int64_t>::min() : integer();
        expect(",");
        s.upper = accept("inf") ? std::numeric_limits<int64_t>::max() : integer();
        expect("]");
        if (s.lower >= s.upper) error(concat("the range of ", s.name, " holds less than two numbers"));
      }
      if (accept_word("hint")) s.hint = integer();
      if (s.name == "max" || s.name == "min") error("a symbol cannot be named max or min");
      if (!symbols_.emplace(s.name, s).second) error(concat("the symbol ", s.name, " is declared twice"));
    }
  }
  const Symbol* symbol(std::string_view name) {
    auto found = symbols_.find(std::string(name));
    if (found == symbols_.end() && options_.declares_symbols)
      found = symbols_.emplace(std::string(name), Symbol{.name = std::string(name)}).first;
    return found == symbols_.end() ? nullptr : &found->second;
  }
  Type type() {
    peek();
    return parse_type(text_, at_, [this](std::string_view n) { return symbol(n); });
  }

  // --- Arguments.

  Node* value() {
    peek();
    size_t start = at_;
    std::string name = value_name();
    auto found = graph_ ? values_.find(graph_->strings_.find(name)) : values_.end();
    if (found == values_.end()) at_ = start, error(concat("%", name, " is not defined here"));
    return found->second;
  }

  void literal(Args& args) {
    switch (char c = peek()) {
      case '%': args.add(value()); return;
      case '"': args.add(quoted()); return;
      case '[': ++at_; return parts(args, ArgKind::List, "]");
      case '(': ++at_; return tuple_parts(args);
      case '{': ++at_; return dict(args);
      case '@':
        ++at_;
        args.global(global());
        return;
      case '.':
        if (accept("...")) return void(args.ellipsis());
        break;
      default:
        if (is_digit(c) || c == '-' || c == '+') return numeral(args);
        if (is_letter(c)) return word(args);
    }
    error("expected an argument");
  }
  void parts(Args& args, ArgKind kind, std::string_view close) {
    args.open(kind);
    if (!accept(close)) {
      do literal(args);
      while (accept(","));
      expect(close);
    }
    args.close();
  }
  void tuple_parts(Args& args) {
    args.open(ArgKind::Tuple);
    while (!accept(")")) {
      literal(args);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    args.close();
  }
  void dict(Args& args) {
    args.open(ArgKind::Dict);
    if (!accept("}")) {
      do {
        literal(args);
        expect(":");
        literal(args);
      } while (accept(","));
      expect("}");
    }
    args.close();
  }
  // The characters of a number, "-inf" and "nan(0x…)" included.
  std::string_view numeral_text() {
    peek();
    size_t start = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    if (text_.substr(at_).starts_with("inf")) {
      at_ += 3;
    } else if (text_.substr(at_).starts_with("nan")) {
      at_ += 3;
      if (text_.substr(at_).starts_with("(0x")) {
        size_t close = text_.find(')', at_);
        if (close == std::string_view::npos) error("nan( does not end");
        at_ = close + 1;
      }
    } else {
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' ||
                                    ((text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))))
        ++at_;
    }
    return text_.substr(start, at_ - start);
  }
  void numeral(Args& args) {
    size_t start = at_;
    std::string_view digits = numeral_text();
    if (digits.find_first_of(".eEn") == std::string_view::npos) {
      at_ = start;
      int64_t v = integer();
      if (at_ != start + digits.size()) error("expected a number");
      args.add(v);
      return;
    }
    double v;
    if (!read_float(digits, v)) at_ = start, error("expected a number");
    args.add(v);
  }
  void word(Args& args) {
    size_t start = at_;
    std::string name = global();
    if (name == "None") return void(args.none());
    if (name == "True" || name == "False") return void(args.add(name == "True"));
    if (name == "inf" || name == "nan") {
      at_ = start;
      return numeral(args);
    }
    if (name == "torch.strided") return void(args.layout());
    for (int f = 0; f < 4; ++f)
      if (name == to_string(static_cast<MemoryFormat>(f))) return void(args.add(static_cast<MemoryFormat>(f)));
    DType d;
    if (name.starts_with("torch.") && parse_dtype(name, d)) return void(args.add(d));
    if (!accept("("))
      at_ = start, error(concat("expected an argument, but got '", name, "' (a name from outside the graph is written @", name, ")"));
    if (name == "complex" || name == "slice") {
      size_t before = at_;
      parts(args, name == "complex" ? ArgKind::Complex : ArgKind::Slice, ")");
      if (name == "complex") check_complex(args, before);
    } else if (name == "device") {
      Device device;
      size_t before = at_;
      if (!parse_device(quoted(), device)) at_ = before, error("unknown device");
      expect(")");
      args.add(device);
    } else if (name == "sym") {
      peek();
      args.add(parse_symint(text_, at_, [this](std::string_view n) { return symbol(n); }));
      expect(")");
    } else if (name == "tensor") {
      args.add(tensor());
    } else if (name == "annotate") {  // TorchScript: annotate(List[int], [])
      type();
      expect(",");
      literal(args);
      expect(")");
    } else {
      at_ = start;
      error(concat("unknown argument ", name, "(…)"));
    }
  }
  void check_complex(const Args& args, size_t at) {
    auto items = args.items();
    for (size_t i = items.size() - 2; i < items.size(); ++i)
      if (items[i].kind != ArgKind::Float) at_ = at, error("a complex number has two floats");
  }

  TensorRef tensor() {
    peek();
    size_t start = at_;
    Type t = type();
    if (!t.is(TypeKind::Tensor) || !t.tensor().dtype || !t.tensor().sizes)
      at_ = start, error("expected the dtype and sizes of a constant, as Float(2, 3)");
    DType dtype = *t.tensor().dtype;
    std::vector<int64_t> sizes;
    int64_t count = 1;
    for (const auto& d : *t.tensor().sizes) {
      if (!d || !d->is_int() || d->as_int() < 0) at_ = start, error("a size of a constant is not a number");
      sizes.push_back(d->as_int());
      if (__builtin_mul_overflow(count, sizes.back(), &count) || count > (int64_t{1} << 56))
        at_ = start, error("the constant is too large");
    }
    expect(",");
    if (peek() == '"') {
      std::string hash = quoted();
      if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
        error("a content hash has 64 hexadecimal digits");
      expect(")");
      TensorRef found = options_.tensor ? options_.tensor(hash) : nullptr;
      if (!found) return missing_tensor_constant(dtype, sizes, hash);
      if (found->dtype() != dtype || !std::ranges::equal(found->sizes(), sizes))
        error("the constant of this hash has another dtype or other sizes");
      return found;
    }
    expect("[");
    if (count > kInlineElements) error(concat("a constant of more than ", kInlineElements, " elements is given by its hash"));
    std::vector<std::byte> bytes(static_cast<size_t>(count * element_size(dtype)));
    for (int64_t i = 0; i < count; ++i) {
      if (i) expect(",");
      element(dtype, bytes.data() + i * element_size(dtype));
    }
    expect("]");
    expect(")");
    return make_tensor_constant(dtype, sizes, bytes);
  }
  void element(DType dtype, std::byte* at) {
    if (is_complex(dtype)) {
      expect("complex(");
      element(real_type(dtype), at);
      expect(",");
      element(real_type(dtype), at + element_size(dtype) / 2);
      return expect(")");
    }
    peek();
    size_t start = at_;
    std::string_view digits = numeral_text();
    if (!read_element(digits, dtype, at)) at_ = start, error(concat("expected an element of ", name(dtype)));
  }

  // --- Graphs.

  std::unique_ptr<Graph> graph() {
    std::string name = "forward";
    if (const char next = peek(); next == '"' || is_letter(next)) name = global();
    auto g = std::make_unique<Graph>(name);
    graph_ = g.get();
    values_.clear();
    noted_ = nullptr, noted_guard_ = nullptr;
    if (accept("[")) {
      do graph_attribute();
      while (accept(","));
      expect("]");
    }
    parameters(g->root());
    body();
    std::vector<Guard> guards;
    std::unordered_map<std::string_view, Node*> all_values;  // a guard may check a value of any block
    while (accept_word("guard")) {
      if (all_values.empty())
        for (Node* n : NestedNodes(*graph_)) all_values[n->name()] = n;
      guards.push_back(guard(all_values));
    }
    for (Guard& guard : guards) g->add_guard(std::move(guard));
    noted_ = nullptr, noted_guard_ = nullptr;
    std::vector<std::string> relied_on;
    while (accept_word("relied_on")) relied_on.push_back(quoted());
    g->set_relied_on(std::move(relied_on));
    graph_ = nullptr, values_.clear();
    return g;
  }
  void graph_attribute() {
    std::string_view key = identifier();
    expect("=");
    std::string_view word = identifier();
    if (key == "level") {
      for (Level l : {Level::Module, Level::Operator, Level::Core})
        if (to_string(l) == word) return graph_->set_level(l);
    } else if (key == "dialect") {
      for (Dialect d : {Dialect::Fx, Dialect::TorchScript})
        if (to_string(d) == word) return graph_->set_dialect(d);
    }
    error(concat("unknown attribute ", key, "=", word));
  }

  void parameters(Block* block) {
    expect("(");
    if (!accept(")")) {
      do parameter(block);
      while (accept(","));
      expect(")");
    }
    expect(":");
    peek();  // takes an annotation of the last parameter
    noted_ = nullptr;
  }
  void parameter(Block* block) {
    std::string name = value_name(), target = name;
    if (accept("[")) {
      expect_word("target");
      expect("=");
      target = quoted();
      expect("]");
    }
    Type t;
    bool declared = false;
    if (accept(":")) declared = accept("!"), t = type();
    Args value;
    if (accept("=")) literal(value);
    graph_->set_insert_point({block, nullptr});
    Node* n = graph_->raw_node(Op::Placeholder, graph_->target(target));
    finish(n, name, value);
    n->type_ = t, n->declared_ = declared;
  }

  // Gives a raw node its name and arguments and puts it at the end of the current block.
  void finish(Node* n, const std::string& name, const Args& args) {
    n->name_ = graph_->exact_name(name);
    n->skeleton_ = graph_->skeleton(args);
    graph_->set_uses(n, args.nodes_);
    Block* block = graph_->insert_point().block;
    graph_->link(n, block, nullptr);
    ++graph_->alive_;
    define(name, n);
    noted_ = n;
  }
  void define(const std::string& name, Node* n) {
    const std::string* text = graph_->string(name);
    values_[text] = n;
    if (!scopes_.empty()) scopes_.back().push_back(text);
  }

  struct Open {
    Block* block;
    Node* owner;
  };

  // The statements of a body and of all blocks in it.
  void body() {
    std::vector<Open> open{{graph_->root(), nullptr}};
    scopes_.clear();
    Node* last = nullptr;  // the node whose blocks may follow
    for (;;) {
      graph_->set_insert_point({open.back().block, nullptr});
      char c = peek();
      if (c == '%' || c == '=') {
        last = statement();
      } else if (accept("->")) {
        if (open.size() == 1) error("'->' ends a block; a graph ends with 'return'");
        output();
        last = close(open);
      } else if (accept_word("return")) {
        if (open.size() != 1) error("'return' ends a graph; a block ends with '->'");
        output();
        peek();
        noted_ = nullptr;
        return;
      } else if (open.size() > 1 && accept_word("end")) {
        last = close(open);
      } else if (last && c == 'b' && text_.substr(at_).starts_with("block")) {
        begin_block(last, open);
        last = nullptr;
      } else if (open.size() == 1 && (c == '\0' || !open.back().block->output())) {
        noted_ = nullptr;  // a graph that is still being built has no return
        return;
      } else {
        error("expected a node, a block or its end");
      }
    }
  }
  void begin_block(Node* owner, std::vector<Open>& open) {
    at_ += 5;
    if (integer() != static_cast<int64_t>(owner->block_count())) error(concat("expected block", owner->block_count()));
    open.push_back({graph_->add_block(owner), owner});
    scopes_.emplace_back();
    parameters(open.back().block);
  }
  Node* close(std::vector<Open>& open) {
    peek();
    noted_ = nullptr;
    for (const std::string* name : scopes_.back()) values_.erase(name);
    scopes_.pop_back();
    Node* owner = open.back().owner;
    open.pop_back();
    return owner;
  }

  void output() {
    std::string name;
    if (accept("[")) {
      expect_word("name");
      expect("=");
      name = quoted();
      expect("]");
    }
    Args args = arguments();
    Block* block = graph_->insert_point().block;
    Node* n = graph_->raw_node(Op::Output, graph_->target("output"));
    n->skeleton_ = graph_->skeleton(args);
    graph_->set_uses(n, args.nodes_);
    if (block->owner() && !name.empty()) error("the end of a block has no name");
    n->name_ = block->owner() ? graph_->string("output") : graph_->exact_name(name.empty() ? "output" : name);
    graph_->link(n, block, nullptr);
    ++graph_->alive_;
    noted_ = n;
    if (accept(":")) n->declared_ = accept("!"), n->type_ = type();
  }

  struct Result {
    std::string name;
    Type type;
    bool declared = false;
  };

  Node* statement() {
    std::vector<Result> results;
    std::vector<std::string> projections;
    bool multi = false;
    if (peek() == '%') {
      do {
        Result r;
        r.name = value_name();
        if (at_ < text_.size() && text_[at_] == '(') {
          multi = true;
          ++at_;
          if (!accept(")")) {
            do projections.push_back(accept("_") ? "" : value_name());
            while (accept(","));
            expect(")");
          }
        }
        if (accept(":")) r.declared = accept("!"), r.type = type();
        results.push_back(std::move(r));
      } while (!multi && accept(","));
    }
    expect("=");
    Target target;
    Op op = head(target);
    Args attributes = torchscript_attributes(results.empty() ? Type() : results[0].type);
    Args args = arguments();
    if (attributes.size()) {
      if (args.names_.size()) error("attributes and keyword arguments in one node");
      for (size_t k = 0; k < attributes.size(); ++k) args.kw(attributes.names()[k], attributes[k]);
    }
    Node* n = graph_->raw_node(op, target);
    n->multi_ = multi || results.size() > 1;
    std::string name = results.size() == 1 ? results[0].name : *graph_->unique_name(default_name_of(op, target));
    if (results.size() != 1) graph_->strings_.remove_name(name);
    finish(n, name, args);
    if (results.size() == 1) {
      n->type_ = results[0].type, n->declared_ = results[0].declared;
      if (multi) own_results(n, projections);
    } else {
      listed_results(n, results);
    }
    torchscript_scope(n);
    torchscript_overload(n);
    return n;
  }
  // TorchScript shows no overload: a bare name is that of an overload without one only where its arguments are.
  void torchscript_overload(Node* n) {
    const OpInfo* op = n->op() == Op::CallFunction ? n->info() : nullptr;
    if (!op || op->schema().is_vararg() || !operator_lookup().resolve) return;
    bool fits = n->arg_count() <= op->schema().arguments().size();
    for (size_t k = n->positional_count(); k < n->arg_count(); ++k)
      fits &= op->schema().index_of(n->keyword(k - n->positional_count())) >= 0;
    if (fits) return;
    const OpInfo* other = operator_lookup().resolve(*n);
    if (other && other != op) graph_->set_target(n, graph_->resolved(n->target().name(), other->name()));
  }
  static std::string default_name_of(Op op, const Target& t);

  // %node(%first, _, %third) : (A, B, C)
  void own_results(Node* n, const std::vector<std::string>& names) {
    if (!n->type_.is(TypeKind::Tuple) || n->type_.elements().size() != names.size())
      error(concat("%", n->name(), " has ", names.size(), " results, and another type"));
    for (size_t k = 0; k < names.size(); ++k)
      if (!names[k].empty()) name_projection(n, k, names[k]);
  }
  // TorchScript's %first : A, %second : B
  void listed_results(Node* n, const std::vector<Result>& results) {
    std::vector<Type> types;
    for (const Result& r : results) types.push_back(r.type);
    graph_->set_results(n, types);
    for (size_t k = 0; k < results.size(); ++k) name_projection(n, k, results[k].name);
  }
  void name_projection(Node* n, size_t k, const std::string& name) {
    Node* p = graph_->project(n, k);
    graph_->strings_.remove_name(*p->name_);
    p->name_ = graph_->exact_name(name);
    define(name, p);
  }

  // What stands before the arguments: a function, or an opcode with its path in brackets.
  Op head(Target& target) {
    Op op = Op::CallFunction;
    std::string surface;
    bool word = peek() != '"';
    surface = global();
    if (word && (surface == "get_attr" || surface == "call_module" || surface == "call_method")) {
      op = surface == "get_attr" ? Op::GetAttr : surface == "call_module" ? Op::CallModule : Op::CallMethod;
      expect("[");
      surface = quoted();
      expect("]");
    }
    if (accept("{")) {
      std::string overload = global();
      expect("}");
      target = graph_->resolved(surface, overload);
    } else {
      target = graph_->target(surface);
    }
    return op;
  }

  // [value=10, name="fc"]
  Args torchscript_attributes(Type result) {
    Args attributes;
    if (!accept("[")) return attributes;
    if (accept("]")) return attributes;
    do {
      attributes.name(identifier());
      expect("=");
      if (peek() == '{') attributes.add(scalar_tensor(result));
      else if (result.is(TypeKind::Bool)) truth(attributes);
      else literal(attributes);
    } while (accept(","));
    expect("]");
    return attributes;
  }
  // A bool, which PyTorch writes as 0 or 1.
  void truth(Args& args) {
    Args value;
    literal(value);
    bool number = value[0].is(ArgKind::Int) && (value[0].as_int() == 0 || value[0].as_int() == 1);
    number ? args.add(value[0].as_int() == 1) : args.add(value);
  }
  // {1}: a constant without sizes; its dtype stands in the result's type.
  TensorRef scalar_tensor(Type result) {
    expect("{");
    DType dtype = result.is(TypeKind::Tensor) && result.tensor().dtype ? *result.tensor().dtype : DType::i64;
    std::byte bytes[16] = {};
    peek();
    size_t start = at_;
    std::string_view digits = numeral_text();
    bool truth = dtype == DType::b1 && (digits == "1" || digits == "0");
    if (truth) bytes[0] = static_cast<std::byte>(digits == "1");
    if (!truth && !read_element(digits, dtype, bytes)) at_ = start, error("expected a number");
    expect("}");
    return make_tensor_constant(dtype, {}, std::span(bytes, static_cast<size_t>(element_size(dtype))));
  }
  // ", scope: S" before the comment, as TorchScript writes it.
  void torchscript_scope(Node* n) {
    size_t at = at_;
    while (at < text_.size() && text_[at] == ' ') ++at;
    if (!text_.substr(at).starts_with(", scope: ")) return;
    at += 9;
    size_t end = at;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '#') ++end;
    at_ = end;
    while (end > at && text_[end - 1] == ' ') --end;
    graph_->set_scope(n, text_.substr(at, end - at));
  }

  Args arguments() {
    Args args;
    expect("(");
    if (accept(")")) return args;
    do {
      const char next = peek();  // at the end of the text there is no character to look at
      size_t start = at_;
      std::string keyword;
      bool named = false;
      if (is_letter(next) || next == '"') {
        keyword = next == '"' ? quoted() : std::string(identifier());
        named = accept("=");
        if (!named) at_ = start;
      }
      if (named) args.name(keyword);
      else if (!args.names().empty()) error("a positional argument follows a keyword");
      literal(args);
    } while (accept(","));
    expect(")");
    return args;
  }

  Guard guard(const std::unordered_map<std::string_view, Node*>& all_values) {
    Guard g;
    if (peek() == '%') {
      std::string name = value_name();
      auto found = all_values.find(name);
      if (found == all_values.end()) error(concat("%", name, " is not defined"));
      g.value = found->second;
    } else {
      expect("sym(");
      g.size = parse_symint(text_, at_, [this](std::string_view n) { return symbol(n); });
      expect(")");
    }
    expect("==");
    literal(g.expected);
    if (!g.expected.nodes().empty()) error("a guard compares with a literal");
    g.expression = quoted();
    noted_guard_ = &g, noted_ = nullptr;
    peek();
    noted_guard_ = nullptr, noted_ = nullptr;
    return g;
  }

  // --- Classes and modules.

  void class_definition(Unit& u) {
    Class* c = u.add_class(global());
    if (accept("(")) expect_word("Module"), expect(")"), c->is_module = true;
    expect(":");
    for (;;) {
      if (accept_word("method")) {
        c->methods.push_back(quoted());
        continue;
      }
      Attribute a;
      if (accept_word("parameter")) a.kind = Attribute::Kind::Parameter;
      else if (accept_word("buffer")) a.kind = Attribute::Kind::Buffer;
      else if (accept_word("value")) a.kind = Attribute::Kind::Value;
      else if (peek() == 'm' && module_attribute()) a.kind = Attribute::Kind::Module;
      else return;
      a.name = quoted();
      if (accept(":")) a.type = type();
      if (accept("[")) expect("persistent=False]"), a.persistent = false;
      if (c->index_of(a.name) >= 0) error(concat("the attribute ", a.name, " is defined twice"));
      c->attributes.push_back(std::move(a));
    }
  }
  // "module" begins an attribute where a quoted name follows, else an instance.
  bool module_attribute() {
    size_t at = at_;
    if (accept_word("module") && peek() == '"') return true;
    at_ = at;
    return false;
  }

  void module(Unit& u) {
    if (identifier() != concat("m", u.modules().size())) error(concat("expected m", u.modules().size()));
    expect(":");
    const Class* c = u.find_class(global());
    if (!c) error("the class of this module is not defined");
    Module* m = u.add_module(c);
    if (u.modules().size() == 1) u.set_root(nullptr);
    if (accept("[")) expect("training=False]"), m->training = false;
    expect(":");
    while (peek() == '"') {
      std::string name = quoted();
      int k = c->index_of(name);
      if (k < 0) error(concat("the class ", c->name, " has no attribute ", name));
      expect("=");
      size_t at = (peek(), at_);
      if (c->attributes[static_cast<size_t>(k)].kind == Attribute::Kind::Module && !accept_word("None")) {
        links_.push_back({m, static_cast<size_t>(k), std::string(identifier())});
      } else {
        at_ = at;
        Args value;
        literal(value);
        m->values[static_cast<size_t>(k)].value = std::move(value);
      }
    }
  }
  Module* module_named(const Unit& u, std::string_view name) {
    size_t index = 0;
    auto r = std::from_chars(name.data() + 1, name.data() + name.size(), index);
    if (name[0] != 'm' || r.ec != std::errc() || r.ptr != name.data() + name.size() || index >= u.modules().size())
      error(concat("there is no module ", name));
    return u.modules()[index].get();
  }

  struct Link {
    Module* module;
    size_t attribute;
    std::string name;
  };

  const ParseOptions& options_;
  bool placed_ = false;
  Graph* graph_ = nullptr;  // the one that is being read; none between graphs, where classes and modules stand
  Node* noted_ = nullptr;  // what an annotation belongs to
  Guard* noted_guard_ = nullptr;
  std::vector<const CallInPlace*> calls_;  // that the remarks in front of the graph say: "in call 1" means the first
  std::map<std::string, Symbol> symbols_;
  std::unordered_map<const std::string*, Node*> values_;  // by the graph's own text
  std::vector<std::vector<const std::string*>> scopes_;  // of each open block, the names that end with it
  std::vector<Link> links_;
};

std::string default_name(Op op, std::string_view target);
std::string TextParser::default_name_of(Op op, const Target& t) { return default_name(op, t.name()); }

std::unique_ptr<Graph> parse_graph(std::string_view text, const ParseOptions& options) { return TextParser(text, options).single(); }
std::unique_ptr<Unit> parse_unit(std::string_view text, const ParseOptions& options) { return TextParser(text, options).unit(); }

}  // namespace monograph::ir

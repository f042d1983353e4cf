// A recursive-descent parser that makes nodes as it reads: a variable is the argument that it holds, and an `if` is built with ir::RegionBuilder.
#include "capture/script/parser.h"

#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "capture/writer.h"
#include "ir/builder.h"
#include "ir/operators.h"
#include "ops/infer.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

class ScriptParser {
 public:
  ScriptParser(std::string_view text, std::string_view file) : text_(text), file_(intern_file(file)) {}

  std::unique_ptr<ir::Graph> run() {
    use_operators();
    word("def");
    graph_ = std::make_unique<ir::Graph>(name());
    graph_->set_level(ir::Level::Operator);
    graph_->insert_at_end(graph_->root());
    regions_.emplace(*graph_);
    expect("(");
    while (!take(")")) {
      locate();
      std::string parameter(name());
      set(parameter, Args(graph_->placeholder(parameter, ir::TypeKind::Tensor)));
      if (!peek(")")) expect(",");
    }
    expect(":");
    if (!statements(0)) wrong("'return'");
    const Args result = regions_->get(*return_);
    locate();
    graph_->set_output(result);
    space();
    if (at_ != text_.size()) wrong("the end of the function");
    return std::move(graph_);
  }

 private:
  // --- Tokens. Lines are statements, since nothing here spans two without a parenthesis.

  void space() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == ';')) ++at_;
  }
  void blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (depth_ && std::isspace(static_cast<unsigned char>(text_[at_]))))) ++at_;
  }
  bool peek(std::string_view token) {
    blank();
    return text_.substr(at_).starts_with(token);
  }
  bool take(std::string_view token) {
    if (!peek(token)) return false;
    at_ += token.size();
    if (token == "(") ++depth_;
    if (token == ")") --depth_;
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) wrong(concat("'", token, "'"));
  }
  std::string_view peek_name() {
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    return text_.substr(at_, end - at_);
  }
  std::string_view name() {
    space();
    std::string_view n = peek_name();
    if (n.empty() || std::isdigit(static_cast<unsigned char>(n[0]))) wrong("a name");
    at_ += n.size();
    return n;
  }
  bool take_word(std::string_view expected) {
    space();
    if (peek_name() != expected) return false;
    at_ += expected.size();
    return true;
  }
  void word(std::string_view expected) {
    if (!take_word(expected)) wrong(concat("'", expected, "'"));
  }
  Span here() const {
    Span s;
    s.file = file_, s.line = 1;
    size_t line_start = 0;
    for (size_t k = 0; k < at_; ++k)
      if (text_[k] == '\n') ++s.line, line_start = k + 1;
    s.column = static_cast<uint32_t>(at_ - line_start);
    s.end_line = s.line, s.end_column = s.column;
    return s;
  }
  void locate() { graph_->set_location(here()); }
  [[noreturn]] void wrong(std::string_view expected) {
    Error e(ErrorKind::Value, concat("expected ", expected, ", but got '", text_.substr(at_, 12), "'"));
    e.locate(here());
    throw e;
  }

  // --- Statements: true where all of them end in a return.

  // Those that follow at one indentation, deeper than `outer`.
  bool statements(size_t outer) {
    space();
    const size_t indent = here().column;
    if (indent <= outer) wrong("an indented block");
    while (space(), at_ < text_.size() && here().column >= indent) {
      if (here().column != indent) wrong("the indentation of the statement before");
      if (take_word("return")) {
        set_return();
        return true;
      }
      if (peek_name() == "if") {
        if (branch(indent)) return true;
        continue;
      }
      std::string variable(name());
      expect("=");
      set(variable, expression());
    }
    return false;
  }
  void set_return() {
    Args result = expression();
    if (peek(",")) {
      if (regions_->depth()) wrong("one value: a return in a branch gives no tuple here");
      Args items;
      items.open(ir::ArgKind::Tuple).add(result);
      while (take(",")) items.add(expression());
      result = items.close();
    }
    if (!return_) return_ = regions_->slot("return");
    regions_->set(*return_, result);
  }
  // Where one arm returns, the statements behind the if belong to the other one.
  bool branch(size_t indent) {
    word("if");
    const Args condition = expression();
    expect(":");
    Node* test = condition[0].node();
    if (test && test->type().is(ir::TypeKind::Tensor)) {
      test = graph_->call("aten::Bool.Tensor", condition);
      graph_->set_type(test, ir::TypeKind::Bool);
    }
    if (!test) wrong("a condition that the program computes");
    regions_->begin_if(test);
    const bool then_returns = statements(indent);
    bool else_returns = false;
    regions_->begin_else();
    if (space(), here().column == indent && take_word("else")) {
      expect(":");
      else_returns = statements(indent);
    }
    if (else_returns && !then_returns) wrong("a return in the first branch too");
    if (then_returns && !else_returns && !statements_behind(indent)) wrong("'return'");
    regions_->end_if();
    return then_returns;
  }
  bool statements_behind(size_t indent) { return space(), here().column == indent && at_ < text_.size() && statements(indent - 1); }

  void set(const std::string& variable, const Args& value) {
    if (auto found = variables_.find(variable); found != variables_.end()) regions_->set(found->second, value);
    else variables_.emplace(variable, regions_->slot(variable, value));
  }

  // --- Expressions: each is one argument.

  Args expression() {
    Args a = sum();
    if (auto op = take_operator({"<=", ">=", "==", "!=", "<", ">"}, ir::OperatorForm::Comparison)) return call(*op, pair(a, sum()));
    return a;
  }
  Args sum() {
    Args a = product();
    while (auto op = take_operator({"+", "-"}, ir::OperatorForm::Binary)) a = call(*op, pair(a, product()));
    return a;
  }
  Args product() {
    Args a = unary();
    while (auto op = take_operator({"*", "/"}, ir::OperatorForm::Binary)) a = call(*op, pair(a, unary()));
    return a;
  }
  // The target of a call for the symbol that follows, of these the first that does.
  std::optional<std::string> take_operator(std::initializer_list<std::string_view> symbols, ir::OperatorForm form) {
    for (std::string_view symbol : symbols)
      if (take(symbol)) {
        for (const ir::PythonOperator& o : ir::kPythonOperators)
          if (o.symbol == symbol && o.form == form) return concat("operator.", o.name);
      }
    return {};
  }
  Args unary() {
    if (!take("-")) return postfix();
    Args a = unary();
    if (a[0].is(ir::ArgKind::Int)) return Args(-a[0].as_int());
    if (a[0].is(ir::ArgKind::Float)) return Args(-a[0].as_float());
    return call("operator.neg", a);
  }
  Args postfix() {
    Args a = atom();
    while (take(".")) {
      std::string method(name());
      a = call(concat("torch.Tensor.", method), arguments(a));
    }
    return a;
  }
  Args atom() {
    blank();
    if (take("(")) {
      Args inner = expression();
      expect(")");
      return inner;
    }
    if (peek("'") || peek("\"")) {
      size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) wrong("a string that ends");
      Args text(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return text;
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) return number();
    std::string n(name());
    if (n == "True" || n == "False") return Args(n == "True");
    if (n == "torch") {
      expect(".");
      std::string function(name());
      return call(concat("torch.", function), arguments({}));
    }
    auto found = variables_.find(n);
    if (found == variables_.end()) wrong(concat("a variable that is set before: '", n, "' is not"));
    return regions_->get(found->second);
  }
  Args number() {
    const char *first = text_.data() + at_, *last = text_.data() + text_.size();
    int64_t i = 0;
    double d = 0;
    auto [int_end, int_error] = std::from_chars(first, last, i);
    auto [end, error] = std::from_chars(first, last, d);
    if (error != std::errc()) wrong("a number");
    at_ += static_cast<size_t>(end - first);
    return int_error == std::errc() && int_end == end ? Args(i) : Args(d);
  }
  static Args pair(const Args& a, const Args& b) {
    Args both = a;
    return both.add(b);
  }
  // Behind `self`, if there is one: values, lists of numbers in parentheses are not needed here, then keywords.
  Args arguments(Args all) {
    expect("(");
    while (!take(")")) {
      size_t start = at_;
      std::string_view key;
      blank();
      if (key = peek_name(); !key.empty() && (at_ += key.size(), peek("=") && !peek("=="))) {
        take("=");
        all.name(key).add(expression());
      } else {
        at_ = start;
        all.add(expression());
      }
      if (!peek(")")) expect(",");
    }
    return all;
  }

  // The overload follows from the name and the types; the arguments stay as they are written.
  Args call(std::string_view surface, const Args& args) {
    locate();
    Node* n = graph_->call(surface, args);
    const ir::OpInfo* op = resolve(*n);
    if (!op) {
      std::string types;
      for (size_t k = 0; k < args.size(); ++k) types += (k ? ", " : "") + ir::to_string(ir::type_of(args[k]));
      wrong(concat("an operator: ", surface, "(", types, ") is none"));
    }
    graph_->set_target(n, graph_->resolved(surface, op->name()));
    if (op->results() == 1) graph_->set_type(n, op->infer(*n));
    return Args(n);
  }

  std::string_view text_;
  const std::string* file_;
  size_t at_ = 0;
  int depth_ = 0;  // of open parentheses: lines go on in them
  std::unique_ptr<ir::Graph> graph_;
  std::optional<ir::RegionBuilder> regions_;
  std::map<std::string, ir::RegionBuilder::Slot, std::less<>> variables_;
  std::optional<ir::RegionBuilder::Slot> return_;
};

}  // namespace

std::unique_ptr<ir::Graph> parse_function(std::string_view text, std::string_view file) { return ScriptParser(text, file).run(); }

}  // namespace monograph::capture

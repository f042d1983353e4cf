// Recursive descent over the tokens. Operators of all levels are read by one function, by their precedence.
#include "capture/script/parser.h"

#include <algorithm>

#include "capture/script/lexer.h"
#include "core/stack.h"

namespace monograph::capture::script {
namespace {

constexpr std::string_view kKeywords[] = {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
                                          "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
                                          "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
                                          "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
// The most calls of the functions below in each other; a parenthesis takes four.
constexpr uint32_t kMaxLevels = 3000;

bool is_keyword(std::string_view word) { return std::ranges::find(kKeywords, word) != std::end(kKeywords); }

struct BinaryOperator {
  std::string_view symbol;
  int precedence;
};
constexpr BinaryOperator kBinary[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5},
                                      {"-", 5}, {"*", 6}, {"/", 6}, {"//", 6}, {"%", 6},  {"@", 6}};

class Parser {
 public:
  Parser(const SourceText& source, std::vector<Token> tokens, Tree& tree) : source_(source), tokens_(std::move(tokens)), tree_(tree) {}

  void functions() {
    skip_lines();
    while (!at(TokenKind::End)) {
      const std::vector<Expr*> decorators = read_decorators();
      if (at_word("class")) {
        class_definition(decorators);
        skip_lines();
        continue;
      }
      if (!at_word("def")) wrong("a function: 'def'");
      FunctionSyntax* f = function();
      f->decorators = decorators;
      tree_.functions.push_back(f);
      skip_lines();
    }
  }
  void module() {
    whole_ = true;
    for (skip_lines(); !at(TokenKind::End); skip_lines()) statement(tree_.statements);
  }
  Expr* one_expression() {
    Expr* e = expressions();
    // Of a comment that says a function's type: (Tensor, int) -> Tensor.
    if (take("->")) {
      Expr* result = expressions();
      e = make(SyntaxKind::Compare, {e->range.begin, result->range.end}, {e, result});
      e->names.emplace_back("->");
    }
    if (!at(TokenKind::End)) wrong("the end of the expression");
    return e;
  }

 private:
  // --- Tokens.

  const Token& token() const { return tokens_[at_]; }
  const Token& ahead(size_t k) const { return tokens_[std::min(at_ + k, tokens_.size() - 1)]; }
  bool at(TokenKind kind) const { return token().kind == kind; }
  bool at_operator(std::string_view op) const { return at(TokenKind::Operator) && token().text == op; }
  bool at_word(std::string_view word) const { return at(TokenKind::Name) && token().text == word; }
  bool at_name() const { return at(TokenKind::Name) && !is_keyword(token().text); }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool take(std::string_view op) { return at_operator(op) && (next(), true); }
  bool take_word(std::string_view word) { return at_word(word) && (next(), true); }
  void expect(std::string_view op) {
    if (!take(op)) wrong(concat("'", op, "'"));
  }
  std::string name() {
    if (!at_name()) wrong("a name");
    return next().text;
  }
  [[noreturn]] void wrong(std::string_view expected) const {
    const Token& t = token();
    std::string got;
    switch (t.kind) {
      case TokenKind::End: got = "the end of the text"; break;
      case TokenKind::Newline: got = "the end of the line"; break;
      case TokenKind::Indent: got = "an indented line"; break;
      case TokenKind::Dedent: got = "the end of the block"; break;
      default: got = concat("'", source_.at(t.range).substr(0, 40), "'");
    }
    raise_at(source_, t.range, concat("expected ", expected, ", but got ", got));
  }
  uint32_t begin() const { return token().range.begin; }
  uint32_t end() const { return at_ ? tokens_[at_ - 1].range.end : 0; }  // of what was read last
  TextRange since(uint32_t begin_) const { return {begin_, end()}; }

  // One level deeper while it lives.
  struct NestingLevel {
    explicit NestingLevel(Parser& p) : parser(p) {
      if (++p.level_ > kMaxLevels || stack_room() < kStackOfLevel)
        raise_at(p.source_, p.token().range, "expressions nest too deep; give a part a name");
    }
    ~NestingLevel() { --parser.level_; }
    NestingLevel(const NestingLevel&) = delete;
    Parser& parser;
  };

  Expr* make(SyntaxKind kind, TextRange range, std::vector<Expr*> parts = {}, std::string text = {}) {
    Expr& e = tree_.exprs.emplace_back(Expr{kind, range, std::move(text), std::move(parts), {}, 1});
    for (const Expr* part : e.parts)
      if (part) e.depth = std::max(e.depth, part->depth + 1);
    if (e.depth > kMaxExpressionDepth)
      raise_at(source_, {range.begin, range.begin + 1},
               concat("expressions nest deeper than ", kMaxExpressionDepth, " levels; give a part a name"));
    return &e;
  }

  // --- Expressions.

  // One, or a tuple without parentheses.
  Expr* expressions() {
    const uint32_t from = begin();
    Expr* first = star_expression();
    if (!at_operator(",")) return first;
    std::vector<Expr*> parts{first};
    while (take(",")) {
      if (ends_expressions()) break;
      parts.push_back(star_expression());
    }
    return make(SyntaxKind::Tuple, since(from), std::move(parts));
  }
  bool ends_expressions() const {
    if (at(TokenKind::Newline) || at(TokenKind::End) || at(TokenKind::TypeComment)) return true;
    if (!at(TokenKind::Operator)) return false;
    const std::string& op = token().text;
    return op == ")" || op == "]" || op == "}" || op == ":" || op == ";" || (op.ends_with('=') && op != "==");
  }
  Expr* star_expression() {
    const uint32_t from = begin();
    if (!take("*")) return named_expression();
    Expr* inner = binary(1);
    return make(SyntaxKind::Starred, since(from), {inner});
  }
  Expr* named_expression() {
    const uint32_t from = begin();
    Expr* e = expression();
    if (e->kind != SyntaxKind::Name || !take(":=")) return e;
    Expr* value = expression();
    ++assignments_;
    return make(SyntaxKind::Assignment, since(from), {e, value});
  }
  Expr* expression() {
    NestingLevel level(*this);
    const uint32_t from = begin();
    if (at_word("lambda")) return lambda();
    Expr* e = disjunction();
    if (!take_word("if")) return e;
    Expr* condition = disjunction();
    if (!take_word("else")) wrong("'else' of the conditional expression");
    Expr* other = expression();
    return make(SyntaxKind::Conditional, since(from), {e, condition, other});
  }
  Expr* lambda() {
    const uint32_t from = begin();
    next();
    FunctionSyntax& f = tree_.function_list.emplace_back();
    f.name = "<lambda>";
    while (!take(":")) {
      Parameter p;
      const uint32_t start = begin();
      if (at_operator("*") || at_operator("**")) raise_at(source_, token().range, "a lambda with '*' is not supported in a script");
      p.name = name();
      if (take("=")) p.default_value = expression();
      p.range = since(start);
      f.parameters.push_back(std::move(p));
      if (!at_operator(":")) expect(",");
    }
    Expr* body = expression();
    Stmt* result = statement_of(StmtKind::Return, body->range.begin);
    result->value = body;
    f.range = since(from), f.body = {result};
    Expr* e = make(SyntaxKind::Lambda, since(from), {body});
    e->function = &f;
    return e;
  }
  Expr* disjunction() {
    const uint32_t from = begin();
    Expr* first = conjunction();
    if (!at_word("or")) return first;
    std::vector<Expr*> parts{first};
    while (take_word("or")) parts.push_back(conjunction());
    return make(SyntaxKind::Or, since(from), std::move(parts));
  }
  Expr* conjunction() {
    const uint32_t from = begin();
    Expr* first = inversion();
    if (!at_word("and")) return first;
    std::vector<Expr*> parts{first};
    while (take_word("and")) parts.push_back(inversion());
    return make(SyntaxKind::And, since(from), std::move(parts));
  }
  Expr* inversion() {
    NestingLevel level(*this);
    const uint32_t from = begin();
    if (!take_word("not")) return comparison();
    Expr* inner = inversion();
    return make(SyntaxKind::Unary, since(from), {inner}, "not");
  }
  std::string comparison_operator() {
    for (std::string_view op : {"<", ">", "<=", ">=", "==", "!="})
      if (take(op)) return std::string(op);
    if (take_word("in")) return "in";
    if (at_word("not") && ahead(1).kind == TokenKind::Name && ahead(1).text == "in") return next(), next(), "not in";
    if (!take_word("is")) return {};
    return take_word("not") ? "is not" : "is";
  }
  Expr* comparison() {
    const uint32_t from = begin();
    Expr* first = binary(1);
    std::vector<Expr*> parts{first};
    std::vector<std::string> names;
    for (std::string op = comparison_operator(); !op.empty(); op = comparison_operator()) names.push_back(op), parts.push_back(binary(1));
    if (names.empty()) return first;
    Expr* e = make(SyntaxKind::Compare, since(from), std::move(parts));
    e->names = std::move(names);
    return e;
  }
  // Operators of this precedence and above, from the left.
  Expr* binary(int precedence) {
    const uint32_t from = begin();
    Expr* left = unary();
    for (;;) {
      const BinaryOperator* found = nullptr;
      for (const BinaryOperator& op : kBinary)
        if (op.precedence >= precedence && at_operator(op.symbol)) found = &op;
      if (!found) return left;
      next();
      Expr* right = binary(found->precedence + 1);
      left = make(SyntaxKind::Binary, since(from), {left, right}, std::string(found->symbol));
    }
  }
  Expr* unary() {
    NestingLevel level(*this);
    const uint32_t from = begin();
    for (std::string_view op : {"-", "+", "~"})
      if (take(op)) {
        Expr* inner = unary();
        return make(SyntaxKind::Unary, since(from), {inner}, std::string(op));
      }
    if (take_word("await")) {
      Expr* inner = unary();
      return make(SyntaxKind::Await, since(from), {inner});
    }
    Expr* base = postfix();
    if (!take("**")) return base;
    Expr* exponent = unary();
    return make(SyntaxKind::Binary, since(from), {base, exponent}, "**");
  }
  Expr* postfix() {
    const uint32_t from = begin();
    Expr* e = atom();
    for (;;) {
      if (take(".")) {
        std::string attribute = name();
        e = make(SyntaxKind::Attribute, since(from), {e}, std::move(attribute));
      } else if (at_operator("(")) {
        e = call(from, e);
      } else if (take("[")) {
        Expr* index = subscripts();
        expect("]");
        e = make(SyntaxKind::Subscript, since(from), {e, index});
      } else {
        return e;
      }
    }
  }
  Expr* call(uint32_t from, Expr* callee) {
    expect("(");
    std::vector<Expr*> parts{callee};
    std::vector<std::string> names;
    while (!take(")")) {
      const uint32_t start = begin();
      if (at_name() && ahead(1).kind == TokenKind::Operator && ahead(1).text == "=") {
        names.push_back(next().text);
        next();
        parts.push_back(expression());
      } else if (take("**")) {
        Expr* inner = expression();
        parts.push_back(make(SyntaxKind::DoubleStarred, since(start), {inner}));
        names.emplace_back();
      } else {
        Expr* argument = star_expression();
        if (at_word("for") || at_word("async")) argument = comprehension(start, SyntaxKind::Generator, {argument});
        if (!names.empty() && argument->kind != SyntaxKind::Starred)
          raise_at(source_, argument->range, "a positional argument follows a keyword argument");
        parts.insert(parts.end() - static_cast<ptrdiff_t>(names.size()), argument);
      }
      if (!at_operator(")")) expect(",");
    }
    Expr* e = make(SyntaxKind::Call, since(from), std::move(parts));
    e->names = std::move(names);
    return e;
  }
  Expr* subscripts() {
    const uint32_t from = begin();
    Expr* first = subscript();
    if (!at_operator(",")) return spelled_out(first);
    std::vector<Expr*> parts{first};
    while (take(",") && !at_operator("]")) parts.push_back(subscript());
    return spelled_out(make(SyntaxKind::Tuple, since(from), std::move(parts)));
  }
  // x[slice(None, 2, None), Ellipsis], as torch.fx writes x[:2, ...].
  Expr* spelled_out(Expr* index) {
    const bool is_call = index->kind == SyntaxKind::Call && index->parts[0]->kind == SyntaxKind::Name && index->parts[0]->text == "slice";
    const size_t given = index->parts.size() - is_call;
    if (is_call && index->names.empty() && given >= 1 && given <= 3) {
      std::vector<Expr*> bounds(3, nullptr);
      for (size_t k = 0; k < given; ++k) bounds[given == 1 ? 1 : k] = index->parts[k + 1];
      return make(SyntaxKind::Slice, index->range, std::move(bounds));
    }
    if (index->kind == SyntaxKind::Name && index->text == "Ellipsis") return make(SyntaxKind::Ellipsis, index->range);
    if (index->kind == SyntaxKind::Tuple)
      for (Expr*& part : index->parts) part = spelled_out(part);
    return index;
  }
  Expr* subscript() {
    const uint32_t from = begin();
    Expr* parts[3] = {};
    if (!at_operator(":")) {
      parts[0] = star_expression();
      if (!at_operator(":")) return parts[0];
    }
    for (size_t k = 1; k < 3 && take(":"); ++k)
      if (!at_operator(":") && !at_operator("]") && !at_operator(",")) parts[k] = expression();
    return make(SyntaxKind::Slice, since(from), {parts[0], parts[1], parts[2]});
  }

  // Behind the element (or key and value) of a comprehension.
  Expr* comprehension(uint32_t from, SyntaxKind kind, std::vector<Expr*> parts) {
    if (at_word("async")) wrong("'for': an async comprehension is not supported in a script");
    if (!at_word("for")) wrong("'for'");
    // Each nests in the one before.
    constexpr size_t kMostClauses = 64;
    std::vector<std::string> clauses;
    for (;;) {
      if (clauses.size() > kMostClauses) raise_at(source_, token().range, concat("a comprehension has more than ", kMostClauses, " parts"));
      if (take_word("for")) {
        parts.push_back(target_list());
        if (!take_word("in")) wrong("'in'");
        parts.push_back(disjunction());
        clauses.emplace_back("for");
      } else if (take_word("if")) {
        parts.push_back(disjunction());
        clauses.emplace_back("if");
      } else {
        break;
      }
    }
    if (at_word("async")) wrong("'for': an async comprehension is not supported in a script");
    Expr* e = make(kind, since(from), std::move(parts));
    e->names = std::move(clauses);
    return e;
  }
  // Of a for: names, tuples of them, attributes and subscripts.
  Expr* target_list() {
    const uint32_t from = begin();
    auto one = [&] {
      const uint32_t start = begin();
      if (!take("*")) return postfix();
      Expr* inner = postfix();
      return make(SyntaxKind::Starred, since(start), {inner});
    };
    Expr* first = one();
    if (!at_operator(",")) return first;
    std::vector<Expr*> parts{first};
    while (take(",") && !at_word("in")) parts.push_back(one());
    return make(SyntaxKind::Tuple, since(from), std::move(parts));
  }

  Expr* atom() {
    NestingLevel level(*this);
    const uint32_t from = begin();
    switch (token().kind) {
      case TokenKind::Number: {
        std::string text = next().text;
        return make(SyntaxKind::Number, since(from), {}, std::move(text));
      }
      case TokenKind::String:
      case TokenKind::FormatString: return string();
      case TokenKind::Name: return word();
      case TokenKind::Operator: break;
      default: wrong("an expression");
    }
    if (take("(")) return parentheses(from);
    if (take("[")) return list(from);
    if (take("{")) return braces(from);
    if (take("...")) return make(SyntaxKind::Ellipsis, since(from));
    wrong("an expression");
  }
  Expr* word() {
    const uint32_t from = begin();
    if (take_word("True")) return make(SyntaxKind::True, since(from));
    if (take_word("False")) return make(SyntaxKind::False, since(from));
    if (take_word("None")) return make(SyntaxKind::None, since(from));
    if (take_word("yield")) {
      if (!ends_expressions()) {
        take_word("from");
        expressions();
      }
      return make(SyntaxKind::Yield, since(from));
    }
    if (!at_name()) wrong("an expression");
    std::string text = next().text;
    return make(SyntaxKind::Name, since(from), {}, std::move(text));
  }
  Expr* parentheses(uint32_t from) {
    if (take(")")) return make(SyntaxKind::Tuple, since(from));
    Expr* e = expressions();
    if (at_word("for") || at_word("async")) e = comprehension(from, SyntaxKind::Generator, {e});
    expect(")");
    if (e->kind == SyntaxKind::Tuple) e->range = since(from);
    return e;
  }
  Expr* list(uint32_t from) {
    std::vector<Expr*> parts;
    while (!take("]")) {
      parts.push_back(star_expression());
      if (parts.size() == 1 && (at_word("for") || at_word("async"))) {
        Expr* e = comprehension(from, SyntaxKind::ListComprehension, {parts[0]});
        expect("]");
        e->range = since(from);
        return e;
      }
      if (!at_operator("]")) expect(",");
    }
    return make(SyntaxKind::List, since(from), std::move(parts));
  }
  Expr* braces(uint32_t from) {
    std::vector<Expr*> parts;
    bool set = false;
    while (!take("}")) {
      if (take("**")) {
        parts.push_back(nullptr), parts.push_back(binary(1));
      } else {
        parts.push_back(star_expression());
        set = set || !at_operator(":");
        if (!set) {
          expect(":");
          parts.push_back(expression());
        }
        if (at_word("for") || at_word("async")) {
          Expr* e = comprehension(from, set ? SyntaxKind::Set : SyntaxKind::DictComprehension, parts);
          expect("}");
          return e;
        }
      }
      if (!at_operator("}")) expect(",");
    }
    return make(set ? SyntaxKind::Set : SyntaxKind::Dict, since(from), std::move(parts));
  }

  // Strings one after the other are one.
  Expr* string() {
    const uint32_t from = begin();
    std::vector<Expr*> parts;
    bool format = false;
    while (at(TokenKind::String) || at(TokenKind::FormatString)) {
      const Token t = next();
      if (t.kind == TokenKind::String) text_part(parts, t.range, t.text);
      else format = true, format_string(parts, t);
    }
    if (!format) return make(SyntaxKind::String, since(from), {}, parts.empty() ? "" : parts[0]->text);
    return make(SyntaxKind::FormatString, since(from), std::move(parts));
  }
  void text_part(std::vector<Expr*>& parts, TextRange range, std::string_view text) {
    if (!parts.empty() && parts.back()->kind == SyntaxKind::String) parts.back()->text += text;
    else parts.push_back(make(SyntaxKind::String, range, {}, std::string(text)));
  }
  void format_string(std::vector<Expr*>& parts, const Token& t) {
    const std::string_view body = t.text;
    std::string text;
    auto flush = [&] {
      if (!text.empty()) text_part(parts, t.range, t.raw ? text : unescaped(source_, t.range, text));
      text.clear();
    };
    for (size_t k = 0; k < body.size(); ++k) {
      if ((body[k] == '{' || body[k] == '}') && k + 1 < body.size() && body[k + 1] == body[k]) text += body[k++];
      else if (body[k] == '{') flush(), k = formatted(parts, t, k + 1);
      else if (body[k] == '}') raise_at(source_, t.range, "the f-string has a single '}'; write '}}' for the character");
      else text += body[k];
    }
    flush();
  }
  // The part in braces that begins at `from` of the body; the place of its "}".
  size_t formatted(std::vector<Expr*>& parts, const Token& t, size_t from) {
    NestingLevel level(*this);
    const std::string_view body = t.text;
    size_t k = from, end = std::string_view::npos;
    int depth = 0;
    char quote = 0;
    for (; k < body.size(); ++k) {
      const char c = body[k];
      if (quote) {
        if (c == quote) quote = 0;
        continue;
      }
      if (c == '\'' || c == '"') quote = c;
      else if (c == '(' || c == '[' || c == '{') ++depth;
      else if (depth && (c == ')' || c == ']' || c == '}')) --depth;
      else if (c == '}') break;
      else if (depth == 0 && end == std::string_view::npos && (c == ':' || (c == '!' && (k + 1 >= body.size() || body[k + 1] != '='))))
        end = k;
    }
    if (k >= body.size()) raise_at(source_, t.range, "a '{' of the f-string has no '}'");
    if (end == std::string_view::npos) end = k;
    const TextRange range{t.body + static_cast<uint32_t>(from), t.body + static_cast<uint32_t>(end)};
    std::string_view inside = source_.at(range);
    while (inside.ends_with(' ')) inside.remove_suffix(1);
    if (inside.ends_with('=') && !inside.ends_with("==")) raise_at(source_, range, "{name=} in an f-string is not supported in a script");
    Parser inner(source_, expression_tokens(source_, range), tree_);
    inner.level_ = level_;
    Expr* value = inner.one_expression();
    parts.push_back(make(SyntaxKind::Formatted, range, {value}, std::string(body.substr(end, k - end))));
    return k;
  }

  // --- Statements.

  void skip_lines() {
    while (at(TokenKind::Newline) || at(TokenKind::TypeComment)) next();
  }
  Stmt* statement_of(StmtKind kind, uint32_t from) {
    Stmt& s = tree_.stmts.emplace_back();
    s.kind = kind, s.range = since(from);
    return &s;
  }
  void measure(Stmt* s) {
    for (const auto* list : {&s->body, &s->orelse})
      for (const Stmt* inner : *list) s->depth = std::max(s->depth, inner->depth + 1);
    if (s->depth > kMaxStatementDepth)
      raise_at(source_, s->range, concat("statements nest deeper than ", kMaxStatementDepth, " levels, where each elif is one"));
  }

  // Behind a colon: one line of statements, or an indented block.
  std::vector<Stmt*> block(bool may_be_empty = false) {
    expect(":");
    std::vector<Stmt*> out;
    if (at(TokenKind::TypeComment)) next();
    if (!at(TokenKind::Newline)) {
      line(out);
      return out;
    }
    skip_lines();
    if (may_be_empty && !at(TokenKind::Indent)) return out;
    if (!at(TokenKind::Indent)) wrong("an indented block");
    next();
    block_lines(out);
    return out;
  }
  void block_lines(std::vector<Stmt*>& out) {
    for (skip_lines(); !at(TokenKind::Dedent) && !at(TokenKind::End); skip_lines()) statement(out);
    if (at(TokenKind::Dedent)) next();
  }

  void statement(std::vector<Stmt*>& out) {
    if (at(TokenKind::Indent)) wrong("a statement at the indentation of the line before");
    const uint32_t from = begin();
    if (at_word("if")) return out.push_back(if_statement());
    if (at_word("while")) return out.push_back(while_statement());
    if (at_word("for")) return out.push_back(for_statement());
    if (at_word("with")) return out.push_back(with_statement());
    if (at_word("try")) return out.push_back(try_statement());
    if (at_operator("@") || at_word("def")) return out.push_back(nested_function());
    if (at_word("class")) return out.push_back(whole_ ? nested_class(from, {}) : skipped(StmtKind::Class));
    if (at_word("async")) raise_at(source_, token().range, "async is not supported in a script");
    if (at_match()) return match_statement(out);
    line(out);
  }
  void line(std::vector<Stmt*>& out) {
    for (;;) {
      out.push_back(simple());
      if (!take(";")) break;
      if (at(TokenKind::Newline)) break;
    }
    if (at(TokenKind::TypeComment)) next();
    if (at(TokenKind::End)) return;
    if (!at(TokenKind::Newline)) wrong("the end of the statement");
    next();
  }

  Stmt* if_statement() {
    // Each elif is an if in the else of the one before: a loop, since there may be many.
    std::vector<Stmt*> chain;
    for (;;) {
      const uint32_t from = begin();
      next();
      Expr* condition = named_expression();
      Stmt* s = statement_of(StmtKind::If, from);
      s->value = condition;
      s->body = block();
      chain.push_back(s);
      skip_lines_before_else();
      if (at_word("elif")) continue;
      if (take_word("else")) s->orelse = block();
      break;
    }
    measure(chain.back());
    for (size_t k = chain.size(); k-- > 1;) chain[k - 1]->orelse = {chain[k]}, measure(chain[k - 1]);
    return chain[0];
  }
  // A comment that says a type may stand before an else.
  void skip_lines_before_else() {
    size_t k = 0;
    while (ahead(k).kind == TokenKind::Newline || ahead(k).kind == TokenKind::TypeComment) ++k;
    if (ahead(k).kind == TokenKind::Name && (ahead(k).text == "else" || ahead(k).text == "elif")) at_ += k;
  }
  void else_of_loop(Stmt* s) {
    skip_lines_before_else();
    if (take_word("else")) s->orelse = block();
    measure(s);
  }
  Stmt* while_statement() {
    const uint32_t from = begin();
    next();
    Expr* condition = named_expression();
    Stmt* s = statement_of(StmtKind::While, from);
    s->value = condition, s->body = block();
    else_of_loop(s);
    return s;
  }
  Stmt* for_statement() {
    const uint32_t from = begin();
    next();
    Expr* target = target_list();
    if (!take_word("in")) wrong("'in'");
    Expr* iterated = expressions();
    Stmt* s = statement_of(StmtKind::For, from);
    s->values = {target}, s->value = iterated, s->body = block();
    else_of_loop(s);
    return s;
  }
  Stmt* with_statement() {
    const uint32_t from = begin();
    next();
    std::vector<Expr*> items;
    do {
      items.push_back(expression());
      items.push_back(take_word("as") ? postfix() : nullptr);
    } while (take(","));
    Stmt* s = statement_of(StmtKind::With, from);
    s->values = std::move(items), s->body = block();
    measure(s);
    return s;
  }
  // match is a word of the language only where a block of cases follows.
  bool at_match() const {
    if (!at_word("match")) return false;
    size_t k = 1;
    while (ahead(k).kind != TokenKind::Newline && ahead(k).kind != TokenKind::End) ++k;
    if (ahead(k - 1).kind != TokenKind::Operator || ahead(k - 1).text != ":") return false;
    while (ahead(k).kind == TokenKind::Newline || ahead(k).kind == TokenKind::TypeComment) ++k;
    return ahead(k).kind == TokenKind::Indent && ahead(k + 1).kind == TokenKind::Name && ahead(k + 1).text == "case";
  }
  // match n:                   if n == 1 or n == 2: A
  //     case 1 | 2: A          else:
  //     case k if k > 5: B         k = n
  //     case _: C                  if k > 5: B
  //                                else: C
  void match_statement(std::vector<Stmt*>& out) {
    const uint32_t from = begin();
    next();
    Expr* value = expressions();
    Expr* subject = value;
    expect(":");
    // A value that is computed once, and a variable that a guard gives a new value, has a name that no program can write.
    const size_t assigned = assignments_;
    subject = make(SyntaxKind::Name, value->range, {}, value->kind == SyntaxKind::Name ? value->text : concat("match.", from));
    skip_lines();
    next();
    std::vector<Case> cases;
    for (skip_lines(); take_word("case"); skip_lines()) {
      if (!cases.empty() && cases.back().always())
        raise_at(source_, token().range, "the pattern before matches every value, so that this case is never reached");
      cases.push_back(match_case(subject));
    }
    if (!at(TokenKind::Dedent) && !at(TokenKind::End)) wrong("'case'");
    if (at(TokenKind::Dedent)) next();
    if (value->kind != SyntaxKind::Name || assignments_ != assigned) {
      subject->text = concat("match.", from);
      out.push_back(assignment(value->range, subject, value));
    }
    std::vector<Stmt*> rest;
    for (size_t k = cases.size(); k-- > 0;) rest = case_statements(std::move(cases[k]), std::move(rest));
    out.insert(out.end(), rest.begin(), rest.end());
  }
  struct Case {
    TextRange range;
    Expr* condition = nullptr;  // null: every value matches
    Stmt* capture = nullptr;  // gives the value a name
    Expr* guard = nullptr;
    std::vector<Stmt*> body;
    bool always() const { return !condition && !guard; }
  };
  Case match_case(Expr* subject) {
    Case c;
    const uint32_t from = begin();
    if (at_name() && (ahead(1).kind != TokenKind::Operator || ahead(1).text == ":")) {
      Expr* target = postfix();
      if (target->text != "_") c.capture = assignment(target->range, target, subject);
    } else {
      c.condition = patterns(subject);
    }
    if (take_word("if")) c.guard = named_expression();
    c.range = since(from);
    c.body = block();
    return c;
  }
  Expr* patterns(Expr* subject) {
    const uint32_t from = begin();
    std::vector<Expr*> choices;
    do choices.push_back(pattern(subject));
    while (take("|"));
    return choices.size() == 1 ? choices[0] : make(SyntaxKind::Or, since(from), std::move(choices));
  }
  // A literal or a dotted name, as a comparison. None, True and False match themselves alone, as in Python.
  Expr* pattern(Expr* subject) {
    NestingLevel level(*this);
    const uint32_t from = begin();
    if (take("(")) {
      Expr* inner = patterns(subject);
      if (take(")")) return inner;
    }
    const bool constant = at_word("None") || at_word("True") || at_word("False");
    const bool literal = constant || at(TokenKind::Number) || at(TokenKind::String) || at_operator("-");
    Expr* e = literal || at_name() ? binary(5) : nullptr;
    if (!e || (!literal && e->kind != SyntaxKind::Attribute))
      raise_at(source_, {from, token().range.end},
               "a case compares with a literal (1, \"a\", None) or a dotted name (Mode.SUM), or with several of them (1 | 2), names the "
               "value, or is _; "
               "other patterns are not supported in a script: write an if");
    Expr* test = make(SyntaxKind::Compare, since(from), {subject, e});
    test->names.emplace_back(constant ? "is" : "==");
    return test;
  }
  std::vector<Stmt*> case_statements(Case c, std::vector<Stmt*> rest) {
    std::vector<Stmt*> out;
    if (c.capture) out.push_back(c.capture);
    if (c.always()) {
      out.insert(out.end(), c.body.begin(), c.body.end());
      return out;
    }
    Expr* condition = c.condition && c.guard ? make(SyntaxKind::And, c.range, {c.condition, c.guard}) : c.condition ? c.condition : c.guard;
    Stmt* s = statement_of(StmtKind::If, c.range.begin);
    s->range = c.range, s->value = condition, s->body = std::move(c.body), s->orelse = std::move(rest);
    measure(s);
    out.push_back(s);
    return out;
  }
  Stmt* assignment(TextRange range, Expr* target, Expr* value) {
    Stmt* s = statement_of(StmtKind::Assign, range.begin);
    s->range = range, s->values = {target}, s->value = value;
    return s;
  }
  Stmt* try_statement() {
    const uint32_t from = begin();
    next();
    Stmt* s = statement_of(StmtKind::Try, from);
    s->body = block();
    size_t handlers = 0;
    for (;;) {
      skip_lines();
      if (!at_word("except") && !at_word("else") && !at_word("finally")) break;
      const bool finally = at_word("finally");
      const bool otherwise = at_word("else") || s->text == "else";
      s->text = s->text.empty() && finally ? "finally" : otherwise ? "else" : "except";
      const bool first = handlers++ == 0 && at_word("except");
      next();
      Expr* caught = first && !at_operator(":") && !at_operator("*") ? expression() : nullptr;
      while (!at_operator(":") && !at(TokenKind::Newline) && !at(TokenKind::End)) next();
      std::vector<Stmt*> handler = block();
      if (finally) s->orelse = std::move(handler);
      else if (first) s->value = caught, s->handler = std::move(handler);
    }
    if (handlers != 1) s->handler.clear();
    measure(s);
    return s;
  }
  // A statement that a script cannot mean: its lines are read over.
  Stmt* skipped(StmtKind kind) {
    const uint32_t from = begin();
    while (!at(TokenKind::Newline) && !at(TokenKind::End)) next();
    Stmt* s = statement_of(kind, from);
    skip_lines();
    size_t depth = 0;
    if (!at(TokenKind::Indent)) return s;
    do {
      depth += at(TokenKind::Indent), depth -= at(TokenKind::Dedent);
      next();
    } while (depth && !at(TokenKind::End));
    return s;
  }

  std::vector<Expr*> read_decorators() {
    std::vector<Expr*> out;
    while (take("@")) {
      out.push_back(named_expression());
      skip_lines();
    }
    return out;
  }
  Stmt* nested_function() {
    const uint32_t from = begin();
    const std::vector<Expr*> decorators = read_decorators();
    if (whole_ && at_word("class")) return nested_class(from, decorators);
    if (!at_word("def")) wrong("'def'");
    FunctionSyntax* f = function();
    f->decorators = decorators;
    Stmt* s = statement_of(StmtKind::Function, from);
    s->function = f, s->range = f->range;
    for (const Stmt* inner : f->body) s->depth = std::max(s->depth, inner->depth + 1);
    return s;
  }

  Stmt* nested_class(uint32_t from, const std::vector<Expr*>& decorators) {
    ClassSyntax* c = class_definition(decorators);
    Stmt* s = statement_of(StmtKind::Class, from);
    s->cls = c;
    return s;
  }
  // A word with dots, also at its beginning: "..nn.init".
  std::string dotted_name() {
    std::string text;
    while (at_name() || at_operator(".") || at_operator("...")) text += next().text;
    return text;
  }
  // from a.b import c as d, e     import a.b as c
  Stmt* import_statement(uint32_t from) {
    std::string module;
    const bool is_from = at_word("from");
    next();
    if (is_from) {
      module = dotted_name();
      if (!take_word("import")) wrong("'import'");
    }
    std::vector<std::pair<std::string, std::string>> names;
    const bool parentheses = take("(");
    while (at_name() || take("*")) {
      std::string name = dotted_name();
      std::string given = take_word("as") ? next().text : name.substr(0, name.find('.'));
      names.emplace_back(std::move(name), std::move(given));
      if (!take(",")) break;
    }
    if (parentheses) expect(")");
    Stmt* s = statement_of(StmtKind::Import, from);
    s->text = std::move(module), s->imports = std::move(names);
    return s;
  }

  Stmt* simple() {
    const uint32_t from = begin();
    if (take_word("return")) {
      Expr* value = ends_expressions() ? nullptr : expressions();
      Stmt* s = statement_of(StmtKind::Return, from);
      s->value = value;
      return s;
    }
    if (take_word("pass")) return statement_of(StmtKind::Pass, from);
    if (take_word("break")) return statement_of(StmtKind::Break, from);
    if (take_word("continue")) return statement_of(StmtKind::Continue, from);
    if (take_word("assert")) {
      Expr* condition = expression();
      Expr* message = take(",") ? expression() : nullptr;
      Stmt* s = statement_of(StmtKind::Assert, from);
      s->value = condition;
      if (message) s->values = {message};
      return s;
    }
    if (take_word("raise")) {
      Expr* value = ends_expressions() ? nullptr : expression();
      if (take_word("from")) expression();
      Stmt* s = statement_of(StmtKind::Raise, from);
      s->value = value;
      return s;
    }
    if (take_word("del")) {
      std::vector<Expr*> targets{postfix()};
      while (take(",") && !ends_expressions()) targets.push_back(postfix());
      Stmt* s = statement_of(StmtKind::Delete, from);
      s->values = std::move(targets);
      return s;
    }
    if (at_word("import") || at_word("from")) return import_statement(from);
    for (std::string_view word : {"global", "nonlocal"})
      if (at_word(word)) {
        while (!at(TokenKind::Newline) && !at(TokenKind::End) && !at_operator(";")) next();
        Stmt* s = statement_of(StmtKind::Global, from);
        s->text = word;
        return s;
      }
    return assignment(from);
  }

  Stmt* assignment(uint32_t from) {
    Expr* first = expressions();
    if (take(":")) {
      Expr* type = expression();
      Expr* value = take("=") ? expressions() : nullptr;
      Stmt* s = statement_of(StmtKind::Assign, from);
      s->values = {first}, s->type = type, s->value = value;
      return s;
    }
    for (std::string_view op : {"+", "-", "*", "/", "%", "@", "&", "|", "^", "**", "//", "<<", ">>"})
      if (take(concat(op, "="))) {
        Expr* value = expressions();
        Stmt* s = statement_of(StmtKind::Augmented, from);
        s->values = {first}, s->value = value, s->text = op;
        return s;
      }
    if (!at_operator("=")) {
      Stmt* s = statement_of(StmtKind::Expression, from);
      s->values = {first};
      return s;
    }
    std::vector<Expr*> targets{first};
    while (take("=")) targets.push_back(expressions());
    Stmt* s = statement_of(StmtKind::Assign, from);
    s->value = targets.back();
    targets.pop_back();
    s->values = std::move(targets);
    if (at(TokenKind::TypeComment)) {
      s->type = parse_expression(source_, token().range, tree_);
      next();
    }
    return s;
  }

  // --- Functions.

  FunctionSyntax* function() {
    const uint32_t from = begin();
    next();
    FunctionSyntax& f = tree_.function_list.emplace_back();
    f.name = name();
    expect("(");
    parameters(f);
    if (take("->")) f.returns = expression();
    f.range = since(from);
    expect(":");
    Expr* comment = nullptr;
    auto type_comment = [&] {
      if (!at(TokenKind::TypeComment)) return;
      comment = parse_expression(source_, token().range, tree_);
      next();
    };
    type_comment();
    if (at(TokenKind::Newline)) {
      while (at(TokenKind::Newline)) next();
      type_comment();
      skip_lines();
      if (!at(TokenKind::Indent)) wrong("an indented block");
      next();
      block_lines(f.body);
    } else {
      line(f.body);
    }
    if (comment) apply_comment(f, comment);
    return &f;
  }
  ClassSyntax* class_definition(const std::vector<Expr*>& decorators) {
    const uint32_t from = begin();
    next();
    ClassSyntax& c = tree_.classes.emplace_back();
    c.name = name(), c.decorators = decorators;
    if (take("("))
      while (!take(")")) {
        if (at_name() && ahead(1).kind == TokenKind::Operator && ahead(1).text == "=") next(), next();  // metaclass=
        c.bases.push_back(expression());
        if (!at_operator(")")) expect(",");
      }
    c.range = since(from);
    for (Stmt* s : block(true)) {  // in PyTorch's archives a class may have no body
      switch (s->kind) {
        case StmtKind::Function: c.methods.push_back(s->function); break;
        case StmtKind::Assign: c.fields.push_back(s); break;
        case StmtKind::Pass:
        case StmtKind::Expression: break;
        default:
          if (whole_) break;
          raise_at(source_, s->range, "the body of a class holds methods, fields and constants in a script");
      }
    }
    return &c;
  }
  void parameters(FunctionSyntax& f) {
    bool keyword_only = false;
    size_t positional_only = 0;
    while (!take(")")) {
      Parameter p;
      const uint32_t from = begin();
      if (take("/")) {
        positional_only = f.parameters.size();
      } else if (take("*")) {
        keyword_only = true;
        if (at_name()) p.kind = Parameter::Kind::Args;
      } else if (take("**")) {
        p.kind = Parameter::Kind::Kwargs;
      }
      if (at_name()) {
        p.name = name();
        p.keyword_only = keyword_only && p.kind == Parameter::Kind::Plain;
        if (take(":")) p.type = expression();
        if (take("=")) p.default_value = expression();
        p.range = since(from);
        for (const Parameter& other : f.parameters)
          if (other.name == p.name) raise_at(source_, p.range, concat("the parameter '", p.name, "' is given twice"));
        f.parameters.push_back(std::move(p));
      } else if (end() <= from) {
        wrong("a parameter");
      }
      if (!at_operator(")")) expect(",");
      if (at(TokenKind::TypeComment)) {  // of this parameter alone
        if (!f.parameters.empty() && !f.parameters.back().type) f.parameters.back().type = parse_expression(source_, token().range, tree_);
        next();
      }
    }
    (void)positional_only;
  }
  // (int, Tensor) -> Tensor
  void apply_comment(FunctionSyntax& f, Expr* comment) {
    if (comment->kind != SyntaxKind::Compare || comment->names[0] != "->" || comment->parts.size() != 2)
      raise_at(source_, comment->range, "the comment of a function's types must be like (Tensor, int) -> Tensor");
    Expr* types = comment->parts[0];
    const std::vector<Expr*> parts = types->kind == SyntaxKind::Tuple ? types->parts : std::vector<Expr*>{types};
    if (parts.size() == 1 && parts[0]->kind == SyntaxKind::Ellipsis) return void(f.returns = comment->parts[1]);
    const size_t self = f.parameters.size() == parts.size() + 1 && !f.parameters.empty() && f.parameters[0].name == "self" ? 1 : 0;
    if (f.parameters.size() != parts.size() + self)
      raise_at(source_, comment->range, concat("the comment has ", parts.size(), " types for ", f.parameters.size(), " parameters"));
    for (size_t k = 0; k < parts.size(); ++k) f.parameters[k + self].type = parts[k];
    f.returns = comment->parts[1];
  }

  const SourceText& source_;
  std::vector<Token> tokens_;
  Tree& tree_;
  size_t at_ = 0;
  size_t assignments_ = 0;  // how many := were read
  uint32_t level_ = 0;  // of functions of this class that are in each other
  bool whole_ = false;  // a whole module is read
};

}  // namespace

std::unique_ptr<Tree> parse_functions(const SourceText& source) {
  auto tree = std::make_unique<Tree>();
  Parser(source, tokens_of(source), *tree).functions();
  return tree;
}

std::unique_ptr<Tree> parse_module(const SourceText& source) {
  auto tree = std::make_unique<Tree>();
  Parser(source, tokens_of(source), *tree).module();
  return tree;
}

Expr* parse_expression(const SourceText& source, TextRange range, Tree& tree) {
  return Parser(source, expression_tokens(source, range), tree).one_expression();
}

}  // namespace monograph::capture::script

// A recursive-descent parser of the ONNX rules in records (onnx_rule.h). Each rule is parsed at its first use and kept.
#include "ops/onnx_rule.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace monograph {
namespace {

class RuleParser {
 public:
  explicit RuleParser(const Operator& op) : op_(op), text_(op.onnx) {}

  OnnxRule run() {
    OnnxRule rule;
    if (text_.starts_with("out: ")) rule.both_ways = false, at_ = 5;
    do rule.cases.push_back(one_case());
    while (accept('|'));
    if (at_ < text_.size()) fail("the end, | or if");
    return rule;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    monograph::fail(ErrorKind::Value, "the ONNX rule of ", op_.name(), ", column ", at_ + 1, ": expected ", expected, "\n  ", text_);
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    return ++at_, blanks(), true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string(1, c));
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
  std::string_view word() {
    blanks();
    size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (begin == at_) fail("a name");
    return text_.substr(begin, at_ - begin);
  }
  bool accept_word(std::string_view w) {
    blanks();
    if (text_.substr(at_, w.size()) != w || (at_ + w.size() < text_.size() && is_word(text_[at_ + w.size()]))) return false;
    return at_ += w.size(), blanks(), true;
  }
  size_t argument(std::string_view name) {
    int k = op_.schema().index_of(name);
    if (k < 0) fail(concat("an argument of the schema, not ", name));
    return named_[static_cast<size_t>(k)] = true, static_cast<size_t>(k);
  }

  OnnxCase one_case() {
    OnnxCase c;
    named_.assign(op_.schema().arguments().size(), false);
    do c.results.push_back(expression());
    while (accept(';'));
    if (accept_word("if")) do
        c.conditions.push_back(condition());
      while (accept(','));
    c.named = named_;
    return c;
  }

  OnnxCondition condition() {
    using Kind = OnnxCondition::Kind;
    OnnxCondition c;
    std::string name(word());
    if (name == "opset") {
      expect('>'), expect('=');
      return c.kind = Kind::Opset, c.number = literal()[0].as_int(), c;
    }
    if (accept('(')) {
      c.argument = argument(word());
      if (name == "one") expect(','), c.dim_argument = argument(word());
      expect(')');
      static constexpr std::pair<std::string_view, Kind> kNamed[] = {{"given", Kind::Given}, {"dense", Kind::Dense},
                                                                     {"keeps", Kind::Keeps}, {"floats", Kind::Floats},
                                                                     {"one", Kind::One},     {"rank", Kind::Rank}};
      const auto* found = std::ranges::find(kNamed, std::string_view(name), [](const auto& entry) { return entry.first; });
      if (found == std::end(kNamed)) fail("given, rank, one, dense, keeps or floats");
      c.kind = found->second;
      if (c.kind != Kind::Rank) return c;
      expect('=');
      return c.number = literal()[0].as_int(), c;
    }
    c.argument = argument(name);
    c.kind = accept('~') ? Kind::Any : (expect('='), Kind::Equal);
    c.literal = literal();
    return c;
  }

  ir::Args literal() {
    char c = peek();
    if (c == '"') {
      size_t begin = ++at_;
      while (at_ < text_.size() && text_[at_] != '"') ++at_;
      std::string_view value = text_.substr(begin, at_ - begin);
      return expect('"'), ir::Args(value);
    }
    size_t begin = at_;
    if (c == '-') ++at_;
    std::string token(text_.substr(begin, at_ - begin));
    token += word();
    if ((at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) && token.back() == 'e') {  // 1e-05
      ++at_;
      token += text_[at_ - 1];
      token += word();
    }
    if (token == "None") return ir::Args().none();
    if (token == "True" || token == "False") return ir::Args(token == "True");
    for (int i = 0; i < kDTypeCount; ++i)
      if (token == concat("torch.", monograph::name(static_cast<DType>(i)))) return ir::Args(static_cast<DType>(i));
    double number = 0;
    if (token.find_first_not_of("-0123456789") == std::string::npos) return ir::Args(static_cast<int64_t>(std::stoll(token)));
    if (!ir::read_float(token, number)) fail("a literal");
    return ir::Args(number);
  }

  OnnxExpr expression() {
    using Kind = OnnxExpr::Kind;
    OnnxExpr e;
    char c = peek();
    if (accept('*')) return e.kind = Kind::Spread, e.argument = argument(word()), e;
    if (accept('[')) {
      e.kind = Kind::List;
      if (!accept(']')) {
        do e.parts.push_back(expression());
        while (accept(','));
        expect(']');
      }
      return e;
    }
    size_t begin = at_;
    if (std::isalpha(static_cast<unsigned char>(c))) {
      std::string name(word());
      bool call = peek() == '(';
      if (!call && std::islower(static_cast<unsigned char>(c)) && !name.starts_with("torch."))
        return e.kind = Kind::Argument, e.argument = argument(name), e;
      if (name != "None" && name != "True" && name != "False" && !name.starts_with("torch.")) {
        e.name = name;
        e.kind = std::isupper(static_cast<unsigned char>(c)) ? Kind::Operator : Kind::Function;
        call ? parts(e) : every_argument(e);
        return e;
      }
    }
    at_ = begin;
    return e.literal = literal(), e;
  }

  void parts(OnnxExpr& e) {
    expect('(');
    if (accept(')')) return;
    do {
      size_t begin = at_;
      if (std::islower(static_cast<unsigned char>(peek()))) {
        std::string name(word());
        if (accept('=')) {
          e.attributes.emplace_back(name, expression());
          continue;
        }
        at_ = begin;
      }
      e.parts.push_back(expression());
    } while (accept(','));
    expect(')');
  }

  void every_argument(OnnxExpr& e) {
    for (const ir::Argument& a : op_.schema().arguments()) {
      if (a.default_value || a.kwarg_only) continue;
      OnnxExpr part;
      part.kind = OnnxExpr::Kind::Argument, part.argument = argument(a.name);
      e.parts.push_back(std::move(part));
    }
  }

  const Operator& op_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<bool> named_;
};

}  // namespace

size_t OnnxExpr::operators() const {
  size_t n = kind == Kind::Operator;
  for (const OnnxExpr& p : parts) n += p.operators();
  for (const auto& a : attributes) n += a.value.operators();
  return n;
}

const OnnxRule* onnx_rule(const Operator& op) {
  if (!op.onnx) return nullptr;
  static std::mutex mutex;
  static auto* rules = new std::map<const Operator*, std::unique_ptr<OnnxRule>>;
  std::lock_guard lock(mutex);
  auto& rule = (*rules)[&op];
  if (!rule) rule = std::make_unique<OnnxRule>(RuleParser(op).run());
  return rule.get();
}

}  // namespace monograph

// The syntax tree of a script. A tree owns its nodes; nothing recurses to free them. Depth is bounded while it is parsed, so that what walks a tree may
// recurse.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "capture/script/source.h"

namespace monograph::capture::script {

// The most levels of expressions in each other, and of statements in each other, where each elif counts.
inline constexpr uint32_t kMaxExpressionDepth = 2000, kMaxStatementDepth = 1000;
// What compiling one level more, and raising an error there, needs of the stack.
inline constexpr size_t kStackOfLevel = size_t{1} << 18;

enum class SyntaxKind : uint8_t {
  Name,  // text
  Number,  // text
  String,  // text
  True,
  False,
  None,
  Ellipsis,
  Attribute,  // parts[0] . text
  Call,  // parts[0] (parts[1...]); the last ones have the keywords of `names`
  Subscript,  // parts[0] [parts[1]]
  Slice,  // parts: start, stop, step, null where absent
  Unary,  // text: "-", "+", "~", "not"
  Binary,  // text: an operator's symbol
  Compare,  // parts, and between them the operators of `names`: "<", "in", "not in", "is", "is not"
  And,
  Or,
  Conditional,  // parts[0] if parts[1] else parts[2]
  List,
  Tuple,
  Dict,  // key, value, key, value; a null key of **value
  Set,
  ListComprehension,  // parts: element; then as `names` say, "for": target, iterated; "if": condition
  DictComprehension,  // parts: key, value; then the same
  Generator,  // as ListComprehension
  Starred,  // *parts[0]
  DoubleStarred,  // **parts[0], in a call
  FormatString,  // parts: String, and Formatted
  Formatted,  // parts[0] in {}; text: what stands behind "!" and ":"
  Assignment,  // parts[0] := parts[1]
  Lambda,  // function; parts[0]: what it returns
  Await,
  Yield,
};

struct FunctionSyntax;
struct ClassSyntax;

struct Expr {
  SyntaxKind kind;
  TextRange range;
  std::string text;
  std::vector<Expr*> parts;
  std::vector<std::string> names;
  uint32_t depth = 1;
  FunctionSyntax* function = nullptr;  // of a Lambda
};

enum class StmtKind : uint8_t {
  Expression,  // values[0]
  Assign,  // targets = value; targets: values, value: value; `type` of an annotation or comment
  Augmented,  // values[0] text= value
  Return,  // value or null
  If,  // value, body, orelse
  While,  // value, body, orelse
  For,  // values[0] in value, body, orelse
  Break,
  Continue,
  Pass,
  Assert,  // value, values: the message
  Raise,  // value or null
  Delete,  // values
  With,  // values: items and targets in turn, null where there is none; body
  Global,  // text
  Import,
  Try,  // body, orelse: of its finally; text: "finally" if that is all, "else" if it has one, "except" otherwise
  Function,  // function
  Class,
};

struct Stmt {
  StmtKind kind;
  TextRange range;  // of its first line
  std::string text;
  std::vector<Expr*> values;
  Expr* value = nullptr;
  Expr* type = nullptr;
  std::vector<Stmt*> body, orelse;
  std::vector<Stmt*> handler;  // of a Try with one except and nothing else: what it does; value: what it catches, or null
  FunctionSyntax* function = nullptr;
  ClassSyntax* cls = nullptr;  // of a Class, in a whole module
  // Of an Import in a whole module: the names that it takes, with those that they get. `text` is the module of a from, with its dots.
  std::vector<std::pair<std::string, std::string>> imports;
  uint32_t depth = 1;
};

struct Parameter {
  std::string name;
  TextRange range;
  Expr* type = nullptr;
  Expr* default_value = nullptr;
  bool keyword_only = false;
  enum class Kind : uint8_t { Plain, Args, Kwargs } kind = Kind::Plain;
};

struct FunctionSyntax {
  std::string name;
  TextRange range;
  std::vector<Parameter> parameters;
  Expr* returns = nullptr;
  std::vector<Expr*> decorators;
  std::vector<Stmt*> body;
};

struct ClassSyntax {
  std::string name;
  TextRange range;
  std::vector<Expr*> bases, decorators;
  std::vector<Stmt*> fields;  // what the body assigns or annotates, in order
  std::vector<FunctionSyntax*> methods;
};

// What a text holds.
struct Tree {
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<FunctionSyntax> function_list;
  std::vector<FunctionSyntax*> functions;  // those of the text itself, in order
  std::deque<ClassSyntax> classes;  // likewise
  std::vector<Stmt*> statements;  // of a whole module: all that stands there
};

}  // namespace monograph::capture::script

// The compiler of one function into one graph: it checks types and makes nodes while it walks the syntax tree. Private to src/capture/script.
//
// Calls of the user's functions are compiled in place. A variable is a slot of the RegionBuilder. What is known only while a function is compiled
// (modules, functions, tuples, ranges) is a Value that is no node.
#pragma once

#include <map>
#include <unordered_map>

#include "capture/script/compiler.h"
#include "capture/script/types.h"
#include "ir/builder.h"
#include "ir/graph.h"

namespace monograph::capture::script {

struct Value {
  enum class Kind : uint8_t {
    Plain,  // one argument: a node or a literal
    Tuple,  // parts
    List,  // a list that was just written: parts; `type` is its type
    Namespace,  // id
    Operator,  // text
    Builtin,  // text
    Function,  // id
    Local,  // a function that stands in this one: local
    Method,  // parts[0].text
    Type,  // type
    Exception,  // text
    Iterable,  // text: "range", "enumerate", "zip", "reversed"; parts
  };
  Kind kind = Kind::Plain;
  ir::Args arg;
  ir::Type type;
  std::vector<Value> parts;
  std::string text;
  int64_t id = 0;
  const Function* local = nullptr;
  bool is_none() const { return kind == Kind::Plain && type.is(ir::TypeKind::None); }
};

// How control leaves a statement.
enum class Flow : uint8_t {
  Falls,  // to the next one
  Raises,  // never: it raised
  Exits,  // never: it returned, broke or continued
  Mixed,  // to the next one, unless the flag of the loop or function says that it was left
  InElse,  // to the next one, which stands in the else of an If that is still open
};

using Slot = ir::RegionBuilder::Slot;

struct Variable {
  Slot slot = 0;
  ir::Type type;  // what it may hold
  Range range;  // where it was first assigned
  std::optional<Value> fixed;  // what is known while the function is compiled
};

struct LoopFrame {
  std::optional<Slot> skip, stop;
  size_t depth = 0;  // regions around
};

// What a for goes over: how often, and what it gives.
struct IteratedValue {
  ir::Args count;
  std::function<Value(ir::Node* counter)> item;
};

// A function under compilation.
struct Frame {
  HostFunction function;
  std::string name;
  std::unordered_map<std::string, Variable> variables;
  std::map<Slot, std::pair<ir::Node*, ir::Args>>
      refined;  // what a condition says of a variable: its value then, and the same with another type
  std::vector<LoopFrame> loops;
  Slot returned = 0, result = 0;
  ir::Type declared;  // what it returns, where it says so
  std::vector<ir::Type> results;
  size_t depth = 0;  // regions around
  Frame* outer = nullptr;  // of a function in a function
};

// What a condition is, and what it says of variables on each side.
struct Condition {
  std::optional<bool> known;
  ir::Args value;  // a bool
  std::map<std::string, ir::Type> if_true, if_false;
};

class FunctionCompiler {
 public:
  FunctionCompiler(Host& host, ir::Graph& graph);
  void compile(const HostFunction& function);

 private:
  // --- Statements (statements.cpp).
  // `known`: what narrowed() says at its end.
  Flow block(const std::vector<Stmt*>& statements, std::map<std::string, ir::Type>* known = nullptr);
  std::map<std::string, ir::Type> narrowed() const;
  Flow statement(const Stmt& s);
  Flow if_statement(const Stmt& s);
  Flow while_statement(const Stmt& s);
  Flow for_statement(const Stmt& s);
  Flow return_statement(const Stmt& s);
  Flow assert_statement(const Stmt& s);
  Flow raise_statement(const Stmt& s);
  void assign_statement(const Stmt& s);
  void augmented_statement(const Stmt& s);
  void delete_statement(const Stmt& s);
  Flow exit_loop(const Stmt& s, bool again);
  void raise_exception(const Range& at, const Value& message, const std::string& exception);
  std::pair<std::string, Value> exception_of(const Expr* e);
  Flow guard_rest();
  void leave_arm(Flow flow);
  Flow close_arms(Flow yes, Flow no);
  Flow unrolled(const Stmt& s, const std::vector<Value>& items);
  struct Iteration;
  Flow loop(const Stmt& s, const Iteration& iteration);
  std::vector<Slot> carried_slots(const std::vector<Stmt*>& body, const std::vector<std::string>& more, bool returns);
  void assign(const Expr& target, Value value, ir::Type annotated = {});
  void assign_name(const Expr& target, Value value, ir::Type annotated);
  void unpack(const Expr& target, const Value& value);
  void assign_item(const Expr& target, const Value& value);

  // --- Conditions (conditions.cpp).
  Condition condition(const Expr& e);
  Condition negated(Condition c) const;
  Condition truth_of(const Expr& e, const Value& v);
  Condition short_circuit(const Expr& e, bool strict);
  Condition operand(const Expr& e, bool strict);
  Condition none_test(const Expr& e, const Expr& tested, bool is);
  Condition instance_test(const Expr& e);
  std::optional<Condition> static_question(const Expr& e);
  Condition comparison_chain(const Expr& e);
  Value compare(const Expr& e, const std::string& op, const Value& a, const Value& b);
  void refine(const std::map<std::string, ir::Type>& facts);
  ir::Node* condition_node(const Condition& c);
  // Runs one of both, or builds an If; the values join.
  template <class Yes, class No>
  Value choose(const Expr& e, const Condition& c, const Yes& yes, const No& no);

  // --- Expressions (expressions.cpp).
  Value expression(const Expr& e, ir::Type expected = {});
  Value plain(const Expr& e, ir::Type expected = {});
  Value name(const Expr& e);
  Value load(const Expr& e, const Variable& v);
  Value number(const Expr& e);
  Value attribute(const Expr& e);
  Value attribute_of(const Expr& e, const Value& base, const std::string& name);
  Value list_display(const Expr& e, ir::Type expected);
  Value dict_display(const Expr& e, ir::Type expected);
  Value tuple_display(const Expr& e, ir::Type expected);
  Value comprehension(const Expr& e, ir::Type expected);
  void hide_targets(const Expr& target);
  Value unary(const Expr& e);
  Value binary(const Expr& e);
  Value operation(const Range& at, std::string_view symbol, bool inplace, const Value& a, const Value& b);
  Value format_string(const Expr& e);
  Value conditional(const Expr& e, ir::Type expected);
  Value from_host(const Expr& e, const HostValue& v);
  Value bool_value(const Condition& c);

  // --- Subscripts (subscripts.cpp).
  Value subscript(const Expr& e);
  Value tensor_subscript(const Expr& e, const Value& base, const Expr& index, ir::Args* rest);
  Value element(const Range& at, const Value& base, const Value& index);
  Value slice(const Expr& e, const Value& base, const Expr& range);
  ir::Args slice_bounds(const Expr& range);

  // --- Calls (calls.cpp, builtins.cpp).
  struct Given {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    std::vector<Range> ranges;
  };
  Value call(const Expr& e, ir::Type expected);
  Given arguments(const Expr& e);
  Value call_value(const Expr& e, const Value& callee, Given given, ir::Type expected);
  Value call_method(const Expr& e, const Value& receiver, const std::string& name, Given given);
  Value call_function(const Expr& e, const HostFunction& f, Frame* outer, const Given& given);
  Value run_body(Frame& frame);
  void bind_parameters(Frame& frame, const Expr& e, const Given& given);
  Value builtin(const Expr& e, const std::string& name, Given given, ir::Type expected);
  Value list_of(const Expr& e, const Value& over);
  static bool static_question_name(std::string_view word);
  Value cast(const Expr& e, ir::Type type, Given given, ir::Type expected);
  Value extremum(const Expr& e, const std::string& name, Given given);
  Value text_of(const Range& at, const Value& v);
  Value string_format(const Expr& e, const Value& pattern, const Given& given);
  Value iterable(const Expr& e, const std::string& name, Given given);
  IteratedValue iterated_value(const Range& at, const Value& v);
  IteratedValue iterated_range(const Range& at, const Value& v);
  void print(const Expr& e, const Given& given);

  // --- Nodes.
  Value emit(const Range& at, std::string_view surface, const ir::Args& args);
  Value emit(const Range& at, std::string_view surface, std::initializer_list<Value> values);
  ir::Args args_of(const Range& at, const Given& given, const Value* first = nullptr);
  void check_optional(const Range& at, const ir::Node& n, const ir::OpInfo& op);
  ir::Type result_type(const ir::Node& n, const ir::OpInfo& op);
  void locate(const Range& at);
  Value node_value(ir::Node* n) const;
  Value literal(const ir::Args& arg) const;
  Value made_list(const Range& at, const Value& list);
  // One argument of the graph; a list that was just written becomes a node, unless `inline_lists`.
  ir::Args arg_of(const Range& at, const Value& v, bool inline_lists = false);
  ir::Type type_of(const Value& v) const;
  ir::Node* node_of(const Range& at, const Value& v);
  Value converted(const Range& at, const Value& v, ir::Type to, std::string_view what);
  std::vector<Value> items_of(const Range& at, const Value& v);
  std::optional<size_t> known_length(const Value& v) const;

  // --- Names.
  Variable* find_variable(const std::string& name);
  ir::Type annotation(const Expr& e);
  HostValue look_up(const std::string& name);
  [[noreturn]] void wrong(const Range& at, std::string message) const;
  [[noreturn]] void unsupported(const Range& at, std::string what) const;
  const Source& source() const { return *frame_->function.source; }
  std::string_view text_at(const Range& r) const { return source().at(r); }

  Host& host_;
  ir::Graph& graph_;
  ir::RegionBuilder regions_;
  Frame* frame_ = nullptr;
  std::vector<std::pair<const Function*, Range>> chain_;  // the calls that are compiled in place
};

}  // namespace monograph::capture::script

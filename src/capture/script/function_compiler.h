// The compiler of one function into one graph: it checks types and makes nodes while it walks the syntax tree. Private to src/capture/script.
//
// Calls of the user's functions are compiled in place. A variable is a slot of the RegionBuilder. What is known only while a function is compiled
// (modules, functions, tuples, ranges) is a ScriptValue that is no node.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "capture/script/compiler.h"
#include "capture/script/types.h"
#include "capture/writer.h"
#include "core/calls.h"
#include "ir/builder.h"
#include "ir/graph.h"

namespace monograph::capture::script {

struct FunctionFrame;

struct ScriptValue {
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
    Class,  // id
    BoundMethod,  // local, of the class `text`; parts[0]: its self, absent of a static one
    Context,  // text
    Keywords,  // what **kwargs holds: names, parts; text: its name, of the function that the graph is of
    Exception,  // text
    Iterable,  // text: "range", "enumerate", "zip", "reversed"; parts
    Module,  // id
    Chosen,  // one of the modules `parts`; arg: its place among them, known when the script runs
    Bound,  // a method of a module: id, parts[0]
    Graph,  // id; text: the path of its module
    RecordClass,  // a dataclass that is a dict, as ModelOutput of transformers: text, names, and parts: the defaults, without a type where there is none
    Record,  // an object of one: text, names, parts
  };
  Kind kind = Kind::Plain;
  ir::Args arg;
  ir::Type type;
  std::vector<ScriptValue> parts;
  std::vector<std::string> names;
  std::string text;
  int64_t id = 0;
  const FunctionSyntax* local = nullptr;
  FunctionFrame* home = nullptr;  // of a Local: the function in which it stands
  std::shared_ptr<FunctionFrame> kept;  // the same, as it was where that one has returned it
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

struct ScriptVariable {
  Slot slot = 0;
  ir::Type type;  // what it may hold
  TextRange range;  // where it was first assigned
  std::optional<ScriptValue> fixed;  // what is known while the function is compiled
  size_t depth = 0;  // the regions around its assignment; behind them a fixed one is forgotten
  bool declared = false;  // its type was written
  // Where the other branch of an if gave it another type: that type, and the place.
  std::optional<std::pair<ir::Type, TextRange>> other;
};

struct LoopFrame {
  std::optional<Slot> skip, stop;
  size_t depth = 0;  // regions around
};

// What a for goes over: how often, and what it gives.
struct IteratedValue {
  ir::Args count;
  std::function<ScriptValue(ir::Node* counter)> item;
};

// What a for goes over that stands there once for each item.
struct UnrolledItems {
  size_t count = 0;
  // The lengths of lists that go along, as in zip(self.layers, xs). Where one is shorter when the script runs, it ends the loop.
  std::vector<ScriptValue> lengths;
  std::function<ScriptValue(size_t place)> item;
};

// What conditions say of values.
struct Refined {
  std::map<Slot, std::pair<ir::Node*, ir::Args>> variables;  // of a variable: its value then, and the same with another type
  // Of attributes, by what the program writes: "self.cache" is not None. A call may have changed that, so that every use checks it.
  std::set<std::string> present;
};

// A function under compilation.
struct FunctionFrame {
  HostFunction function;
  std::string name;
  const CallInPlace* call = nullptr;  // in whose place it stands; null for the function that the graph is of
  std::string shown;  // of that one: its name for messages
  std::unordered_map<std::string, ScriptVariable> variables;
  Refined refined;
  std::vector<LoopFrame> loops;
  Slot returned = 0, result = 0;
  ir::Type declared;  // what it returns, where it says so
  std::vector<ir::Type> results;
  size_t depth = 0;  // regions around
  std::vector<size_t> rest_arms;  // the depths of the open else arms in which the statements behind an early exit stand
  FunctionFrame* outer = nullptr;  // of a function in a function
  std::shared_ptr<FunctionFrame> outer_kept;  // the same, of one that was returned
  std::optional<ScriptValue> fixed_result;  // what it returns, where that is known while it is compiled: a function, or a Record
};

// A call that is compiled in place: of this function, with this module as its first argument or none.
struct InlinedCall {
  const FunctionSyntax* function;
  std::optional<int64_t> self;
  const FunctionFrame* home = nullptr;  // of a function that was returned
};

// A class of the user's.
struct ScriptClass {
  HostClass host;
  ir::Type type;
  bool defining = false, defined = false;
  std::vector<std::pair<std::string, ir::Type>> attributes;  // of an Object, in the order of their definition
  std::string short_name() const { return host.name.substr(host.name.rfind('.') + 1); }
  const ir::Type* find(const std::string& attribute) const;
  // Its method of this name; with a decorator, that which has it: "setter" of @name.setter.
  const FunctionSyntax* method(std::string_view name, std::string_view decorator = {}) const;
  // What the class body assigns or annotates under this name.
  const Stmt* field(std::string_view name) const;
};

// What runs on every way out of a with or try: an __exit__, a finally.
struct PendingExit {
  FunctionFrame* frame;
  size_t loops;  // around
  std::function<void()> run;
};

// What a condition is, and what it says of variables on each side.
struct ScriptCondition {
  std::optional<bool> known;
  ir::Args value;  // a bool
  std::map<std::string, ir::Type> if_true, if_false;
};

// Gives a variable its value back at the end of a scope.
template <class T>
class Kept {
 public:
  explicit Kept(T& place) : place_(place), value_(place) {}
  ~Kept() { place_ = std::move(value_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

 private:
  T& place_;
  T value_;
};

// The arguments with what `add(out, k)` puts in the place of the k-th one. Keywords keep their names.
template <class F>
ir::Args each_argument(const ir::Args& args, F&& add) {
  ir::Args out;
  for (size_t k = 0; k < args.size(); ++k) {
    if (k >= args.positional()) out.name(args.names()[k - args.positional()]);
    add(out, k);
  }
  return out;
}

// The dtype with PyTorch's number `code`.
std::optional<DType> dtype_of_code(int64_t code);

class FunctionCompiler {
 public:
  // `none_alone`: an input without a type whose default is None takes None alone. Else it takes a tensor, too.
  // `bare`: inputs with defaults that are no tensors take their defaults alone.
  // `lenient`: what may be None is used as what is there, and the graph raises where it is None.
  explicit FunctionCompiler(Host& host, ir::Graph& graph, bool none_alone = false, bool lenient = false, bool bare = false);
  // Whether there is such an input.
  bool may_be_tensor() const { return may_be_tensor_; }
  bool has_defaults() const { return has_defaults_; }
  // `self`: the module that is the function's first argument, or null. A forward runs with the module's hooks.
  void compile(const HostFunction& function, const int64_t* self);
  // The calls of modules that stand in place, in the order of their ends.
  std::vector<ModuleCall> take_module_calls() { return std::move(module_calls_); }
  void compile_class(int64_t id);
  // Finds the attributes of all classes of the host that objects have.
  void define_classes();

 private:
  // The arguments of a call.
  struct Given {
    std::vector<ScriptValue> positional;
    std::vector<std::pair<std::string, ScriptValue>> named;
    std::vector<TextRange> ranges;
    bool sizes = false;  // the positional one is the list of ints that the call gives one by one
  };

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
  void raise_exception(const TextRange& at, const ScriptValue& message, const std::string& exception);
  std::pair<std::string, ScriptValue> exception_of(const Expr* e);
  Flow guard_rest();
  Flow then(Flow flow, const std::function<Flow()>& rest);
  void leave_arm(Flow flow);
  bool opens_arm(Flow flow);
  // Ends the Ifs whose else arms hold the statements behind an early exit; how the whole ends.
  Flow end_open_arms(size_t open, Flow last);
  Flow close_arms(Flow yes, Flow no);
  // Why statements do not compile; "" where they do. What is compiled for the answer is gone afterwards.
  std::string why_not(const ScriptCondition& c, const std::vector<Stmt*>& body);
  Flow unrolled(const Stmt& s, const UnrolledItems& items);
  struct Iteration;
  Flow loop(const Stmt& s, const Iteration& iteration);
  std::vector<Slot> slots_with_value(const std::vector<Slot>& slots) const;
  std::vector<Slot> carried_slots(const std::vector<Stmt*>& body, const std::vector<std::string>& more, bool returns);
  void assign(const Expr& target, ScriptValue value, ir::Type annotated = {});
  void assign_name(const Expr& target, ScriptValue value, ir::Type annotated);
  bool same_place(size_t depth) const;
  bool stays_declared(ir::Type declared, const ScriptValue& value) const;
  void unpack(const Expr& target, const ScriptValue& value);
  void assign_item(const Expr& target, const ScriptValue& value);

  Flow with_else(const Stmt& s, const std::function<Flow(std::vector<std::string>&)>& run);
  Flow while_loop(const Stmt& s, const std::vector<std::string>& carried);
  Flow for_loop(const Stmt& s, const std::vector<std::string>& carried);
  Flow behind_loop(bool returns, bool never_falls);
  Flow unrolled_with_exits(const Stmt& s, const UnrolledItems& items);
  void unpack_starred_list(const Expr& target, const ScriptValue& value, size_t star);
  void assign_slice(const Expr& target, const ScriptValue& base, const ScriptValue* value);

  // --- Comprehensions, formats, keyword arguments (comprehensions.cpp, formats.cpp, keywords.cpp).
  struct Collected;
  std::optional<ScriptValue> written_out(const Expr& e, const ScriptValue& over);
  void clauses(const Expr& e, size_t clause, size_t part, Collected& into);
  void collect(const Expr& e, Collected& into);
  ScriptValue formatted(const TextRange& at, const ScriptValue& v, const std::string& spec);
  ScriptValue kept_format(const TextRange& at, const std::string& pattern, const std::vector<ScriptValue>& values);
  ScriptValue percent_format(const TextRange& at, const ScriptValue& pattern, const ScriptValue& values);
  ScriptValue compared(const Expr& e, const std::string& op);
  ScriptValue merged_dict(const Expr& e, ir::Type expected);
  ScriptValue dict_of_pairs(const Expr& e, const ScriptValue& pairs);
  ScriptValue as_tensor(const Expr& e, const Given& given);
  static ir::Args with_list_dtype(ir::Args args);
  ScriptValue future(const Expr& e, const std::string& name, const Given& given);
  ScriptValue mapped(const Expr& e, const Given& given);
  ScriptValue known_attribute(const Expr& e, const std::string& name, const Given& given);
  std::vector<std::pair<std::string, ScriptValue>> keywords_of(const Expr& e);
  ScriptValue keyword_item(const TextRange& at, const ScriptValue& keywords, const ScriptValue& key);
  bool names_keywords(const Expr& e);
  void set_keyword(const Expr& dict, const TextRange& at, const ScriptValue& key, const ScriptValue* value);
  ScriptValue keywords_method(const Expr& e, const ScriptValue& keywords, const std::string& method, const Given& given);

  // --- with and try (with_statement.cpp).
  Flow with_statement(const Stmt& s);
  Flow try_statement(const Stmt& s);
  Flow run_with_exit(const std::vector<Stmt*>& body, size_t exits);
  // Runs the exits for which `leaves` holds, the innermost first. They stay pending for the other ways.
  void run_exits(const std::function<bool(const PendingExit&)>& leaves);
  std::function<void()> enter_context(const Expr& item, const Expr* target);
  void enter_autocast(const Expr& item, const std::string& name);
  bool enter_autocast_object(const TextRange& at, const ScriptValue& manager);
  void set_autocast(const TextRange& at, const std::string& device, bool enabled, std::optional<DType> dtype);
  std::optional<ir::Args> autocast_args(const TextRange& at, const ir::OpInfo& op, const ir::Args& args);

  // --- Classes (classes.cpp).
  ScriptClass& class_of(const TextRange& at, int64_t id);
  ScriptClass& class_of(const TextRange& at, ir::Type type);
  ScriptClass& register_class(const TextRange& at, const HostClass& info);
  void define(const TextRange& at, ScriptClass& c);
  void define_attributes(const TextRange& at, ScriptClass& c);
  void check_recursion(const TextRange& at, const ScriptClass& c);
  void compile_method(const ScriptClass& c, const FunctionSyntax& f);
  // Runs f with the class body's names.
  template <class F>
  auto in_class(const ScriptClass& c, const F& f);
  HostFunction method_function(const ScriptClass& c, const FunctionSyntax* f) const;
  ScriptValue new_object(const TextRange& at, const ScriptClass& c);
  ScriptValue construct(const Expr& e, ScriptClass& c, Given given);
  ScriptValue construct_tuple(const Expr& e, const ScriptClass& c, const Given& given);
  ScriptValue enum_member(const TextRange& at, const ScriptClass& c, const std::string& name);
  std::vector<ScriptValue> enum_members(const TextRange& at, const ScriptClass& c);
  std::optional<ScriptValue> field_default(const ScriptClass& c, const std::string& name, ir::Type type);
  std::vector<ScriptValue> bind_fields(const Expr& e, const ScriptClass& c, std::span<const std::pair<std::string, ir::Type>> fields,
                                       const Given& given);
  ScriptValue object_attribute(const Expr& e, const ScriptValue& base, const std::string& name);
  ScriptValue class_attribute(const Expr& e, ScriptClass& c, const std::string& name);
  ScriptValue enum_attribute(const Expr& e, const ScriptValue& base, const std::string& name);
  ScriptValue tuple_field(const Expr& e, const ScriptValue& base, const std::string& name);
  ScriptValue read_attribute(const TextRange& at, const ScriptValue& object, const std::string& name, ir::Type type);
  void write_attribute(const TextRange& at, const ScriptValue& object, const std::string& name, const ScriptValue& value);
  void assign_attribute(const Expr& target, const ScriptValue& value, ir::Type annotated);
  void assign_attribute_of(const Expr& target, const ScriptValue& object, const ScriptValue& value, ir::Type annotated);
  ir::Type attribute_type(const Expr& target);
  ScriptValue call_bound(const TextRange& at, const ScriptClass& c, const FunctionSyntax& f, const ScriptValue* self, Given given);
  // Calls the method of this name of the first value; nothing where that is no object with one.
  std::optional<ScriptValue> special_method(const TextRange& at, std::string_view name, std::initializer_list<ScriptValue> values);
  std::optional<ScriptValue> object_operation(const TextRange& at, std::string_view symbol, bool inplace, const ScriptValue& a,
                                              const ScriptValue& b);
  std::optional<ScriptValue> object_comparison(const TextRange& at, const std::string& op, const ScriptValue& a, const ScriptValue& b);
  std::optional<ScriptValue> object_text(const TextRange& at, const ScriptValue& v);
  void sort_objects(const Expr& e, const ScriptValue& list, const ScriptValue& reverse);
  ScriptValue typed_call(const TextRange& at, std::string_view target, const ir::Args& args, ir::Type type);

  // --- Conditions (conditions.cpp).
  ScriptCondition condition(const Expr& e);
  ScriptCondition negated(ScriptCondition c) const;
  ScriptCondition truth_of(const Expr& e, const ScriptValue& v);
  ScriptCondition short_circuit(const Expr& e, bool strict, const ScriptValue* first = nullptr);
  ScriptValue short_circuit_value(const Expr& e, ir::Type expected);
  ScriptValue chosen_tensor(const Expr& e, const ScriptValue& first);
  ScriptCondition operand(const Expr& e, bool strict, const ScriptValue* computed = nullptr);
  ScriptCondition none_test(const Expr& e, const Expr& tested, bool is);
  ScriptValue tested_value(const Expr& tested);
  void note_present(const Expr& e, const ScriptValue& v);
  void forget_attributes(const std::string& name);
  void note_assigned_attribute(const Expr& target, const ScriptValue& value);
  ScriptCondition instance_test(const Expr& e);
  bool names_refused_class(const Expr& e);
  ScriptCondition runtime_instance_test(const Expr& e, const ScriptValue& v, ir::Type asked, ir::Type yes, ir::Type no);
  std::optional<ScriptCondition> static_question(const Expr& e);
  ScriptCondition comparison_chain(const Expr& e);
  ScriptValue compare(const Expr& e, const std::string& op, const ScriptValue& a, const ScriptValue& b);
  ScriptValue tuple_order(const Expr& e, const std::string& op, const std::vector<ScriptValue>& a, const std::vector<ScriptValue>& b);
  void refine(const std::map<std::string, ir::Type>& facts);
  ir::Node* condition_node(const ScriptCondition& c);
  static bool never_holds(const ScriptCondition& c);

  // --- Expressions (expressions.cpp).
  ScriptValue expression(const Expr& e, ir::Type expected = {});
  ScriptValue plain(const Expr& e, ir::Type expected = {});
  ScriptValue name(const Expr& e);
  ScriptValue load(const Expr& e, const ScriptVariable& v);
  ScriptValue number(const Expr& e);
  ScriptValue attribute(const Expr& e);
  std::optional<ScriptValue> result_field(const Expr& e, const ScriptValue& results, const std::string& name);
  ScriptValue attribute_of(const Expr& e, const ScriptValue& base, const std::string& name);
  ScriptValue list_display(const Expr& e, ir::Type expected);
  ScriptValue dict_display(const Expr& e, ir::Type expected);
  ScriptValue tuple_display(const Expr& e, ir::Type expected);
  ScriptValue joined_list(std::span<Expr* const> parts, size_t star, std::vector<ScriptValue> before, ScriptValue items, ir::Type wanted);
  ScriptValue comprehension(const Expr& e, ir::Type expected, std::optional<ScriptValue> over = {});
  std::optional<ScriptValue> quantified(const Expr& e, const Expr& generator, bool any);
  ScriptValue extended(const ScriptValue& list, const Expr& generator);
  void hide_targets(const Expr& target);
  ScriptValue unary(const Expr& e);
  ScriptValue binary(const Expr& e);
  ScriptValue operation(const TextRange& at, std::string_view symbol, bool inplace, const ScriptValue& a, const ScriptValue& b);
  std::optional<ScriptValue> complex_literal(std::string_view symbol, const ScriptValue& a, const ScriptValue& b);
  ScriptValue elements_of(const TextRange& at, const ScriptValue& tensor, ir::Type expected);
  ScriptValue format_string(const Expr& e);
  ScriptValue conditional(const Expr& e, ir::Type expected);
  ScriptValue from_host(const Expr& e, const HostValue& v);
  ScriptValue bool_value(const ScriptCondition& c);

  // --- Subscripts (subscripts.cpp).
  ScriptValue subscript(const Expr& e);
  ScriptValue tensor_subscript(const Expr& e, const ScriptValue& base, const Expr& index, ir::Args* rest);
  ScriptValue element(const TextRange& at, const ScriptValue& base, const ScriptValue& index);
  ScriptValue slice(const Expr& e, const ScriptValue& base, const Expr& range);
  ir::Args slice_bounds(const Expr& range);
  void add_bound(ir::Args& bounds, const TextRange& at, ScriptValue v);
  bool is_slice(const Expr& e);

  // --- Calls (calls.cpp, builtins.cpp).
  ScriptValue call(const Expr& e, ir::Type expected);
  Given arguments(const Expr& e);
  ScriptValue call_value(const Expr& e, const ScriptValue& callee, Given given, ir::Type expected);
  std::optional<HostFunction> with_indices(const HostFunction& f, const Given& given);
  std::string functional_arguments(const TextRange& at, const std::string& surface, Given& given);
  Given gathered_tensors(const std::string& surface, Given given);
  bool is_new_tensor(const Expr& e, const ScriptValue& receiver) const;
  ScriptValue call_method(const Expr& e, const ScriptValue& receiver, const std::string& name, Given given);
  ScriptValue call_function(const Expr& e, const HostFunction& f, FunctionFrame* outer, const Given& given);
  ScriptValue run_body(FunctionFrame& frame);
  ScriptValue broadcast_number(const ScriptValue& v, const Parameter& p, ir::Type type) const;
  void bind_parameters(FunctionFrame& frame, const Expr& e, const Given& given);
  ScriptValue builtin(const Expr& e, const std::string& name, Given given, ir::Type expected);
  ScriptValue list_of(const Expr& e, const ScriptValue& over);
  ScriptValue product_of(const Expr& e, const ScriptValue& values);
  ScriptValue sum_with_start(const Expr& e, const ScriptValue& values, const ScriptValue& start);
  ScriptValue complex_function(const Expr& e, const std::string& name, const Given& given);
  static bool static_question_name(std::string_view word);
  ScriptValue cast(const Expr& e, ir::Type type, Given given, ir::Type expected);
  ScriptValue flag_as_int(const Expr& e, const ScriptValue& v);
  ScriptValue repeated(const Expr& e, const ScriptValue& v, size_t length);
  // The number in a tensor where one of this type is wanted, as in TorchScript; any other value as it is.
  ScriptValue number_in(const TextRange& at, const ScriptValue& v, const ir::Type& wanted);
  ScriptValue number_beside(const Expr& e, const ScriptValue& v, const ScriptValue& other);
  ScriptValue extremum(const Expr& e, const std::string& name, Given given);
  ScriptValue emit_str(const TextRange& at, const ScriptValue& v);
  ScriptValue string_format(const Expr& e, const ScriptValue& pattern, const Given& given);
  ScriptValue iterable(const Expr& e, const std::string& name, Given given);
  IteratedValue iterated_value(const TextRange& at, const ScriptValue& v);
  IteratedValue iterated_range(const TextRange& at, const ScriptValue& v);
  void print(const Expr& e, const Given& given);

  std::optional<ir::Args> with_named_dtypes(const TextRange& at, const ir::FunctionSchema& schema, const ir::Args& args);

  // --- Calls that stay calls (kept_calls.cpp).
  std::optional<ScriptValue> kept_call(const Expr& e, const HostFunction& f, const Given& given);
  bool bind_kept(const Expr& e, const HostFunction& f, const Given& given, ir::Args& args);
  ir::Type kept_result(const HostFunction& f, const ScriptValue* self);
  ScriptValue kept_attribute(const Expr& e, const ScriptValue& module, const std::string& attribute, const HostValue& held);
  ScriptValue holder_of(const TextRange& at, const ScriptValue& module);

  // --- Objects of Python that are constants, and records (constants.cpp).
  std::optional<ScriptValue> asked(const Expr& e, const ScriptValue& object, const std::string& question, const ScriptValue* key = nullptr);
  ScriptValue mapping_method(const Expr& e, const ScriptValue& object, const std::string& method, const Given& given);
  ScriptValue make_record(const Expr& e, const ScriptValue& cls, const Given& given);
  std::vector<ScriptValue> record_items(const TextRange& at, const ScriptValue& record) const;
  ScriptValue record_item(const TextRange& at, const ScriptValue& record, const std::string& name) const;
  ScriptValue record_method(const Expr& e, const ScriptValue& record, const std::string& method, const Given& given);
  ir::Type record_type(const ScriptValue& record) const;
  ScriptCondition optional_truth(const Expr& e, const ScriptValue& v);
  ir::Type open_annotation(const Expr& e);
  void import_statement(const Stmt& s);
  Flow try_except(const Stmt& s);
  const Stmt* with_rest(const std::vector<Stmt*>& statements, size_t k);
  static std::shared_ptr<FunctionFrame> kept_frame(const FunctionFrame& frame);
  static bool is_known_alone(const ScriptValue& v);
  ScriptValue with_stand_in(const Expr& e, const ScriptValue& value, const ScriptValue& other, const std::string& name);
  std::vector<std::string> restore_fixed(const std::unordered_map<std::string, ScriptVariable>& before);
  bool collects_keywords(const Stmt& s);
  std::optional<ScriptValue> known_text(const ScriptValue& self, const std::string& method, const Given& given) const;
  std::optional<ScriptValue> as_record(const TextRange& at, const ScriptValue& v);
  ScriptValue record_place(const TextRange& at, const ScriptValue& record, const ScriptValue& index);
  bool define_or_forget(const TextRange& at, ir::Type type, const std::set<std::string>& known);
  std::optional<ScriptValue> compiled_arm(const Expr& e, const ScriptCondition& c, bool holds);
  static std::optional<bool> chosen_by_default(const ir::Node* condition);
  void assign_record(const Expr& target, const ScriptValue& value);
  ScriptValue signature_value(const Expr& e, const ScriptValue& f);
  void takes_alone(const Parameter& p, ir::Node* n, const ir::Args& value);
  bool has_defaults_ = false;
  std::string why_not_once(const void* place, const ScriptCondition& c, const std::vector<Stmt*>& body);
  // The arms that were tried, by their places: those that compile, and what is wrong with the others, with the path of the module.
  struct Tried {
    std::set<const void*> compiled;
    std::map<std::pair<const void*, std::string>, std::string> refused;
  };
  std::shared_ptr<Tried> tried_ = std::make_shared<Tried>();
  int64_t records_ = 0;  // so many were made

  // --- Modules (modules.cpp).
  ScriptValue module_value(int64_t id) const;
  const HostModule& module_of(const ScriptValue& module);
  ScriptValue module_tensor(const TextRange& at, const HostValue& v);
  ScriptValue container_from_host(const Expr& e, const HostValue& host);
  // A list or dict of a module, while it is a constant.
  static constexpr int64_t kNoModule = -1;
  struct AttributeOf {
    int64_t module;  // or a namespace, or kNoModule of a global
    std::string name;
    std::shared_ptr<const SourceText> source;  // where it is read
    TextRange at;
  };
  void note_container(ScriptValue& v, const AttributeOf& attribute);
  void check_written_containers();
  ScriptValue module_object(const TextRange& at, const std::string& path);
  ScriptValue super_value(const Expr& e);
  ScriptValue static_attribute(const Expr& e, const Given& given);
  std::optional<std::string> attribute_name(const std::vector<ScriptValue>& args) const;
  bool has_attribute(const ScriptValue& holder, const std::string& name);
  ScriptValue module_attribute(const Expr& e, const ScriptValue& module, const std::string& attribute);
  std::vector<ScriptValue> module_items(const TextRange& at, const ScriptValue& module);
  std::optional<UnrolledItems> unrolled_items(const TextRange& at, const ScriptValue& over);
  static UnrolledItems written_items(std::vector<ScriptValue> values);
  UnrolledItems zipped_items(const TextRange& at, const ScriptValue& zip);
  ir::Node* reaches(const TextRange& at, const UnrolledItems& items, size_t place);
  ScriptValue module_item(const TextRange& at, const ScriptValue& module, const ScriptValue& key);
  std::optional<ScriptValue> module_listing(const Expr& e, const ScriptValue& module, const std::string& method);
  ScriptValue call_bound(const Expr& e, const ScriptValue& bound, Given given);
  ScriptValue call_module(const Expr& e, const ScriptValue& module, Given given);
  ScriptValue call_graph(const Expr& e, const ScriptValue& callee, const Given& given);
  ScriptValue attribute_of_graph(const Expr& e, const std::string& path, const ir::Node* n);
  std::optional<ScriptValue> call_compiled(const Expr& e, const ScriptValue& module, const Given& given);
  ScriptValue call_unused(const Expr& e, const HostFunction& f);
  ScriptValue tuple_of(std::vector<ScriptValue> parts) const;
  void assign_module_attribute(const Expr& target, const ScriptValue& base, const ScriptValue& value);
  bool is_attribute(const ScriptValue& value, const HostValue& attribute) const;
  void apply_pre_hooks(FunctionFrame& frame, const ScriptValue& module, std::vector<ScriptValue>& inputs);
  ScriptValue apply_hooks(const TextRange& at, const ScriptValue& module, const std::vector<ScriptValue>& inputs, ScriptValue result);
  std::vector<ScriptValue> hooked_inputs(const Expr& e, const ScriptValue& module, int64_t hook, const std::vector<ScriptValue>& inputs);

  // --- Modules that an index chooses when the script runs (chosen_modules.cpp).
  struct ChosenResult {
    Slot slot;
    ir::Type type;
  };
  void check_place(const Expr& e, const ScriptValue& fits, const std::function<ScriptValue()>& message, const std::string& exception);
  ScriptValue list_place(const Expr& e, const ScriptValue& index, int64_t count);
  ScriptValue dict_place(const Expr& e, const ScriptValue& key, const HostModule& m);
  ScriptValue chosen_module(const TextRange& at, const ScriptValue& container, const ScriptValue& index);
  ScriptValue call_chosen(const Expr& e, const ScriptValue& chosen, const std::string& method, const Given& given);
  void call_chosen_between(const Expr& e, const ScriptValue& chosen, const std::string& method, const Given& given, size_t first,
                           size_t last, ChosenResult& result);
  void check_interface(const TextRange& at, const ScriptValue& value, const HostValue& interface);
  [[noreturn]] void no_value(const Expr& e, const ScriptVariable& v) const;

  // --- The dialect of archives and of printed code (serialized.cpp, upgraders.cpp).
  bool may_be_printed() const { return host_.may_be_printed(frame_->function.scope); }
  std::optional<ScriptValue> number_operator(const Expr& e, const std::string& name, const ir::Args& args);
  ScriptValue any_number(const TextRange& at, const ScriptValue& v);
  ir::Args torchscript_numbers(const TextRange& at, const std::string& name, const ir::Args& args);
  std::optional<ScriptValue> serialized_call(const Expr& e);
  std::optional<ScriptValue> older_operator(const Expr& e, const std::string& name, Given& given);
  ScriptValue older_division(const Expr& e, const std::string& name, const Given& given, const ScriptValue* out);
  ScriptValue serialized_operator(const Expr& e, const std::string& name, Given given);
  ScriptValue known_operator(const Expr& e, const std::string& name, Given given);
  ScriptValue missing_operator(const Expr& e, const std::string& name, const Given& given, const ScriptValue* self = nullptr);
  ir::Args on_known_devices(const TextRange& at, const ir::Args& args);
  ScriptValue as_numbers(const TextRange& at, const ScriptValue& v);
  ScriptValue guessed_as(const ScriptValue& v, ir::Type type);
  bool is_foreign(ir::Type type) const;
  ir::Args enumerated(const TextRange& at, ir::ArgRef given, ir::Type type);
  ir::Args with_enumerations(const TextRange& at, const std::string& name, const ir::Args& args);
  ScriptValue folded(const ScriptValue& result, const ir::Args& args);

  // --- Nodes.
  // `otherwise` is the operator's own name, which is tried where the surface means none.
  ScriptValue emit(const TextRange& at, std::string_view surface, const ir::Args& args, std::string_view otherwise = {});
  ScriptValue emit(const TextRange& at, std::string_view surface, std::initializer_list<ScriptValue> values);
  bool may_be_missing(const std::string& name) const;
  ScriptValue lacking(const TextRange& at, const std::string& name);
  ir::Args with_attributes(const TextRange& at, const ir::Args& args);
  bool is_used_as_present(const ir::Node* n) const;
  ScriptValue present(const TextRange& at, const ScriptValue& v);
  ir::Args args_of(const TextRange& at, const Given& given, const ScriptValue* first = nullptr, bool inline_lists = true);
  ir::Type result_type(const ir::Node& n, const ir::OpInfo& op);
  void locate(const TextRange& at);
  Span place_of(const TextRange& at) const;
  std::string shown_name(const HostFunction& f, const ScriptValue* self);
  ScriptValue node_value(ir::Node* n) const;
  ScriptValue literal(const ir::Args& arg) const;
  ScriptValue made_list(const TextRange& at, const ScriptValue& list);
  // One argument of the graph; a list that was just written becomes a node, unless `inline_lists`.
  ir::Args arg_of(const TextRange& at, const ScriptValue& v, bool inline_lists = false);
  ir::Type type_of(const ScriptValue& v) const;
  ir::Node* node_of(const TextRange& at, const ScriptValue& v);
  ScriptValue converted(const TextRange& at, const ScriptValue& v, ir::Type to, std::string_view what);
  ScriptValue tuple_item(const TextRange& at, ir::Node* whole, ir::Type type, size_t k);
  ScriptValue item_of(const TextRange& at, const ScriptValue& v, size_t k);
  std::optional<bool> constant_bool(const Expr& e);
  std::vector<ScriptValue> items_of(const TextRange& at, const ScriptValue& v);
  std::optional<size_t> known_length(const ScriptValue& v) const;

  // --- Names.
  ScriptVariable* find_variable(const std::string& name);
  Slot variable_slot(const std::string& name) {
    const Slot slot = regions_.slot(name);
    regions_.name_nodes(slot);
    return slot;
  }
  HostValue named_type(const Expr& e);
  ir::Type open_type(const ScriptValue& default_value);
  ir::Type annotation(const Expr& e);
  HostValue look_up(const std::string& name);
  void check_stack(const TextRange& at) const;
  [[noreturn]] void wrong(const TextRange& at, std::string message) const;
  [[noreturn]] void unsupported(const TextRange& at, std::string what, std::string_view instead = {}) const;
  const SourceText& source() const { return *frame_->function.source; }
  std::string_view text_at(const TextRange& r) const { return source().at(r); }

  Host& host_;
  ir::Graph& graph_;
  ir::RegionBuilder regions_;
  FunctionFrame* frame_ = nullptr;
  std::vector<PendingExit> exits_;
  // Values that may be None, of which a condition said that they are not: reads of attributes, and variables that a loop assigns.
  std::unordered_set<const ir::Node*> present_reads_;
  bool checked_when_used(const ir::Node* n) const;
  bool none_alone_, lenient_, bare_, may_be_tensor_ = false;
  std::deque<Stmt> made_statements_;
  std::unordered_set<const ir::Node*> numbers_;  // tensors that ops.prim.NumToTensor of an archive has made of a number
  bool in_trial_ = false;  // it compiles to find out whether a branch compiles (why_not)
  std::optional<DType> autocast_;  // the dtype of the region of torch.autocast around
  std::string missing_;  // the first operator that is missing, with its line
  std::unordered_set<const ir::Node*> guessed_types_;  // calls of operators that are missing, as long as no use said what they give
  std::vector<InlinedCall> chain_;  // the calls that are compiled in place
  std::string scope_;  // the path of the module whose code is compiled
  std::map<int64_t, HostModule> modules_;
  std::map<std::string, ir::Node*> attributes_;  // get_attr nodes that the whole function sees, by path
  std::vector<ModuleCall> module_calls_;
  uint32_t asked_ = UINT32_MAX;  // ModuleCall::asked of the call that is compiled
  std::vector<AttributeOf> containers_;  // what the id - 1 of a List says
  std::vector<std::pair<ir::Node*, AttributeOf>> container_nodes_;
};

}  // namespace monograph::capture::script

// Turns a graph into instructions for the interpreter. Blocks become jumps, values become registers, arguments become operands. Then a walk backwards over the
// instructions finds where each register is used for the last time, so that its memory is freed there.
#include <algorithm>
#include <unordered_map>

#include "core/calls.h"
#include "core/interrupt.h"
#include "exec/fusion.h"
#include "exec/interpreter.h"
#include "exec/missing.h"
#include "exec/program.h"
#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/walk.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::exec {

using ir::ArgKind;
using ir::ArgRef;
using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Op;

const Operator* operator_of(const Node& n) {
  const ir::OpInfo* info = n.info();
  if (!info && ir::operator_lookup().resolve && (n.op() == Op::CallFunction || n.op() == Op::CallMethod))
    info = ir::operator_lookup().resolve(n);
  if (auto* op = dynamic_cast<const Operator*>(info)) return op;
  return Registry::global().find(n.target().overload ? *n.target().overload : n.target().name());
}

namespace {

std::string cannot_run(const Node& n, std::string_view why) {
  return concat("%", n.name(), " = ", n.target().name(), "(…) cannot run: ", why);
}

[[noreturn]] void fail_at(const Node& n, std::string_view why) {
  Error e(ErrorKind::Runtime, cannot_run(n, why));
  locate_with_calls(e, n.span());
  throw e;
}

// Whether the interpreter may evaluate the operator without dispatch.
bool is_scalar(const Operator& op) {
  const auto& formals = op.schema().arguments();
  return op.eval && !op.rule && !op.alias_of && op.results() == 1 && formals.size() <= kMostScalars &&
         std::ranges::all_of(formals, [](const ir::Argument& a) {
           return ir::is_number(a.type.kind()) || a.type.is(ir::TypeKind::Bool) || a.type.is(ir::TypeKind::Str);
         });
}

// Where an instruction stands in an If or Loop, for the walk that finds last uses.
enum class BlockMark : uint8_t { None, Then, Else, Join, LoopEnter, LoopExit, LoopTest };

constexpr ValueIndex kUnset = INT32_MIN;
// kMember + k stands for member k of the fusion group that is being planned. No register has such a number.
constexpr ValueIndex kMember = 1 << 30;

class Planner {
 public:
  Planner(const Graph& graph, const FusionGroups& groups, std::unordered_map<const Graph*, int32_t>& index,
          std::vector<const Graph*>& queue)
      : graph_(graph), groups_(groups), index_(index), queue_(queue), operand_(graph.id_limit(), kUnset) {}

  Function run() {
    f_.name = graph_.name();
    MONOGRAPH_CHECK(graph_.output(), Value, "the graph ", graph_.name(), " has no output yet");
    plan_guards();
    inputs();
    const auto plan_node = [&](Node* n) {
      interrupt_point();
      visit(n);
    };
    ir::walk(graph_.root(), plan_node, [&](Block* b) { leave(b); });
    RegisterLiveness(*this).run();
    for (uint32_t g = 0; g < f_.guards.size(); ++g)
      if (!graph_.guards()[g].value) f_.entry_guards.push_back(g);
    plan_direct(f_, tracked_);
    return std::move(f_);
  }

 private:
  struct IfOrLoop {  // an If or Loop
    Node* node;
    size_t branch = 0, jump = 0, test = 0;  // the places of these instructions
    std::vector<int32_t> results, slots;  // of an If: its results; of a Loop: the carried values
    int32_t condition = 0;
    std::vector<int32_t> extended;  // values from outside that the loop uses: they live until it ends
  };

  int32_t new_register() {
    tracked_.push_back(true);
    return static_cast<int32_t>(f_.registers++);
  }
  int32_t new_number_register() {  // holds a number, which needs no freeing
    tracked_.push_back(false);
    return static_cast<int32_t>(f_.registers++);
  }
  int32_t define(const Node* n) {
    using ir::TypeKind;
    const ir::Type& type = n->type();
    const bool number =
        type && (type.is(TypeKind::Int) || type.is(TypeKind::SymInt) || type.is(TypeKind::Float) || type.is(TypeKind::Bool));
    int32_t r = number ? new_number_register() : new_register();
    operand_[n->id()] = r;
    if (n->type().is(ir::TypeKind::Tensor) && n->type().tensor().dtype) dtypes_[r] = *n->type().tensor().dtype;
    return r;
  }
  ValueIndex constant(IValue v) {
    f_.constants.push_back(std::move(v));
    return ~static_cast<int32_t>(f_.constants.size() - 1);
  }
  Slice pooled(std::span<const int32_t> list) {
    Slice s{static_cast<uint32_t>(f_.pool.size()), static_cast<uint32_t>(list.size())};
    f_.pool.insert(f_.pool.end(), list.begin(), list.end());
    return s;
  }
  Instruction& emit(Opcode code, const Node* n, std::span<const int32_t> operands, std::span<const int32_t> results,
                    BlockMark mark = BlockMark::None, size_t structure = 0) {
    Instruction i;
    i.code = code, i.span = n ? n->span() : Span();
    i.operands = pooled(operands), i.results = pooled(results);
    f_.code.push_back(i);
    marks_.push_back({mark, structure});
    return f_.code.back();
  }

  void plan_guards() {
    for (uint32_t k = 0; k < graph_.guards().size(); ++k) {
      const ir::Guard& g = graph_.guards()[k];
      f_.guards.push_back({g.expression, g.span, literal(g.expected[0]), g.size});
      if (g.value) guards_of_.emplace(g.value, k);
    }
  }
  void emit_guards(const Node* n) {
    auto check = [&](const Node* value) {
      auto [from, to] = guards_of_.equal_range(value);
      for (auto it = from; it != to; ++it) {
        ValueIndex pair[] = {operand_[value->id()], constant(f_.guards[it->second].expected)};
        emit(Opcode::Guard, value, pair, {}).target = static_cast<int32_t>(it->second);
      }
    };
    if (guards_of_.empty()) return;
    check(n);
    if (n->multi())
      for (size_t k = 0; k < n->result_count(); ++k)
        if (Node* r = n->result(k)) check(r);
  }

  void inputs() {
    bool symbolic = std::any_of(graph_.guards().begin(), graph_.guards().end(), [](const ir::Guard& g) { return !g.value; });
    for (Node* n : ir::NestedNodes(graph_))
      for (size_t k = 0; !symbolic && k < n->skeleton().items; ++k) symbolic = n->skeleton().item[k].kind == ArgKind::SymInt;
    std::vector<Node*> placeholders = graph_.placeholders();
    for (Node* p : placeholders) {
      FunctionInput in;
      in.name = p->target().name(), in.type = p->type();  // as the program declared it, or as the capture relied on it
      if (p->arg_count()) in.optional = true, in.default_value = literal(p->arg(0));
      if (symbolic && p->type().is(ir::TypeKind::Tensor) && p->type().tensor().sizes) {
        const auto& sizes = *p->type().tensor().sizes;
        for (uint32_t d = 0; d < sizes.size(); ++d)
          if (sizes[d] && sizes[d]->as_symbol()) f_.symbols.push_back({sizes[d]->expr(), static_cast<uint32_t>(f_.inputs.size()), d});
      }
      f_.inputs.push_back(std::move(in));
      define(p);
    }
    emit(Opcode::Enter, nullptr, {}, {});
    for (Node* p : placeholders) emit_guards(p);
  }

  // --- Arguments.

  ValueIndex operand(const Node& user, ArgRef a, const Operator* op = nullptr, size_t argument = 0) {
    if (Node* n = a.node()) return use(user, n);
    if (a.is(ArgKind::SymInt)) {
      int32_t r = new_register();
      f_.expressions.push_back(a.as_symint());
      emit(Opcode::SymInt, &user, {}, std::span(&r, 1)).target = static_cast<int32_t>(f_.expressions.size() - 1);
      return r;
    }
    if (!holds_dynamic(a)) {
      IValue v = literal(a);
      if (op) try {
          check_argument(*op, argument, v);
        } catch (const Error& e) {
          fail_at(user, e.what());
        }
      return constant(std::move(v));
    }
    std::vector<int32_t> parts;
    for (ArgRef part : a) parts.push_back(operand(user, part));
    int32_t r = new_register();
    Opcode code = a.is(ArgKind::List) ? Opcode::List : a.is(ArgKind::Tuple) ? Opcode::Tuple : Opcode::Dict;
    if (code == Opcode::Dict && !a.is(ArgKind::Dict))
      fail_at(user, "a slice that holds values is no argument of an operator; lower the graph to operators first");
    emit(code, &user, parts, std::span(&r, 1));
    return r;
  }
  static bool holds_dynamic(ArgRef a) {
    if (a.is(ArgKind::SymInt)) return true;
    for (ArgRef part : a)
      if (holds_dynamic(part)) return true;
    return a.is(ArgKind::Node);
  }
  ValueIndex use(const Node& user, const Node* value) {
    ValueIndex o = operand_[value->id()];
    if (o == kUnset) fail_at(user, concat("it uses %", value->name(), ", which is computed later or in another block"));
    // A value that a loop uses and that was computed before it lives until the outermost such loop ends.
    if (o >= 0 && !loops_.empty()) {
      // loops_ goes from the outermost loop inwards, so the loops that began after the value are at its end.
      auto first = std::partition_point(loops_.begin(), loops_.end(), [&](size_t l) { return !value->is_before(control_flow_[l].node); });
      if (first != loops_.end()) control_flow_[*first].extended.push_back(o);
    }
    return o;
  }
  // The operands for a call, in the order of the schema. `check` becomes true where some are registers, whose values are converted at run time.
  void bind(const Node& n, const Operator& op, std::vector<int32_t>& operands, bool& check) {
    if (std::string why = ir::misfit(op.schema(), n); !why.empty()) fail_at(n, why);
    const std::optional<ir::Args> args = bound_args(op, n);
    if (!args) fail_at(n, concat("its arguments do not fit the schema of ", op.name()));
    for (size_t i = 0; i < args->size(); ++i) {
      operands.push_back(operand(n, (*args)[i], &op, i));
      check |= operands.back() >= 0;
    }
  }

  // --- Nodes.

  void visit(Node* n) {
    switch (n->op()) {
      case Op::Placeholder:
      case Op::Output: return;
      case Op::GetAttr: return attribute(n);
      case Op::CallMethod:  // a user may have added one to a trace
        if (n->arg_count() && ir::type_of(n->arg(0)).is(ir::TypeKind::Tensor) && operator_of(*n) &&
            operator_of(*n)->schema().returns().size() <= 1)
          break;
        [[fallthrough]];
      case Op::CallModule:
        fail_at(*n, concat("a graph with a ", to_string(n->op()), " node cannot run here; lower the graph to operators first"));
      case Op::CallFunction: break;
    }
    if (n->is_projection()) return;
    if (n->is_if()) return begin_if(n);
    if (n->is_loop()) return begin_loop(n);
    if (const FusionGroups::Group* g = groups_.find(n)) {
      // The whole group runs at the place of its last member.
      if (n == g->members.back()) fused(*g);
      return;
    }
    if (!plan_structural(n)) call(n);
    emit_guards(n);
  }

  void attribute(Node* n) {
    IValue value;
    try {
      value = attribute_value(graph_.unit(), n->target().name());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Attribute) throw;
      fail_at(*n, error.what());
    }
    operand_[n->id()] = constant(value);
    emit_guards(n);
  }

  std::vector<int32_t> results(Node* n) {
    std::vector<int32_t> out;
    for (size_t k = 0, count = n->result_count(); k < count; ++k) {
      Node* r = n->result(k);
      out.push_back(r ? define(r) : kNowhere);
    }
    return out;
  }

  // Plans a node of the IR that is no operator, such as prim::ListConstruct; false for other nodes.
  bool plan_structural(Node* n) {
    const std::string& name = n->target().name();
    if (name == "prim::Constant") {
      operand_[n->id()] = n->arg_count() ? operand(*n, n->arg(0)) : constant({});
      return true;
    }
    if (name == "prim::Uninitialized") return operand_[n->id()] = constant({}), true;
    static const std::unordered_map<std::string_view, Opcode> kCodes = {
        {"prim::ListConstruct", Opcode::List}, {"prim::TupleConstruct", Opcode::Tuple}, {"prim::DictConstruct", Opcode::Dict},
        {"prim::ListUnpack", Opcode::Unpack},  {"prim::TupleUnpack", Opcode::Unpack},   {"prim::TupleIndex", Opcode::Item},
        {"operator.getitem", Opcode::Item}};
    auto found = kCodes.find(name);
    if (found == kCodes.end() || (found->second == Opcode::Item && operator_of(*n))) return false;
    std::vector<int32_t> operands;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) operands.push_back(operand(*n, *it));
    emit(found->second, n, operands, results(n));
    return true;
  }

  void call(Node* n) {
    std::vector<int32_t> operands;
    if (const Graph* callee = graph_.unit() ? graph_.unit()->find_function(n->target().name()) : nullptr) return invoke(n, *callee);
    const Operator* op = operator_of(*n);
    if (!takes(op, *n)) return refuse(n, why_missing(*n));
    static const Operator& concatenate = find_operator("aten::add.t");
    if (op == &concatenate && n->arg_count() == 2 && n->arg(1).is(ArgKind::List) && n->arg(1).size() == 1) {
      operands = {operand(*n, n->arg(0)), operand(*n, n->arg(1)[0])};
      emit(Opcode::Append, n, operands, results(n)).op = op;
      return;
    }
    bool check = false;
    bind(*n, *op, operands, check);
    std::vector<int32_t> out;
    bool bundle = op->results() > 1 && !n->multi();
    if (bundle)
      for (size_t k = 0; k < op->results(); ++k) out.push_back(new_register());
    else out = results(n);
    out.resize(std::max<size_t>(op->results(), 1), kNowhere);
    Instruction& i = emit(Opcode::Call, n, operands, out);
    i.op = op, i.check = check, i.scalar = is_scalar(*op);
    if (bundle) {
      int32_t r = define(n);
      emit(Opcode::Tuple, n, out, std::span(&r, 1));
    }
  }

  // A call that no operator takes, which always runs, is an error now. In an If or Loop it raises when it is reached.
  void refuse(Node* n, const std::string& why) {
    if (!n->block()->owner()) fail_at(*n, why);
    static const Operator& raise = find_operator("prim::RaiseException");
    const std::vector<int32_t> operands{constant(cannot_run(*n, why)), constant(std::string("RuntimeError"))};
    const int32_t nowhere = kNowhere;
    emit(Opcode::Call, n, operands, std::span(&nowhere, 1)).op = &raise;
    results(n);  // other nodes use them
  }

  void fused(const FusionGroups::Group& group) {
    auto fused = std::make_shared<Fused>();
    std::vector<int32_t> inputs;
    for (const Node* n : group.members) {
      Fused::Member m;
      m.op = operator_of(*n), m.span = n->span();
      std::vector<int32_t> operands;
      bool check = false;
      bind(*n, *m.op, operands, check);
      for (ValueIndex o : operands) {
        using Kind = Fused::Source::Kind;
        const IValue* literal = o < 0 ? &f_.constants[~static_cast<size_t>(o)] : nullptr;
        if (literal && !(literal->is_tensor() && !literal->as_tensor()->wrapped_number)) {
          m.literals.push_back(*literal), m.sources.push_back({});
          continue;
        }
        m.literals.emplace_back();
        if (o >= kMember) {
          auto k = static_cast<uint32_t>(o - kMember);
          m.sources.push_back({Kind::Member, k}), m.depends |= fused->members[k].depends;
          continue;
        }
        auto k = static_cast<uint32_t>(std::find(inputs.begin(), inputs.end(), o) - inputs.begin());
        if (k == inputs.size()) {
          inputs.push_back(o);
          fused->inputs.push_back(literal ? literal->as_tensor().dtype() : dtypes_.at(o));
        }
        m.sources.push_back({Kind::Input, k}), m.depends |= uint32_t{1} << k;
      }
      operand_[n->id()] = kMember + static_cast<ValueIndex>(fused->members.size());
      fused->members.push_back(std::move(m));
    }
    const Node* last = group.members.back();
    fused->compiled = compile(*fused);
    int32_t result = define(last);
    emit(Opcode::Fused, last, inputs, std::span(&result, 1)).target = static_cast<int32_t>(f_.fused.size());
    f_.fused.push_back(std::move(fused));
  }

  void invoke(Node* n, const Graph& callee) {
    auto [function, added] = index_.try_emplace(&callee, static_cast<int32_t>(index_.size()));
    if (added) queue_.push_back(&callee);
    std::string why;
    const auto bound = ir::bound_to_graph(callee, *n, why);
    if (!bound) fail_at(*n, why);
    std::vector<int32_t> operands;
    for (const ArgRef& a : *bound) operands.push_back(operand(*n, a));
    emit(Opcode::Invoke, n, operands, results(n)).target = function->second;
  }

  // --- If and Loop.

  size_t open(Node* n) {
    control_flow_.push_back({});
    control_flow_.back().node = n;
    stack_.push_back(control_flow_.size() - 1);
    return stack_.back();
  }

  void begin_if(Node* n) {
    ValueIndex condition = operand(*n, n->arg(0));
    size_t k = open(n);
    control_flow_[k].branch = f_.code.size();
    emit(Opcode::Branch, n, std::span(&condition, 1), {});
    emit(Opcode::Enter, nullptr, {}, {}, BlockMark::Then, k);
  }

  void begin_loop(Node* n) {
    std::vector<int32_t> from, to;
    size_t k = 0;
    ValueIndex count = 0;
    std::vector<Node*> slots = n->block(0)->placeholders();
    int32_t condition = new_number_register(), counter = new_number_register();
    std::vector<int32_t> slot_registers;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      ValueIndex o = operand(*n, *it);
      if (k == 0) {
        count = o;
        continue;
      }
      from.push_back(o);
      if (k == 1) to.push_back(condition);
      else to.push_back(define(slots[k - 1])), slot_registers.push_back(to.back());
    }
    from.push_back(constant(int64_t{0})), to.push_back(counter);
    emit(Opcode::Move, n, from, to);
    size_t index = open(n);
    IfOrLoop& loop = control_flow_[index];
    loop.slots = slot_registers, loop.condition = condition, loop.test = f_.code.size();
    if (count >= 0) loop.extended.push_back(count);
    loops_.push_back(index);
    int32_t test[] = {count, condition, counter}, iteration = new_number_register();
    operand_[slots[0]->id()] = iteration;
    emit(Opcode::LoopTest, n, test, std::span(&iteration, 1), BlockMark::LoopTest, index);
    emit(Opcode::Enter, nullptr, {}, {}, BlockMark::LoopEnter, index);
  }

  void leave(Block* b) {
    Node* owner = b->owner();
    std::vector<int32_t> values;
    Node* end = b->output();
    MONOGRAPH_ASSERT(end);
    for (auto it = end->args_begin(); it != end->args_end(); ++it) values.push_back(operand(*end, *it));
    if (!owner) {
      emit(Opcode::Return, end, values, {});
      return;
    }
    size_t index = stack_.back();
    owner->is_if() ? leave_arm(b, index, values) : leave_body(b, index, values);
  }

  void leave_arm(Block* b, size_t index, const std::vector<int32_t>& values) {
    Node* n = b->owner();
    if (b->index() == 0) control_flow_[index].results = values.empty() ? std::vector<int32_t>() : results(n);
    emit(Opcode::Move, n, values, control_flow_[index].results);
    IfOrLoop& flow = control_flow_[index];
    if (b->index() == 0) {
      flow.jump = f_.code.size();
      emit(Opcode::Jump, n, {}, {});
      f_.code[flow.branch].target = static_cast<int32_t>(f_.code.size());
      emit(Opcode::Enter, nullptr, {}, {}, BlockMark::Else, index);
      return;
    }
    f_.code[flow.jump].target = static_cast<int32_t>(f_.code.size());
    emit(Opcode::Enter, nullptr, {}, {}, BlockMark::Join, index);
    stack_.pop_back();
    emit_guards(n);
  }

  void leave_body(Block* b, size_t index, const std::vector<int32_t>& values) {
    Node* n = b->owner();
    IfOrLoop& loop = control_flow_[index];
    std::vector<int32_t> to{loop.condition};
    to.insert(to.end(), loop.slots.begin(), loop.slots.end());
    emit(Opcode::Move, n, values, to);
    emit(Opcode::Jump, n, {}, {}).target = static_cast<int32_t>(loop.test);
    f_.code[loop.test].target = static_cast<int32_t>(f_.code.size());
    stack_.pop_back();
    loops_.pop_back();
    std::vector<int32_t> out = loop.slots.empty() ? std::vector<int32_t>() : results(n);
    emit(Opcode::Move, n, control_flow_[index].slots, out, BlockMark::LoopExit, index);
    emit_guards(n);
  }

  // Walks the instructions backwards with the set of registers that are still needed. At the end of an If, a register that only one arm needs is freed at the
  // start of the other arm. A value that a loop uses from outside is needed until the loop ends.
  class RegisterLiveness {
   public:
    explicit RegisterLiveness(Planner& p) : p_(p), f_(p.f_), live_(f_.registers), stamp_(f_.registers, 0) {}
    void run() {
      for (size_t i = f_.code.size(); i-- > 0;) {
        auto [mark, structure] = p_.marks_[i];
        switch (mark) {
          case BlockMark::Join: begin_join(structure); break;
          case BlockMark::Else: switch_arm(i); break;
          case BlockMark::Then: end_join(i); break;
          case BlockMark::LoopEnter:
            for (int32_t r : p_.control_flow_[structure].slots)
              if (p_.tracked_[at(r)] && !live_[at(r)]) live_[at(r)] = true, free(i, r);
            break;
          case BlockMark::LoopTest: break;
          case BlockMark::LoopExit:
            plain(i);
            for (int32_t r : p_.control_flow_[structure].extended) need(i, r);
            break;
          case BlockMark::None: plain(i); break;
        }
      }
      for (int32_t r = 0; r < static_cast<int32_t>(f_.inputs.size()); ++r)
        if (p_.tracked_[at(r)] && !live_[at(r)]) free(0, r);
      std::stable_sort(frees_.begin(), frees_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t k = 0; k < frees_.size();) {
        Slice s{static_cast<uint32_t>(f_.pool.size()), 0};
        size_t i = frees_[k].first;
        for (; k < frees_.size() && frees_[k].first == i; ++k, ++s.size) f_.pool.push_back(frees_[k].second);
        f_.code[i].frees = s;
      }
    }

   private:
    struct Arms {  // an If whose arms are being walked, the else arm first
      size_t base;  // where the registers that its arms need begin in added_
      std::vector<int32_t> results, else_needs;  // the results that are used later; the registers that the else arm needs
      size_t else_enter = 0;
    };
    static size_t at(int32_t r) { return static_cast<size_t>(r); }
    void free(size_t i, int32_t r) { frees_.emplace_back(i, r); }
    void need(size_t i, int32_t r) {
      if (r < 0 || !p_.tracked_[at(r)] || live_[at(r)]) return;
      live_[at(r)] = true;
      added_.push_back(r);
      free(i, r);
    }
    void plain(size_t i) {
      Slice results = f_.code[i].results, operands = f_.code[i].operands;
      for (uint32_t k = 0; k < results.size; ++k) {
        int32_t& r = f_.pool[results.begin + k];
        if (r == kNowhere || !p_.tracked_[at(r)]) continue;
        if (!live_[at(r)]) r = kNowhere;
        else live_[at(r)] = false;
      }
      for (uint32_t k = 0; k < operands.size; ++k) need(i, f_.pool[operands.begin + k]);
    }
    void begin_join(size_t structure) {
      Arms a;
      a.base = added_.size();
      for (int32_t r : p_.control_flow_[structure].results)
        if (r != kNowhere && live_[at(r)]) a.results.push_back(r);
      arms_.push_back(std::move(a));
    }
    std::vector<int32_t> take_added(size_t base) {
      std::vector<int32_t> needed;
      for (size_t k = base; k < added_.size(); ++k)
        if (live_[at(added_[k])]) needed.push_back(added_[k]);
      added_.resize(base);
      return needed;
    }
    void switch_arm(size_t i) {
      Arms& a = arms_.back();
      a.else_enter = i;
      a.else_needs = take_added(a.base);
      for (int32_t r : a.else_needs) live_[at(r)] = false;
      for (int32_t r : a.results) live_[at(r)] = true;
    }
    void end_join(size_t i) {
      Arms a = std::move(arms_.back());
      arms_.pop_back();
      std::vector<int32_t> then_needs = take_added(a.base);
      ++epoch_;
      for (int32_t r : a.else_needs) stamp_[at(r)] = epoch_;
      for (int32_t r : then_needs) {
        if (stamp_[at(r)] != epoch_) free(a.else_enter, r);
        added_.push_back(r);
      }
      for (int32_t r : a.else_needs) {
        if (live_[at(r)]) continue;
        live_[at(r)] = true;
        added_.push_back(r);
        free(i, r);
      }
    }
    Planner& p_;
    Function& f_;
    std::vector<bool> live_;  // by register: it is read later
    std::vector<uint32_t> stamp_;  // by register: the last epoch in which the else arm needed it
    uint32_t epoch_ = 0;
    std::vector<int32_t> added_;  // registers in the order in which they became live
    std::vector<Arms> arms_;
    std::vector<std::pair<size_t, int32_t>> frees_;  // instruction, register
  };

  const Graph& graph_;
  const FusionGroups& groups_;
  std::unordered_map<ValueIndex, DType> dtypes_;  // by register, where the tensor's dtype is known
  std::unordered_map<const Graph*, int32_t>& index_;
  std::vector<const Graph*>& queue_;
  Function f_;
  std::vector<ValueIndex> operand_;  // by node id
  std::vector<bool> tracked_;
  std::vector<std::pair<BlockMark, size_t>> marks_;
  std::vector<IfOrLoop> control_flow_;  // all Ifs and Loops
  std::vector<size_t> stack_, loops_;  // indices into control_flow_: those whose blocks are being planned, and the Loops among these
  std::unordered_multimap<const Node*, uint32_t> guards_of_;
};

Executable plan(const Graph& graph, bool fuse) {
  auto program = std::make_shared<Program>();
  std::unordered_map<const Graph*, int32_t> index{{&graph, 0}};
  std::vector<const Graph*> queue{&graph};
  for (size_t k = 0; k < queue.size(); ++k) {
    // Types are inferred on a copy. The functions that it calls are found by name in the same Unit.
    std::unique_ptr<Graph> typed;
    FusionGroups groups;
    if (fuse) {
      typed = queue[k]->clone();
      ir::infer_types(*typed);
      groups = FusionGroups(*typed);
    }
    program->functions.push_back(Planner(typed ? *typed : *queue[k], groups, index, queue).run());
  }
  return Executable(std::move(program));
}

}  // namespace

Executable plan(const Graph& graph) { return plan(graph, false); }
Executable build(const Graph& graph) { return plan(graph, true); }

}  // namespace monograph::exec

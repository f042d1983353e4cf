// Runs planned instructions. One Execution is one call of a graph: it checks the inputs against the graph's types, then runs instructions in a loop until
// the first frame returns. An error gets the source span of its instruction. The file also makes the values of literals and checks guards.
#include "exec/interpreter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "core/calls.h"
#include "core/interrupt.h"
#include "core/quantizer.h"
#include "exec/compiler.h"
#include "exec/fusion.h"
#include "exec/program.h"
#include "exec/wrong_input.h"
#include "ir/text.h"
#include "ir/words.h"
#include "ops/dispatch.h"

namespace monograph::exec {
// --- Constants.

std::span<const std::byte> LiveTensor::bytes() const {
  const auto bytes_of = [](const Tensor& t) { return std::span(reinterpret_cast<const std::byte*>(t.data()), t.nbytes()); };
  if (tensor_.is_contiguous()) return bytes_of(tensor_);
  const std::lock_guard lock(mutex_);
  GradModeScope no_grad(false);
  IValue args[] = {tensor_, MemoryFormat::Contiguous}, out;
  monograph::run(find_operator("aten::clone"), args, &out);
  const Tensor fresh = out.to_tensor();
  // The same memory each time, so that the bytes of an earlier call stay valid.
  if (!dense_.defined()) dense_ = fresh;
  else std::memcpy(dense_.data(), fresh.data(), fresh.nbytes());
  return bytes_of(dense_);
}

const std::string& LiveTensor::content_hash() const {
  std::string hash = ir::tensor_content_hash(dtype(), sizes(), bytes());
  if (is_quantized(dtype())) hash += text_of(quantizer_of(tensor_));
  const std::lock_guard lock(mutex_);
  if (hash != hash_) hash_ = std::move(hash);
  return hash_;
}

Tensor tensor_of(const ir::TensorRef& constant) {
  if (auto* live = dynamic_cast<const LiveTensor*>(constant.get())) return live->tensor();
  MONOGRAPH_CHECK(!constant->bytes().empty() || constant->numel() == 0, Runtime,
                  "the graph has no weights: it was read from a text or JSON file, which leaves out constants of more than ",
                  ir::kInlineElements, " elements. Run the .mgraph file instead, which holds them (the hash of the missing constant is ",
                  constant->content_hash(), ")");
  auto* owner = new ir::TensorRef(constant);
  return from_blob(
      const_cast<std::byte*>(constant->bytes().data()), constant->sizes(), contiguous_strides(constant->sizes()), constant->dtype(),
      [](void* p) { delete static_cast<ir::TensorRef*>(p); }, owner, false);
}

IValue literal(ir::ArgRef a) {
  using ir::ArgKind;
  if (std::optional<IValue> scalar = scalar_literal(a)) return std::move(*scalar);
  switch (a.kind()) {
    case ArgKind::Tensor: return tensor_of(a.as_tensor().shared_from_this());
    case ArgKind::List:
    case ArgKind::Tuple: {
      std::vector<IValue> items;
      for (ir::ArgRef part : a) items.push_back(literal(part));
      bool ints =
          a.is(ArgKind::List) && !items.empty() && std::all_of(items.begin(), items.end(), [](const IValue& v) { return v.is_int(); });
      if (!ints) return a.is(ArgKind::List) ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
      Dims dims;
      for (const IValue& v : items) dims.push_back(v.to_int());
      return dims;
    }
    case ArgKind::Dict: {
      std::vector<std::pair<IValue, IValue>> pairs;
      for (auto it = a.begin(); it != a.end(); ++it) {
        IValue key = literal(*it);
        pairs.emplace_back(std::move(key), literal(*++it));
      }
      return IValue::dict(std::move(pairs));
    }
    default: break;
  }
  std::string text;
  ir::print_arg(text, a);
  fail(ErrorKind::Runtime, "the argument ", text, " cannot be passed to an operator");
}

// --- Guards and items, for both interpreters.

namespace {

bool equal(const IValue& a, const IValue& b) {
  if (a.is_number() && b.is_number() && a.tag() == b.tag()) return a.is_float() ? a.is(b) : a.to_complex() == b.to_complex();
  if (a.is_ints() && b.is_ints()) return a.to_ints() == b.to_ints();
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple()))
    return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), equal);
  return a.is(b);
}
// A value as messages print it.
std::string in_message(const IValue& v) {
  if (v.is_bool()) return v.to_bool() ? "True" : "False";
  if (v.is_int()) return std::to_string(v.to_int());
  if (v.is_float()) {
    std::string s;
    ir::print_python_float(s, v.to_double());
    return s;
  }
  if (v.tag() == IValue::Tag::Dtype) return concat("torch.", name(v.to_dtype()));
  return v.is_string() ? v.to_string() : describe(v);
}

}  // namespace

void check_guard(const PlannedGuard& g, const IValue& value) {
  if (equal(value, g.expected)) return;
  MONOGRAPH_CHECK(
      !value.is_object() || g.expected.is_object(), Runtime, "a graph with a guard is called while another function is captured: `",
      g.expression, "` was ", in_message(g.expected), g.span.known() ? concat(" (", to_string(g.span), ")") : std::string(),
      ". The new capture cannot check this guard"
      "\n  Call the function that the graph was captured from, so that the new capture guards its branches, or write the branch with "
      "cond or while_loop");
  Error e(ErrorKind::Runtime,
          concat("the graph was captured where `", g.expression, "` is ", in_message(g.expected), ", but here it is ", in_message(value),
                 ". Capture the function again with such an input, or write the branch with cond or while_loop"));
  locate_with_calls(e, g.span);
  throw e;
}

IValue item(const IValue& container, const IValue& key) {
  if (container.is_dict()) {
    for (const auto& [k, v] : container.pairs())
      if (equal(k, key)) return v;
    fail(ErrorKind::Key, "the dict has no key ", in_message(key));
  }
  MONOGRAPH_CHECK((container.is_list() || container.is_tuple() || container.is_ints()) && key.is_int(), Type, "a ", describe(container),
                  " cannot be indexed by a ", describe(key));
  auto n = static_cast<int64_t>(container.is_ints() ? container.to_ints().size() : container.items().size());
  int64_t index = key.to_int() < 0 ? key.to_int() + n : key.to_int();
  MONOGRAPH_CHECK(index >= 0 && index < n, Index, "index ", key.to_int(), " is out of range for a ", describe(container));
  return container.is_ints() ? IValue(container.to_ints()[static_cast<size_t>(index)]) : container.items()[static_cast<size_t>(index)];
}

// --- Running.

namespace {

struct CallFrame {
  const Function* function;
  uint32_t pc;
  size_t base;  // its first register
  const Instruction* caller;  // the Invoke in the frame below that gets the results; null in the first frame
  std::vector<int64_t> symbols;  // the values of function->symbols
};

// Restores the grad mode that a graph changed (torch.no_grad), also after an error.
class GradModeKeeper {
 public:
  GradModeKeeper() : saved_(dispatch_state().grad_enabled) {}
  ~GradModeKeeper() { dispatch_state().grad_enabled = saved_; }
  GradModeKeeper(const GradModeKeeper&) = delete;

 private:
  bool saved_;
};

class Execution {
 public:
  explicit Execution(const Program& program) : program_(program) {}

  std::vector<IValue> start(std::vector<IValue> inputs) {
    AutocastScope off(false);  // a graph has the casts that it was captured with
    const GradModeKeeper mode;
    const Function& f = program_.functions[0];
    check_inputs(f, inputs);
    enter(f, nullptr, inputs);
    inputs.clear();
    while (!frames_.empty()) {
      const Instruction* i = nullptr;
      try {
        while (!frames_.empty()) {
          CallFrame& frame = frames_.back();
          if (plain_)
            frame.pc = run_direct(*frame.function, registers_.data() + frame.base, frame.pc, interrupts_.ticks, InterruptClock::kTicks);
          i = &frame.function->code[frame.pc++];
          step(frame, *i);
        }
      } catch (Error& e) {
        tell_place(e, i);
        throw;
      }
    }
    return std::move(out_);
  }

 private:
  // The instruction's line, and the calls that lead to it.
  void tell_place(Error& e, const Instruction* i) const {
    bool told = i && locate_with_calls(e, i->span);
    for (size_t k = frames_.size(); k-- > 1;) {
      const Span& at = frames_[k].caller->span;
      if (told && at.known()) note_call(e, frames_[k].function->name, frames_[k - 1].function->name, at);
      else told = told || locate_with_calls(e, at);
    }
  }
  IValue& reg(const CallFrame& frame, int32_t r) { return registers_[frame.base + static_cast<size_t>(r)]; }
  const IValue& get(const CallFrame& frame, ValueIndex o) {
    return o >= 0 ? reg(frame, o) : frame.function->constants[~static_cast<size_t>(o)];
  }
  void set(const CallFrame& frame, int32_t r, IValue v) {
    if (r != kNowhere) reg(frame, r) = std::move(v);
  }
  void free(const CallFrame& frame, const Instruction& i) {
    for (int32_t r : frame.function->list(i.frees)) reg(frame, r) = IValue();
  }

  static void check_inputs(const Function& f, std::vector<IValue>& inputs) {
    const size_t count = f.inputs.size();
    if (inputs.size() > count)
      throw WrongInput(WrongInput::kTooMany,
                       concat(f.name, "() takes ", count, count == 1 ? " input" : " inputs", ", but got ", inputs.size()));
    for (size_t k = 0; k < count; ++k) {
      const FunctionInput& in = f.inputs[k];
      if (k >= inputs.size()) {
        if (!in.optional)
          throw WrongInput(static_cast<int>(k),
                           concat(f.name, "() is missing the input '", in.name, "' (number ", k + 1, " of ", count, ")"));
        inputs.push_back(in.default_value);
      }
      try {
        check_input(in, inputs[k]);
      } catch (const Error& e) {
        throw WrongInput(static_cast<int>(k), e.what());
      }
    }
  }
  static void check_input(const FunctionInput& in, IValue& v) {
    if (!in.type || in.type.is(ir::TypeKind::Any)) return;
    ir::Argument argument;
    argument.name = in.name, argument.type = in.type;
    if (in.type.is(ir::TypeKind::Tuple)) check_tuple_input(in.name, in.type, v);
    // TorchScript holds these as ints.
    if ((in.type.is(ir::TypeKind::Optional) ? in.type.element() : in.type).is(ir::TypeKind::Int)) {
      if (v.tag() == IValue::Tag::Dtype) v = int64_t{info(v.to_dtype()).code};
      if (v.tag() == IValue::Tag::Layout) v = int64_t{0};
      if (v.tag() == IValue::Tag::MemoryFormat) v = static_cast<int64_t>(v.to_memory_format());
    }
    // A flag is a number too, and a number a flag.
    if ((in.type.is(ir::TypeKind::Int) || in.type.is(ir::TypeKind::SymInt)) && v.is_bool()) v = int64_t{v.to_bool()};
    if (in.type.is(ir::TypeKind::Bool) && (v.is_int() || v.is_float())) v = v.to_double() != 0;
    switch (in.type.kind()) {
      case ir::TypeKind::Tensor:
      case ir::TypeKind::Int:
      case ir::TypeKind::SymInt:
      case ir::TypeKind::Float:
      case ir::TypeKind::Bool:
      case ir::TypeKind::Str: break;
      default:
        MONOGRAPH_CHECK(holds_as(v, in.type), Type, "Input '", in.name, "' must be ", ir::in_words(in.type), ", but got ",
                        ir::with_article(describe(v)),
                        v.is_list() || v.is_ints() || v.is_tuple() || v.is_dict() ? " with other elements" : "");
        return;
    }
    IValue converted;
    const bool is_tensor_list =
        in.type.is(ir::TypeKind::Tensor) && (v.is_list() || v.is_tuple()) && !v.items().empty() && !v.items()[0].is_number();
    MONOGRAPH_CHECK(
        convertible(v, argument, converted), Type, "Input '", in.name, "' must be ", ir::in_words(in.type), ", but got ",
        ir::with_article(describe(v)),
        is_tensor_list ? "; if fx.symbolic_trace made the graph, annotate the argument of the function, for example `" : "",
        is_tensor_list ? in.name + ": list[torch.Tensor]`, and trace it again. A trace with an example needs no annotation" : "");
    v = std::move(converted);
    if (in.type.is(ir::TypeKind::Tensor)) check_tensor_input(in.name, in.type, v.as_tensor());
  }
  // Whether a value, and what a list, tuple or dict holds, is of the type. As in PyTorch, a flag becomes the number that is expected, an int a float, and a
  // tensor without dims the number in it.
  static bool holds_as(IValue& v, ir::Type type) {
    const auto each = [&](ir::Type of) { return std::ranges::all_of(v.items(), [&](IValue& item) { return holds_as(item, of); }); };
    switch (type.kind()) {
      case ir::TypeKind::Optional: return v.is_none() || holds_as(v, type.element());
      case ir::TypeKind::None: return v.is_none();
      case ir::TypeKind::Tensor: return v.is_tensor();
      case ir::TypeKind::Float:
      case ir::TypeKind::Int: return holds_number(v, type);
      case ir::TypeKind::Bool: return v.is_bool() || is_symbolic(v);
      case ir::TypeKind::Str: return v.is_string();
      case ir::TypeKind::List:
        if (v.is_ints() && type.element().is(ir::TypeKind::Float)) {
          std::vector<IValue> floats;
          for (int64_t k : v.to_ints()) floats.emplace_back(static_cast<double>(k));
          v = IValue::list(std::move(floats));
        }
        if (v.is_tuple()) v = IValue::list(v.items());
        return v.is_ints() ? type.element().is(ir::TypeKind::Int) || type.element().is(ir::TypeKind::SymInt) || v.to_ints().empty()
                           : v.is_list() && each(type.element());
      case ir::TypeKind::Complex:
        if (v.is_int() || v.is_float() || v.is_bool()) v = std::complex<double>(v.to_double());
        return v.tag() == IValue::Tag::Complex || is_symbolic(v);
      case ir::TypeKind::NamedTuple:
        if (v.tag() == IValue::Tag::Object) return true;
        [[fallthrough]];
      case ir::TypeKind::Tuple: {
        size_t k = 0;
        return (v.is_tuple() || v.is_list()) && v.items().size() == type.elements().size() &&
               std::ranges::all_of(v.items(), [&](IValue& item) { return holds_as(item, type.elements()[k++]); });
      }
      case ir::TypeKind::Dict:
        return v.is_dict() && std::ranges::all_of(v.pairs(), [&](auto& pair) {
                 return holds_as(pair.first, type.elements()[0]) && holds_as(pair.second, type.elements()[1]);
               });
      case ir::TypeKind::Union: return std::ranges::any_of(type.elements(), [&](ir::Type one) { return is_member(v, one); });
      default: return true;
    }
  }
  static bool is_symbolic(const IValue& v) { return v.is_tensor() && v.as_tensor()->kind != TensorImpl::Kind::Dense; }
  static bool holds_number(IValue& v, ir::Type type) {
    if (is_symbolic(v)) return true;
    ir::Argument argument;
    argument.type = type;
    const bool real = type.is(ir::TypeKind::Float);
    if (v.is_bool()) v = int64_t{v.to_bool()};
    if (v.is_int() && real) v = static_cast<double>(v.to_int());
    if (v.is_tensor() && !convertible(v, argument, v)) return false;
    return real ? v.is_float() : v.is_int();
  }
  // Whether a value is of this type of a Union, without a conversion.
  static bool is_member(const IValue& v, ir::Type type) {
    switch (type.kind()) {
      case ir::TypeKind::Float: return v.is_float();
      case ir::TypeKind::Int: return v.is_int();
      case ir::TypeKind::Tuple:
        if (!v.is_tuple()) return false;
        break;
      case ir::TypeKind::List:
        if (v.is_tuple()) return false;
        break;
      default: break;
    }
    IValue copy = v;
    return holds_as(copy, type);
  }

  // A tuple has as many parts as its type, and its tensors are of their types.
  static void check_tuple_input(const std::string& name, ir::Type type, const IValue& v) {
    const bool fits = (v.is_tuple() || v.is_list()) && v.items().size() == type.elements().size();
    MONOGRAPH_CHECK(fits, Type, "Input '", name, "' must be ", ir::in_words(type), ", but got ", ir::with_article(describe(v)));
    for (size_t k = 0; k < v.items().size(); ++k) {
      const ir::Type part = type.elements()[k];
      const IValue& item = v.items()[k];
      if (part.is(ir::TypeKind::Tuple)) check_tuple_input(concat(name, "[", k, "]"), part, item);
      if (!part.is(ir::TypeKind::Tensor)) continue;
      MONOGRAPH_CHECK(item.is_tensor(), Type, "Input '", name, "[", k, "]' must be ", ir::in_words(part), ", but got ",
                      ir::with_article(describe(item)));
      check_tensor_input(concat(name, "[", k, "]"), part, item.as_tensor());
    }
  }
  static void check_tensor_input(const std::string& input, ir::Type type, const Tensor& tensor) {
    const ir::TensorType& t = type.tensor();
    bool fits = (!t.dtype || *t.dtype == tensor.dtype()) && (!t.sizes || t.sizes->size() == tensor.sizes().size());
    for (size_t d = 0; fits && t.sizes && d < t.sizes->size(); ++d)
      if (const auto& size = (*t.sizes)[d]; size && size->is_int()) fits = size->as_int() == tensor.sizes()[d];
    MONOGRAPH_CHECK(fits, Type, "Input '", input, "' must be ", ir::in_words(type), ", but got ", ir::with_article(name(tensor.dtype())),
                    " tensor of size ", to_string(tensor.sizes()));
  }

  void enter(const Function& f, const Instruction* caller, std::span<IValue> inputs) {
    CallFrame frame{&f, 0, registers_.size(), caller, {}};
    registers_.resize(registers_.size() + f.registers);
    for (size_t k = 0; k < inputs.size(); ++k) registers_[frame.base + k] = std::move(inputs[k]);
    for (const auto& s : f.symbols) {
      const IValue& v = registers_[frame.base + s.input];
      MONOGRAPH_CHECK(v.is_tensor() && s.dim < v.as_tensor().sizes().size(), Type, "Input '", f.inputs[s.input].name,
                      "' must be a tensor with more than ", s.dim, " dimensions");
      frame.symbols.push_back(v.as_tensor().sizes()[s.dim]);
    }
    frames_.push_back(std::move(frame));
    for (uint32_t g : f.entry_guards) check_guard(f.guards[g], evaluate(frames_.back(), f.guards[g].size));
  }

  int64_t evaluate(const CallFrame& frame, SymInt size) {
    return size.evaluate([&](const Symbol& s) -> int64_t {
      const auto& sources = frame.function->symbols;
      for (size_t k = 0; k < sources.size(); ++k)
        if (sources[k].symbol->symbol == s) return frame.symbols[k];
      fail(ErrorKind::Runtime, "the size ", s.name, " is not a size of any input");
    });
  }

  void step(CallFrame& frame, const Instruction& i) {
    const Function& f = *frame.function;
    std::span<const int32_t> operands = f.list(i.operands), results = f.list(i.results);
    switch (i.code) {
      case Opcode::Call:
        if (i.scalar && plain_ && evaluate_scalar(frame, i, operands, results)) return;
        return call(frame, i, operands, results);
      case Opcode::Fused: return fused(frame, i, operands, results);
      case Opcode::Enter: return free(frame, i);
      case Opcode::Jump: frame.pc = static_cast<uint32_t>(i.target); return;
      case Opcode::Branch: {
        const IValue& c = get(frame, operands[0]);
        MONOGRAPH_CHECK(c.is_bool(), Type, "the condition of an If must be a bool, but it is a ", describe(c));
        bool taken = c.to_bool();
        free(frame, i);
        if (!taken) frame.pc = static_cast<uint32_t>(i.target);
        return;
      }
      case Opcode::LoopTest: {
        const IValue &count = get(frame, operands[0]), &condition = reg(frame, operands[1]);
        MONOGRAPH_CHECK(condition.is_bool() && count.is_int(), Type, "a Loop needs an int and a bool, but has a ", describe(count),
                        " and a ", describe(condition));
        int64_t iteration = reg(frame, operands[2]).to_int();
        if (!condition.to_bool() || iteration >= count.to_int()) {
          frame.pc = static_cast<uint32_t>(i.target);
          return;
        }
        set(frame, results[0], iteration);
        reg(frame, operands[2]) = iteration + 1;
        interrupts_.tick();
        return;
      }
      case Opcode::Move: return move(frame, i, operands, results);
      case Opcode::Guard: {
        check_guard(f.guards[static_cast<size_t>(i.target)], get(frame, operands[0]));
        return free(frame, i);
      }
      case Opcode::SymInt: return set(frame, results[0], evaluate(frame, f.expressions[static_cast<size_t>(i.target)]));
      case Opcode::Invoke: {
        std::vector<IValue> inputs;
        for (ValueIndex o : operands) inputs.push_back(get(frame, o));
        free(frame, i);
        return enter(program_.functions[static_cast<size_t>(i.target)], &i, inputs);
      }
      case Opcode::Return: return leave(frame, operands);
      case Opcode::List:
      case Opcode::Tuple:
      case Opcode::Dict: return build(frame, i, operands, results);
      case Opcode::Append: return append(frame, i, operands, results);
      case Opcode::Unpack: {
        IValue whole = get(frame, operands[0]);
        free(frame, i);
        size_t n = whole.is_ints() ? whole.to_ints().size() : whole.is_list() || whole.is_tuple() ? whole.items().size() : SIZE_MAX;
        MONOGRAPH_CHECK(n == results.size(), Value, "expected a sequence of ", results.size(), " values, but got a ", describe(whole));
        for (size_t k = 0; k < n; ++k) set(frame, results[k], whole.is_ints() ? IValue(whole.to_ints()[k]) : whole.items()[k]);
        return;
      }
      case Opcode::Item: {
        IValue whole = get(frame, operands[0]), key = get(frame, operands[1]);
        free(frame, i);
        return set(frame, results[0], item(whole, key));
      }
    }
  }

  // Evaluates an operator over numbers without dispatch, since numbers have neither gradients nor devices. Returns false where an operand must be converted
  // or the evaluation raises; then call() runs it, and names the operator in the error.
  bool evaluate_scalar(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    const std::vector<ir::Argument>& formals = i.op->schema().arguments();
    std::array<IValue, kMostScalars> args;
    for (size_t k = 0; k < operands.size(); ++k) {
      const IValue& v = get(frame, operands[k]);
      if (operands[k] >= 0 && !has_type(v, formals[k].type)) return false;
      args[k] = v;
    }
    IValue out;
    try {
      i.op->eval(*i.op, args.data(), &out);
    } catch (const Error&) {
      return false;
    }
    if (i.frees.size) free(frame, i);
    if (results[0] != kNowhere) reg(frame, results[0]) = std::move(out);
    return true;
  }

  void call(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    interrupts_.soon();
    constexpr size_t kInline = 12;
    std::array<IValue, kInline> inline_args;
    std::array<IValue, 4> inline_results;
    std::vector<IValue> heap_args, heap_results;
    IValue *args = inline_args.data(), *out = inline_results.data();
    if (operands.size() > kInline) heap_args.resize(operands.size()), args = heap_args.data();
    if (results.size() > inline_results.size()) heap_results.resize(results.size()), out = heap_results.data();
    for (size_t k = 0; k < operands.size(); ++k) args[k] = get(frame, operands[k]);
    free(frame, i);
    if (i.check) check_and_convert(*i.op, operands, args);
    monograph::call(*i.op, args, out);
    for (size_t k = 0; k < results.size(); ++k) set(frame, results[k], std::move(out[k]));
  }

  void fused(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    const Fused& group = *frame.function->fused[static_cast<size_t>(i.target)];
    std::array<IValue, kMaxFusedInputs> inputs;
    for (size_t k = 0; k < operands.size(); ++k) inputs[k] = get(frame, operands[k]);
    free(frame, i);
    std::span<const IValue> group_inputs(inputs.data(), operands.size());
    Tensor out = run_fused(group, group_inputs);
    set(frame, results[0], out.defined() ? IValue(std::move(out)) : run_unfused(group, group_inputs));
  }

  // Converts the values of registers to the types of the schema, or raises. The plan has checked literals.
  static void check_and_convert(const Operator& op, std::span<const int32_t> operands, IValue* args) {
    const auto& arguments = op.schema().arguments();
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] < 0 || has_type(args[k], arguments[k].type)) continue;
      check_argument(op, k, args[k]);
    }
  }

  // Whether a value surely needs no conversion. For an operator over lists of any type this reads no elements, so that an append or an index costs the same in
  // a long list.
  static bool has_type(const IValue& v, const ir::Type& type) {
    switch (type.kind()) {
      case ir::TypeKind::Tensor: return v.is_tensor();
      case ir::TypeKind::Int: return v.is_int();
      case ir::TypeKind::Float: return v.is_float();
      case ir::TypeKind::Bool: return v.is_bool();
      case ir::TypeKind::Str: return v.is_string();
      case ir::TypeKind::Number: return v.is_number();
      case ir::TypeKind::List: return (v.is_list() || v.is_ints()) && type.element().is(ir::TypeKind::Variable);
      case ir::TypeKind::Dict: return v.is_dict() && type.elements()[1].is(ir::TypeKind::Variable);
      case ir::TypeKind::Variable:
      case ir::TypeKind::Any: return true;
      default: return false;
    }
  }

  void move(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    if (operands.size() == 1) {
      IValue v = get(frame, operands[0]);
      free(frame, i);
      if (!results.empty()) set(frame, results[0], std::move(v));
      return;
    }
    size_t first = moved_.size();
    for (ValueIndex o : operands) moved_.push_back(get(frame, o));
    free(frame, i);
    for (size_t k = 0; k < results.size(); ++k) set(frame, results[k], std::move(moved_[first + k]));
    moved_.resize(first);
  }

  void build(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    std::vector<IValue> items;
    for (ValueIndex o : operands) items.push_back(get(frame, o));
    free(frame, i);
    if (i.code == Opcode::List) return set(frame, results[0], IValue::list(std::move(items)));
    if (i.code == Opcode::Tuple) return set(frame, results[0], IValue::tuple(std::move(items)));
    std::vector<std::pair<IValue, IValue>> pairs;
    for (size_t k = 0; k + 1 < items.size(); k += 2) pairs.emplace_back(std::move(items[k]), std::move(items[k + 1]));
    set(frame, results[0], IValue::dict(std::move(pairs)));
  }

  void append(CallFrame& frame, const Instruction& i, std::span<const int32_t> operands, std::span<const int32_t> results) {
    IValue list = get(frame, operands[0]), element = get(frame, operands[1]);
    free(frame, i);
    if (list.owns_list() && !dispatch_state().top) {
      list.items().push_back(std::move(element));
      return set(frame, results[0], std::move(list));
    }
    IValue args[] = {std::move(list), IValue::list({std::move(element)})}, out;
    monograph::call(*i.op, args, &out);
    set(frame, results[0], std::move(out));
  }

  void leave(CallFrame& frame, std::span<const int32_t> operands) {
    std::vector<IValue> values;
    for (ValueIndex o : operands) values.push_back(get(frame, o));
    const Instruction* caller = frame.caller;
    registers_.resize(frame.base);
    frames_.pop_back();
    if (!caller) {
      out_ = std::move(values);
      return;
    }
    CallFrame& outer = frames_.back();
    std::span<const int32_t> results = outer.function->list(caller->results);
    if (results.size() == values.size()) {
      for (size_t k = 0; k < values.size(); ++k) set(outer, results[k], std::move(values[k]));
    } else if (results.size() == 1) {
      set(outer, results[0], values.empty() ? IValue() : IValue::tuple(std::move(values)));
    } else {
      MONOGRAPH_CHECK(values.size() == 1 && values[0].is_tuple() && values[0].items().size() == results.size(), Value,
                      "a function must return ", results.size(), " values here, but it returned ", values.size());
      for (size_t k = 0; k < results.size(); ++k) set(outer, results[k], values[0].items()[k]);
    }
  }

  const Program& program_;
  const bool plain_ = !dispatch_state().top;  // no capture or other dispatch mode sees the calls
  InterruptClock interrupts_;
  std::vector<IValue> registers_;
  std::vector<CallFrame> frames_;
  std::vector<IValue> moved_;  // values between the read and the write of a Move
  std::vector<IValue> out_;
};

}  // namespace

std::vector<IValue> Executable::operator()(std::vector<IValue> inputs) const { return Execution(*program_).start(std::move(inputs)); }

size_t Executable::input_count() const { return program_->functions[0].inputs.size(); }

Executable::Report Executable::report() const {
  Report r;
  for (const Function& f : program_->functions) {
    for (const Instruction& i : f.code) r.calls += i.code == Opcode::Call;
    for (const auto& group : f.fused) {
      if (group->compiled) ++r.kernels, r.fused += group->members.size();
      else r.calls += group->members.size(), r.why = why_no_compiler().empty() ? "the machine has no code for a kernel" : why_no_compiler();
    }
  }
  return r;
}

std::string Executable::to_string() const {
  constexpr const char* kNames[] = {"call", "fused",  "invoke", "move",  "list",   "tuple", "dict", "append", "unpack",
                                    "item", "symint", "guard",  "enter", "branch", "jump",  "loop", "return"};
  std::string out;
  for (const Function& f : program_->functions) {
    out += concat(f.name, ":\n");
    auto print = [&](Slice s) {
      for (int32_t r : f.list(s)) out += r >= 0 ? concat(" r", r) : concat(" c", ~r);
    };
    for (size_t k = 0; k < f.code.size(); ++k) {
      const Instruction& i = f.code[k];
      out += concat("  ", k, " ", kNames[static_cast<int>(i.code)]);
      if (i.op) out += " " + i.op->name();
      print(i.operands);
      if (i.results.size) {
        out += " ->";
        for (int32_t r : f.list(i.results)) out += r == kNowhere ? std::string(" _") : concat(" r", r);
      }
      if (i.code == Opcode::Branch || i.code == Opcode::Jump || i.code == Opcode::LoopTest || i.code == Opcode::Invoke)
        out += concat(" to ", i.target);
      if (i.frees.size) out += " free", print(i.frees);
      out += "\n";
    }
  }
  return out;
}

}  // namespace monograph::exec

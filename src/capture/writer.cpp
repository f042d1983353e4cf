// Finds the node of a value by the identity of its tensor. A tensor without a node becomes an attribute of a module, or a constant with a copy of its
// contents. Also adds guards, and raises the errors about state outside of the function.
#include "capture/writer.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <ranges>

#include "autograd/engine.h"
#include "capture/regions.h"
#include "core/background.h"
#include "exec/function_texts.h"
#include "exec/interpreter.h"
#include "ir/operators.h"
#include "ops/infer.h"
#include "ops/size_nodes.h"
#include "ops/size_values.h"

namespace monograph::capture {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;

thread_local Session* session = nullptr;

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// Makes a constant with a copy of the contents, so that later writes to the tensor do not change it.
ir::TensorRef snapshot(const Tensor& t) {
  GradModeScope no_grad(false);
  Tensor dense = t;
  if (!t.is_contiguous()) {
    IValue args[] = {t, MemoryFormat::Contiguous}, out;
    run(find_operator("aten::clone"), args, &out);
    dense = out.to_tensor();
  }
  if (t->quantizer) return std::make_shared<exec::LiveTensor>("clone"_op(dense));  // bytes alone have no scale
  return ir::make_tensor_constant(t.dtype(), t.sizes(), {reinterpret_cast<const std::byte*>(dense.data()), dense.nbytes()});
}

bool same(ArgRef a, const IValue& v, const ir::Argument& place) {
  switch (a.kind()) {
    case ArgKind::None: return v.is_none();
    case ArgKind::Bool: return v.is_bool() && v.to_bool() == a.as_bool();
    case ArgKind::Int:
      if (v.is_ints() && place.list_size > 0)
        return std::all_of(v.to_ints().begin(), v.to_ints().end(), [&](int64_t k) { return k == a.as_int(); });
      if (v.is_float() && place.type.is(ir::TypeKind::Float)) return v.to_double() == static_cast<double>(a.as_int());
      return v.is_int() && v.to_int() == a.as_int();
    case ArgKind::Float: return v.is_float() && IValue(a.as_float()).is(v);
    case ArgKind::Str: return v.is_string() && v.to_string() == a.as_str();
    case ArgKind::DType: return v.tag() == IValue::Tag::Dtype && v.to_dtype() == a.as_dtype();
    case ArgKind::MemoryFormat: return v.tag() == IValue::Tag::MemoryFormat && v.to_memory_format() == a.as_memory_format();
    case ArgKind::List:
      if (v.is_list() && v.items().empty()) return a.size() == 0;
      if (!v.is_ints() || v.to_ints().size() != a.size()) return false;
      for (size_t k = 0; k < a.size(); ++k)
        if (!a[k].is(ArgKind::Int) || a[k].as_int() != v.to_ints()[k]) return false;
      return true;
    default: return false;
  }
}

std::string shown(const Node& n) {
  std::string text = n.target().name() + "(";
  size_t k = 0;
  for (auto it = n.args_begin(); it != n.args_end(); ++it, ++k) {
    if (k) text += ", ";
    ir::print_arg(text, *it);
  }
  return text + ")";
}

}  // namespace

static thread_local bool t_grad_mode_of_program = false;
bool grad_mode_of_program() { return t_grad_mode_of_program; }
void set_grad_mode_of_program(bool on) { t_grad_mode_of_program = on; }

void use_operators() {
  static const bool once = [] {
    if (!ir::operator_lookup().lookup) install_operators();
    install_gradient_hooks();
    exec::install_function_texts();
    return true;
  }();
  (void)once;
}

Session* current_session() { return session; }
SessionScope::SessionScope(Session* s) : saved_(std::exchange(session, s)) {}
SessionScope::~SessionScope() { session = saved_; }

Writer::Writer(ir::Graph& g) : graph(g), id(next_id()) {
  use_operators();
  graph.set_level(ir::Level::Operator);
  graph.insert_at_end(graph.root());
}

Writer::~Writer() {
  for (const Ref<SymbolicValue>& number : numbers_) number->node = nullptr;
  if (std::uncaught_exceptions() > exceptions_ && recorded_ >= kLarge) leave_tables();
}

// A capture that is given up, by Ctrl-C or by an error, leaves at once: what it has recorded is freed behind it.
void Writer::leave_tables() {
  struct Tables : Leftover {
    explicit Tables(Writer& w)
        : nodes(std::move(w.tensor_nodes_)),
          copies(std::move(w.copies_)),
          given(std::move(w.given_)),
          constants(std::move(w.constants_)),
          inner_calls(std::move(w.inner_calls_)),
          inner(std::move(w.inner_)),
          origins(std::move(w.origins_)),
          open_sizes(std::move(w.open_sizes_)),
          made(std::move(w.made_tensors_)),
          numbers(std::move(w.numbers_)),
          types(std::move(w.types_)) {}
    TensorNodes nodes;
    decltype(copies_) copies, given;
    decltype(constants_) constants;
    decltype(inner_calls_) inner_calls;
    decltype(inner_) inner;
    decltype(origins_) origins;
    decltype(open_sizes_) open_sizes;
    decltype(made_tensors_) made;
    decltype(numbers_) numbers;
    decltype(types_) types;
  };
  free_in_background(std::make_unique<Tables>(*this));
}

IValue Writer::number(Node* node, IValue hint) {
  if (numbers_.size() == numbers_.capacity()) {  // drops the numbers that only this list holds
    std::erase_if(numbers_, [](const auto& number) { return number->use_count() == 1; });
    numbers_.reserve(2 * numbers_.size() + 16);
  }
  numbers_.emplace_back(new SymbolicValue(node, std::move(hint)));
  return Ref<ObjectBox>(numbers_.back());
}

std::optional<IValue> Writer::number_value(const Node* node) const {
  for (const Ref<SymbolicValue>& number : numbers_)
    if (number->node == node && !number->hint.is_none()) return number->hint;
  return {};
}

std::optional<IValue> Writer::attribute_value(const std::string& path) const {
  const auto found = attributes_.find(graph.target(path).surface);
  return found == attributes_.end() ? std::nullopt : std::optional<IValue>(found->second);
}

void Writer::begin_module(std::string_view path) {
  scopes_.push_back(concat("__module.", path));
  begins_.push_back(graph.id_limit());
}
void Writer::end_module() {
  MONOGRAPH_ASSERT(!scopes_.empty());
  calls_.push_back({scopes_.back().substr(std::string_view("__module.").size()), begins_.back(), graph.id_limit()});
  scopes_.pop_back(), begins_.pop_back();
}

void Writer::name(const Tensor& t, Node* node) { tensor_nodes_[t.impl()] = {t, node}; }

void Writer::forget_within(const Node* region) {
  std::erase_if(tensor_nodes_, [&](const auto& entry) {
    for (size_t k = 0; k < region->block_count(); ++k)
      if (region->block(k)->contains(entry.second.node)) return true;
    return false;
  });
}

void Writer::rename(Node* was, Node* is) {
  for (auto& [impl, known] : tensor_nodes_)
    if (known.node == was) known.node = is;
}

Node* Writer::find(const Tensor& t) const {
  if (t->kind == TensorImpl::Kind::Symbolic) {
    auto* s = static_cast<const SymbolicTensor*>(t.impl());
    MONOGRAPH_CHECK(s->capture_id == id, Runtime,
                    "this tensor belongs to another capture, or to one that has ended; it has no value outside of it");
    return s->node;
  }
  auto found = tensor_nodes_.find(t.impl());
  // A copy may be of a copy: the gradient of a gradient saves copies of saved tensors.
  for (auto same = copies_.find(t.impl()); found == tensor_nodes_.end() && same != copies_.end();
       same = copies_.find(same->second.second.impl()))
    found = tensor_nodes_.find(same->second.second.impl());
  return found == tensor_nodes_.end() ? nullptr : found->second.node;
}

const TensorImpl* Writer::original(const Tensor& t) const {
  const TensorImpl* root = t.impl();
  for (auto same = copies_.find(root); same != copies_.end(); same = copies_.find(root)) root = same->second.second.impl();
  return root;
}

void Writer::note_copy(const Tensor& copy, const Tensor& tensor) {
  copies_[copy.impl()] = {copy, tensor};
  if (!running_.args && !running_.inside) return;
  Origin& origin = origins_[copy.impl()];
  origin.inside = running_.inside, origin.index = running_.index;
  if (running_.args) origin.args.assign(running_.args, running_.args + running_.count);
}

void Writer::note_given_by_example(const Tensor& result, const Tensor& given) {
  if (!result.is_same(given)) given_.insert_or_assign(result.impl(), std::pair(result, given));
}

Tensor Writer::given_by_example(const Tensor& result) const {
  Tensor t = result;
  for (auto at = given_.find(t.impl()); at != given_.end(); at = given_.find(t.impl())) {
    const Tensor& given = at->second.second;
    if (t.requires_grad() || given.requires_grad()) break;
    t = given;
  }
  return t;
}

void Writer::keep_copies(const Tensor& tensor) {
  Node* node = find(tensor);
  for (const auto& [impl, entry] : copies_)
    if (entry.second.is_same(tensor) && !tensor_nodes_.contains(impl)) name(entry.first, node);
}

const IValue* Writer::arguments(const Tensor& kept_result) {
  auto found = origins_.find(kept_result.impl());
  if (found == origins_.end()) return nullptr;
  const Origin& origin = found->second;
  if (!origin.inside) return origin.args.data();
  if (!origin.inside->recorded) record_inner(*this, *origin.inside);
  return origin.inside->inner_args[origin.index].data();
}

void Writer::note_inner(std::unique_ptr<InnerCall> call) {
  InnerCall& kept = *inner_calls_.emplace_back(std::move(call));
  auto given = [&](const Tensor& t) {  // an argument that the call writes, such as running statistics, is no inner value
    return std::ranges::any_of(kept.args, [&](const IValue& v) { return v.is_tensor() && v.as_tensor().is_same(t); });
  };
  for (const Tensor& t : kept.values)
    if (!given(t)) inner_.try_emplace(t.impl(), &kept);
}

Node* Writer::find_inner(const Tensor& t) {
  auto inside = inner_.find(original(t));
  if (inside == inner_.end() || inside->second->recorded) return nullptr;
  record_inner(*this, *inside->second);
  return find(t);
}

void Writer::locate() {
  const std::string_view outside = scopes_.empty() && scope ? scope() : std::string_view();
  graph.set_location(location ? location() : Span(), scopes_.empty() ? outside : std::string_view(scopes_.back()));
}

void Writer::add_node(Args& args, Node* n) {
  MONOGRAPH_CHECK(n->graph() == &graph, Runtime, "%", n->name(),
                  " belongs to another capture, or to one that has ended; it has no value here");
  MONOGRAPH_CHECK(n->block()->contains(graph.insert_point().block), Runtime, "%", n->name(),
                  " was made inside an arm of cond or the body of while_loop, and is used outside; return it from there");
  args.add(n);
}

// Raises if a backward pass needs a tensor that the forward pass did not record. It would become a constant with the example's value.
void Writer::check_kept(const Tensor& t) const {
  MONOGRAPH_CHECK(
      constants_.contains(original(t)) || t.dim() == 0, Runtime,
      "a gradient that the captured function computes itself needs a value that the capture has not seen being made; capture the "
      "forward pass, and let the graph's caller ask for the gradient");
}

namespace {
bool is_trained(const Tensor& t) { return t->is_parameter || t.requires_grad(); }
}  // namespace

bool Writer::may_change(const Tensor& t) const {
  return find(t) || is_attribute(t) || (is_trained(t) && !made_tensors_.contains(t.impl()));
}

std::string Writer::path_of(const Tensor& t) const {
  std::string path = attribute ? attribute(t) : "";
  if (!path.empty() || !is_trained(t) || made_tensors_.contains(t.impl())) return path;
  if (adopt && is_leaf(t)) return adopt(t);
  if (backward_is_running()) return path;
  MONOGRAPH_CHECK(!t.requires_grad(), Runtime, "the captured function uses a tensor that requires grad and was ",
                  is_leaf(t) ? "made" : "computed",
                  " outside of it. Make it an input, or a parameter of a module, compute it inside the function, or detach() it");
  return path;
}

// Adds a tensor that stands for a Python number as a literal. A constant of the graph would count as a tensor in dtype promotion.
static void add_number(Args& args, const Tensor& t) {
  const IValue number = first_number(t);
  if (number.is_bool()) args.add(number.to_bool());
  else if (number.is_int()) args.add(number.to_int());
  else if (number.is_float()) args.add(number.to_double());
  else args.add(number.to_complex());
}

void Writer::add_tensor(Args& args, const Tensor& t) {
  if (!t.defined()) return void(args.none());
  if (region_uses && t->kind == TensorImpl::Kind::Dense) region_uses->add(t);
  if (Node* n = find(t)) {
    if (names_) note_variable(t, n);
    return add_node(args, n);
  }
  if (Node* n = find_inner(t)) return add_node(args, n);
  if (std::string path = path_of(t); !path.empty()) {
    const ir::Target target = graph.target(path);
    Node* n = graph.create(ir::Op::GetAttr, target, {});
    attributes_.try_emplace(target.surface, t);
    std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    graph.set_type(n, ir::TensorType::of(t.dtype(), sizes));
    return void(args.add(n));
  }
  if (t->wrapped_number) return add_number(args, t);
  if (backward_is_running()) check_kept(t);
  MONOGRAPH_CHECK(
      t->kind != TensorImpl::Kind::Dense || !t.is_meta(), Runtime,
      "a tensor on the meta device has no elements, so it cannot be a constant of a graph; make it on the CPU, or pass it as an input");
  auto& constant = constants_[t.impl()];
  if (!constant.second && frozen && !is_made(t)) frozen(t);
  if (!constant.second) constant = {t, snapshot(t)};
  args.add(constant.second);
}

Node* Writer::copy_calls(Node* from, std::span<Node* const> calls, Node* instead) {
  ir::Graph::NodeMap map{{from, instead}};
  Node* made = instead;
  for (Node* n : calls | std::views::reverse) {
    locate();
    Args checked;
    for (size_t k = 0; k < n->input_count(); ++k)
      if (!map.contains(n->input(k))) add_node(checked, n->input(k));
    map[n] = made = graph.copy(n, map);
  }
  return made;
}

void Writer::add(Args& args, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None: args.none(); return;
    case IValue::Tag::Bool: args.add(v.to_bool()); return;
    case IValue::Tag::Int: args.add(v.to_int()); return;
    case IValue::Tag::Float: args.add(v.to_double()); return;
    case IValue::Tag::Complex: args.add(v.to_complex()); return;
    case IValue::Tag::Dtype: args.add(v.to_dtype()); return;
    case IValue::Tag::Device: args.add(v.to_device()); return;
    case IValue::Tag::MemoryFormat: args.add(v.to_memory_format()); return;
    case IValue::Tag::Layout: args.layout(); return;
    case IValue::Tag::Str: args.add(v.to_string()); return;
    case IValue::Tag::Tensor: return add_tensor(args, v.as_tensor());
    case IValue::Tag::Ints:
      args.open(ArgKind::List);
      for (int64_t k : v.to_ints()) args.add(k);
      args.close();
      return;
    case IValue::Tag::List:
    case IValue::Tag::Tuple:
      args.open(v.is_list() ? ArgKind::List : ArgKind::Tuple);
      for (const IValue& item : v.items()) add(args, item);
      args.close();
      return;
    case IValue::Tag::Dict:
      args.open(ArgKind::Dict);
      for (const auto& [key, value] : v.pairs()) add(args, key), add(args, value);
      args.close();
      return;
    case IValue::Tag::Object: {
      if (auto size = symbolic_size(v)) return add_node(args, append_size(graph, *size, nullptr, &open_sizes_));
      auto* symbolic = symbolic_value(v);
      MONOGRAPH_CHECK(symbolic, NotImplemented,
                      "an object of this kind (a Generator?) cannot be part of a graph; draw from the default generator while capturing");
      check_running(*symbolic);
      return add_node(args, symbolic->node);
    }
  }
}

Node* Writer::append(const Operator& op, const IValue* values) {
  locate();
  count_operator();
  const auto& arguments = op.schema().arguments();
  size_t positional = 0;
  // A default with enumerated values is written into the node, because the Python code of the graph needs it.
  auto omitted = [&](size_t i) {
    const ir::Argument& a = arguments[i];
    return a.default_value && !a.enumerated_default && same((*a.default_value)[0], values[i], a);
  };
  for (size_t i = 0; i < arguments.size() && !arguments[i].kwarg_only; ++i)
    if (!omitted(i)) positional = i + 1;
  Args args;
  args.reserve(positional);
  names_ = variable != nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (number_variable) note_number_variables(values[i]);
    if (i >= positional && !arguments[i].kwarg_only) continue;
    if (arguments[i].kwarg_only) {
      if (omitted(i)) continue;
      args.name(arguments[i].name);
    }
    add(args, values[i]);
  }
  names_ = false;
  ir::Target& target = targets_[&op];
  if (!target.surface) target = graph.resolved(op);
  Node* n = graph.create(ir::Op::CallFunction, target, args);
  if (variable) note_call(op, values, n);
  if (!n->multi()) graph.set_type(n, n->info() ? types_.infer(*n) : op.infer(*n));
  return n;
}

void Writer::note_variable(const Tensor& tensor, const Node* node) {
  const auto written = written_.find(node);
  const uint32_t id = written == written_.end() ? node->id() : written->second;
  if (node->op() == ir::Op::Placeholder || notes_.variables.contains(id)) return;
  if (std::string name = variable(tensor); !name.empty()) notes_.variables.emplace(id, std::move(name));
}

void Writer::note_call(const Operator& op, const IValue* args, const Node* node) {
  const auto& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].writes() && args[i].is_tensor() && op.schema().returns_argument(0, i))
      if (const Node* value = find(args[i].as_tensor())) written_[value] = node->id();
  if (op.name().starts_with("aten::bitwise_") && is_symbol && is_symbol()) notes_.symbols.push_back(node->id());
}

void Writer::note_number_variables(const IValue& v) {
  if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) note_number_variables(item);
  const SymbolicValue* number = symbolic_value(v);
  if (!number || !number->node || number->node->op() == ir::Op::Placeholder || notes_.variables.contains(number->node->id())) return;
  if (std::string name = number_variable(number->node); !name.empty()) notes_.variables.emplace(number->node->id(), std::move(name));
}

void Writer::note_whole_slice(const Tensor& tensor, int64_t dim) {
  const Node* node = variable ? find(tensor) : nullptr;
  if (!node) return;
  const auto written = written_.find(node);
  notes_.whole_slices.push_back({written == written_.end() ? node->id() : written->second, graph.id_limit(), dim});
}

TraceNotes Writer::take_notes() {
  notes_.calls = calls_;
  return std::move(notes_);
}

bool needs_gradient(const IValue& v) {
  if (v.is_tensor()) return v.as_tensor().defined() && v.as_tensor().requires_grad();
  if (v.is_dict()) return std::ranges::any_of(v.pairs(), [](const auto& pair) { return needs_gradient(pair.second); });
  return (v.is_list() || v.is_tuple()) && std::ranges::any_of(v.items(), needs_gradient);
}

// Whether the graph makes a leaf that requires grad and writes to memory: the write may be one that is an error but under no_grad().
static bool writes_beside_leaves(const ir::Graph& graph) {
  static const Operator& with_grad = find_operator("prim::with_grad");
  bool leaf = false, write = false;
  for (const Node* n : ir::NestedNodes(graph)) {
    leaf |= n->info() == &with_grad;
    write |= n->info() && (n->info()->effects().writes & ir::Effects::Memory);
  }
  return leaf && write;
}

IValue Writer::switch_gradients(const IValue& on) {
  IValue before;
  if (on.is_bool()) {
    switches_.push_back(append(find_operator("aten::is_grad_enabled"), nullptr));
    before = number(switches_.back(), !on.to_bool());
  }
  switches_.push_back(append(find_operator("aten::set_grad_enabled"), &on));
  return before;
}

// Limits the number of operators: an endless Python loop would fill the memory with nodes.
void Writer::count_operator() {
  constexpr size_t kMost = 1'000'000;
  MONOGRAPH_CHECK(++recorded_ <= kMost, Value,
                  "the capture has recorded 1,000,000 operators, and goes on. A loop of Python that runs without end, or very ",
                  "long, is recorded round by round. Let a value decide how many rounds it has (while x.sum() < 10), write it with ",
                  "torch.while_loop, or capture one round");
  interrupts_.soon();  // the previous operator may have taken long
  interrupts_.tick();
}

void Writer::finish(const IValue& result) {
  const Session* session = current_session();
  MONOGRAPH_CHECK(
      raised.empty() || (session && session->control_flow == ControlFlow::Freeze), Runtime,
      "an operator raised while the function was captured, and the function caught the error (try, except). For other inputs it might not ",
      "raise, and the graph has no such path. Test the sizes or values before the call, instead of catching the error.\n  raised by ",
      raised);
  locate();
  Args args;
  add(args, result);
  graph.set_output(args);
  if (needs_gradient(result) || writes_beside_leaves(graph)) switches_.clear();
  std::ranges::reverse(switches_);  // what a switch takes comes before it
  for (std::span<Node* const> unused : {std::span<Node* const>(elements_), std::span<Node* const>(switches_)})
    for (Node* n : unused)
      if (!n->erased() && !n->has_uses()) graph.erase(n);
}

void Writer::find_or_record(const Tensor& t) {
  if (!find(t)) find_inner(t);
}

void Writer::note_sizes(const Tensor& t, const ir::TensorType& type) {
  Sizes sizes;
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (type.sizes && (*type.sizes)[d]) {
      sizes.push_back((*type.sizes)[d]);
      continue;
    }
    Symbol open;  // a symbol that no type has yet
    open.name = concat("_inner", noted_sizes.size(), "_", d), open.hint = t.sizes()[d];
    sizes.push_back(SymInt::symbol(open));
  }
  noted_sizes.insert_or_assign(t.impl(), std::pair(t, sizes));
}

bool Writer::ranked(const Tensor& t) {
  Node* n = noting ? nullptr : find(t);
  if (!n && !noting) n = find_inner(t);
  return !n || !n->type().is(ir::TypeKind::Tensor) || n->type().tensor().sizes;
}

Sizes Writer::sizes(const Tensor& t) {
  if (auto noted = noted_sizes.find(t.impl()); noting && noted != noted_sizes.end()) return noted->second.second;
  Node* n = find(t);
  if (!n && !noting) n = find_inner(t);
  const bool outside = is_attribute(t) || (t.requires_grad() && is_leaf(t));  // then its sizes are the same in every run
  if (!n && backward_is_running() && !outside) check_kept(t);
  if (!n || !n->type().is(ir::TypeKind::Tensor)) return SizesRef(t.sizes());
  Sizes out;
  std::vector<std::optional<SymInt>> unknown(t.sizes().size());
  if (!n->type().tensor().sizes && !noting) {  // the number of dims depends on sizes: takes that of the example, with a guard
    const IValue arg[] = {t};
    guard(append(find_operator("aten::dim"), arg), t.dim(), "the number of dims in a backward pass");
  }
  const auto& sizes = n->type().tensor().sizes ? *n->type().tensor().sizes : unknown;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d]) {
      out.push_back(sizes[d]);
      continue;
    }
    Symbol open;
    open.name = concat("_", n->name(), "_", d), open.hint = t.sizes()[d];
    open_sizes_.try_emplace(open.name, n, static_cast<int64_t>(d));
    out.push_back(SymInt::symbol(open));
  }
  return out;
}

void Writer::specialize(Size size) {
  if (size.is_int() || !size.known() || noting) return;
  const SymInt whole = *size.symint();
  const std::string expression = concat("the size ", to_string(whole));
  bool open = false;
  whole.visit_symbols([&](const Symbol& symbol) { open |= open_sizes_.contains(symbol.name); });
  if (open) return guard(append_size(graph, whole, nullptr, &open_sizes_), whole.hint().value(), expression);
  for (const ir::Guard& g : graph.guards())
    if (!g.value && g.size == whole) return;
  ir::Guard g;
  g.size = whole;
  g.expected.add(whole.hint().value());
  g.expression = expression + " in a backward pass";
  if (location) g.span = location();
  graph.add_guard(std::move(g));
}

Size Writer::broadcast(Size a, Size b) {
  const SymInt x = a.is_int() ? a.as_int() : *a.symint(), y = b.is_int() ? b.as_int() : *b.symint();
  const std::optional<int64_t> left = x.hint(), right = y.hint();
  MONOGRAPH_ASSERT(left && right);
  if (*left == *right) {
    if (!noting)
      guard(append_size(graph, x - y, nullptr, &open_sizes_), 0, concat("the size ", to_string(a), " less the size ", to_string(b)));
    return a;
  }
  specialize(*left == 1 ? a : b);
  return *left == 1 ? b : a;
}

std::string Writer::words(Size size) const {
  auto source = [&](const std::string& name) -> std::string {
    for (const Node* p : graph.placeholders()) {
      if (!p->type().is(ir::TypeKind::Tensor) || !p->type().tensor().sizes) continue;
      const auto& sizes = *p->type().tensor().sizes;
      for (size_t d = 0; d < sizes.size(); ++d)
        if (const Symbol* symbol = sizes[d] ? sizes[d]->as_symbol() : nullptr; symbol && symbol->name == name)
          return concat(p->name(), ".shape[", d, "]");
    }
    return name;
  };
  auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const std::string text = to_string(size);
  std::string out;
  for (size_t k = 0, end = 0; k < text.size(); k = end) {
    for (end = k; end < text.size() && in_name(text[end]);) ++end;
    out += end == k ? std::string(1, text[end++]) : source(text.substr(k, end - k));
  }
  return out;
}

std::string Writer::comparison(const Node* n) const {
  const auto* op = dynamic_cast<const Operator*>(n->info());
  const auto row = std::ranges::find_if(ir::kPythonOperators, [&](const ir::PythonOperator& o) {
    return op && o.form == ir::OperatorForm::Comparison && op->base_name() == o.numbers;
  });
  if (row == std::end(ir::kPythonOperators) || n->arg_count() != 2) return {};
  std::string sides[2];
  for (size_t k = 0; k < 2; ++k) {
    const SizeValue value = size_value(n->arg(k));
    if (value.integer) sides[k] = words(value.integer);
    if (!value.items) continue;
    for (const AbstractValue& item : *value.items) sides[k] += concat(sides[k].empty() ? "[" : ", ", words(item.integer));
    sides[k] += sides[k].empty() ? "[]" : "]";
  }
  return sides[0].empty() || sides[1].empty() ? std::string() : concat(sides[0], " ", row->symbol, " ", sides[1]);
}

void Writer::guard(Node* value, const IValue& expected, std::string_view expression) {
  if (expected.is_bool() || expected.is_int()) {  // a guard that holds for all sizes is not needed
    const Dim always = size_value(Args(value)[0]).integer;
    if (always && always->is_int() && always->as_int() == expected.to_int()) return;
  }
  for (const ir::Guard& g : graph.guards())
    if (g.value == value) return;
  ir::Guard g;
  g.value = value;
  add(g.expected, expected);
  g.expression = expression.empty() ? shown(*value) : std::string(expression);
  g.span = location ? location() : value->span();
  graph.add_guard(std::move(g));
}

Node* running_node(const Tensor& symbolic) {
  const auto* s = static_cast<const SymbolicTensor*>(symbolic.impl());
  return session && session->writer.id == s->capture_id ? s->node : nullptr;
}

void check_running(const SymbolicValue& number) {
  MONOGRAPH_CHECK(number.node, Runtime, "this number belongs to a capture that has ended; it has no value outside of it");
}

IValue demand(const IValue& v, std::string_view expression) {
  auto* symbolic = symbolic_value(v);
  if (!symbolic) return v;
  check_running(*symbolic);
  auto refuse = [&](std::string_view why) {
    Error e(ErrorKind::Runtime, concat("[", symbolic->node->target().name(), "] the function needs a value here while it is captured, ",
                                       why, ". Write a branch with cond and a loop with while_loop, or keep the number symbolic"));
    e.locate(session && session->writer.location ? session->writer.location() : symbolic->node->span());
    throw e;
  };
  MONOGRAPH_CHECK(session, Runtime, "%", symbolic->node->name(), " belongs to a capture of another thread; it has no value here");
  if (symbolic->hint.is_none() && session->sizes_agree) {
    auto compares = [&](const OverloadSet& set) { return std::ranges::find(set.overloads, symbolic->node->info()) != set.overloads.end(); };
    const bool equal = compares(find_overloads("eq"));
    if (symbolic->node->type().is(ir::TypeKind::Bool) && (equal || compares(find_overloads("ne")))) {
      session->writer.guard(symbolic->node, equal, {});
      return equal;
    }
  }
  if (symbolic->hint.is_none()) refuse("but a symbolic capture has no values");
  if (session->control_flow == ControlFlow::Error) refuse("and control_flow=\"error\" does not allow that");
  if (session->control_flow == ControlFlow::Freeze) return symbolic->hint;
  if (symbolic->hint.is_string()) {  // guards can compare numbers and bools only
    const IValue both[] = {v, symbolic->hint};
    session->writer.guard(session->writer.append(find_operator("aten::eq.str"), both), true,
                          concat(expression.empty() ? std::string_view("a text") : expression, " == '", symbolic->hint.to_string(), "'"));
  } else {
    session->writer.guard(symbolic->node, symbolic->hint, expression);
  }
  return symbolic->hint;
}

}  // namespace monograph::capture

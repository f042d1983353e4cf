// How a record becomes operators. OpBuilder applies each statement of a record to the operators of its schemas and to their forms; the texts of the
// in-place, out=, _copy and _scatter schemas are made from the functional schema. The Registry keeps the operators and finds them by name.
#include "ops/registry.h"

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

std::string qualify(std::string_view schema) {
  return schema.find("::") < schema.find('(') ? std::string(schema) : concat("aten::", schema);
}

std::string copy_mark(uint32_t copy) { return concat("_copy", copy); }

// "add.Tensor(Tensor self, ...) -> Tensor" split at its name, overload and arguments.
struct SchemaText {
  std::string name, overload, arguments, returns;
  explicit SchemaText(std::string_view text) {
    size_t open = text.find('('), close = text.rfind(") ->");
    std::string_view head = text.substr(0, open);
    size_t dot = head.find('.');
    name = head.substr(0, dot);
    overload = dot == std::string_view::npos ? "" : head.substr(dot + 1);
    arguments = text.substr(open + 1, close - open - 1);
    returns = text.substr(close + 5);
  }
};

// The in-place and out= forms follow from the functional schema by PyTorch's own naming.
std::string inplace_schema(const SchemaText& s, const char* other_overload) {
  std::string overload = *other_overload ? other_overload : s.overload;
  if (!overload.empty()) overload = "." + overload;
  return concat(s.name, "_", overload, "(Tensor(a!) self", s.arguments.substr(std::string_view("Tensor self").size()), ") -> Tensor(a!)");
}
// A factory with out= takes dtype and device from `out`, so its schema has no such arguments.
std::string without_options(std::string arguments) {
  constexpr std::string_view kOptions = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None",
                             kOnly = "*, ";
  const size_t at = arguments.find(kOptions);
  if (at == std::string::npos) return arguments;
  arguments.erase(at, kOptions.size());
  if (at < arguments.size()) return arguments.erase(at, std::string_view(", ").size());  // a memory_format= follows
  if (arguments.ends_with(kOnly)) arguments.resize(arguments.size() - kOnly.size());
  if (arguments.ends_with(", ")) arguments.resize(arguments.size() - 2);
  return arguments;
}
std::string out_schema(SchemaText s, std::string_view overload) {
  s.arguments = without_options(s.arguments);
  const char* separator = s.arguments.find("*,") == std::string::npos ? ", *, " : ", ";
  const bool list = s.returns == "Tensor[]";
  return concat(s.name, ".", overload, "(", s.arguments, separator, list ? "Tensor(a!)[] out) -> ()" : "Tensor(a!) out) -> Tensor(a!)");
}
std::string out_overload(const SchemaText& s, const char* tensor_overload) {
  if (s.overload.empty() || s.overload == "other") return "out";
  return s.overload == "Tensor" ? tensor_overload : s.overload + "_out";
}

std::string scatter_schema(const SchemaText& s) {
  return concat(s.name, "_scatter(Tensor self, Tensor src", s.arguments.substr(std::string_view("Tensor(a) self").size()), ") -> Tensor");
}

// The arguments of a view, from those of its NAME_scatter.
std::vector<IValue> view_arguments(const Operator& op, const Tensor& of, const IValue* args) {
  std::vector<IValue> out{of};
  out.insert(out.end(), args + 2, args + op.schema().arguments().size());
  return out;
}

// The sizes of the view that this call would return.
Sizes sizes_by_rule(RuleCall&& view) {
  view.op.rule(view);
  return view.results()[0].sizes;
}

// The sizes of the view that a NAME_scatter writes into.
Sizes view_sizes(const RuleCall& c) {
  const Operator& view = *c.op.view;
  if (c.eager()) return sizes_by_rule(RuleCall(view, view_arguments(c.op, c.value(0).as_tensor(), &c.value(0)).data()));
  std::vector<AbstractValue> args{c.known(0)};
  for (size_t i = 2; i < c.op.schema().arguments().size(); ++i) args.push_back(c.known(i));
  return sizes_by_rule(RuleCall(view, args));
}

// Whether the result has argument 0's strides, with their gaps.
bool keeps_strides(const Tensor& self) { return !overlaps_itself(self); }

// The shape rule of a NAME_scatter: the result has the sizes of argument 0, and `src` must have the sizes of the view.
void scatter_rule(RuleCall& c) {
  const Sizes slice = view_sizes(c);
  SizesRef src = c.sizes(1);
  Truth same = !slice.ranked() || !src.ranked() ? Truth::unknown() : Truth(slice.size() == src.size());
  for (size_t d = 0; certainly(same) && d < src.size(); ++d) same = same && slice[d] == src[d];
  c.check(same, ErrorKind::Runtime, "expected src to have a size equal to the slice of self. src size = ", src, ", slice size = ", slice);
  c.like_layout(0, c.dtype(0));
  if (c.eager() && keeps_strides(c.value(0).as_tensor())) c.lay_out(SizesRef(c.value(0).as_tensor().strides()));
}

// The shape rule of a NAME_copy: its arguments are those of the view, and so are the sizes of its result.
void view_copy_rule(RuleCall& c) {
  if (c.eager()) return c.like(0, sizes_by_rule(RuleCall(*c.op.view, &c.value(0))));
  std::vector<AbstractValue> args;
  for (size_t i = 0; i < c.op.schema().arguments().size(); ++i) args.push_back(c.known(i));
  c.like(0, sizes_by_rule(RuleCall(*c.op.view, args)));
}

void eval_view_copy(const Operator& op, const IValue* args, IValue* results) {
  IValue view;
  run(*op.view, args, &view);
  results[0] = copy_tensor(view.as_tensor());
}

// As in PyTorch: copies self, then copies src into the view of that copy. So no kernel needs to know where src goes.
void eval_scatter(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  Tensor out =
      keeps_strides(self) ? empty_strided(self.sizes(), self.strides(), self.dtype(), self.device()) : empty_like(self, self.dtype());
  copy_into(out, self);
  IValue view;
  call(*op.view, view_arguments(op, out, args).data(), &view);
  copy_into(view.as_tensor(), args[1].as_tensor());
  results[0] = out;
}

void scatter_gradient(GradCall& c) {
  IValue result;
  if (c.needs(0)) {
    std::vector<IValue> args(c.values(), c.values() + c.op.schema().arguments().size());
    args[0] = c.grad(), args[1] = "zeros"_op(c.sizes(1), c.dtype(1));
    call(c.op, args.data(), &result);
    c.set(0, result.to_tensor());
  }
  if (c.needs(1)) {
    call(*c.op.view, view_arguments(c.op, c.grad(), c.values()).data(), &result);
    c.set(1, result.to_tensor());
  }
}

}  // namespace

template <class F>
OpBuilder& OpBuilder::each(F&& f) {
  for (Operator* op : statement_->ops) f(*op);
  for (Operator* op : statement_->forms) f(*op);
  return *this;
}

OpBuilder& OpBuilder::promote(Promote p) {
  return each([&](Operator& op) { op.pointwise->promote = p; });
}
OpBuilder& OpBuilder::dtypes(DTypeSet s) {
  return each([&](Operator& op) { op.pointwise ? op.pointwise->dtypes = s : op.rows->dtypes = s; });
}
OpBuilder& OpBuilder::fixed(size_t value, DType t) {
  return each([&](Operator& op) { op.pointwise->fixed[value] = static_cast<int8_t>(t); });
}
OpBuilder& OpBuilder::one_dtype() {
  return each([&](Operator& op) { op.pointwise->one_dtype = true; });
}
OpBuilder& OpBuilder::refuses_bool() {
  return each([&](Operator& op) { op.pointwise->refuses_bool = true; });
}
OpBuilder& OpBuilder::counts_bool() {
  return each([&](Operator& op) { op.pointwise->counts_bool = true; });
}
OpBuilder& OpBuilder::crosses_devices() {
  return each([](Operator& op) { op.crosses_devices = true; });
}
OpBuilder& OpBuilder::storage_only(StorageOnly how) {
  return each([how](Operator& op) { op.storage_only = how; });
}
OpBuilder& OpBuilder::quantized(Quantized how) {
  return each([how](Operator& op) { op.quantized = how; });
}
OpBuilder& OpBuilder::contiguous_result() {
  return each([&](Operator& op) { op.pointwise->contiguous = true; });
}
OpBuilder& OpBuilder::keeps_numbers() {
  return each([&](Operator& op) { op.pointwise->keeps_numbers = true; });
}
OpBuilder& OpBuilder::wide_numbers() {
  return each([&](Operator& op) { op.pointwise->wide_numbers = true; });
}
OpBuilder& OpBuilder::scalars_promote() {
  return each([&](Operator& op) {
    PointwiseRule& rule = *op.pointwise;
    for (size_t k = 0; k < 4; ++k) {
      if (!(rule.promoting[k] = rule.is_scalar[k])) continue;
      const std::string& argument = op.schema().arguments()[rule.position[k]].name;
      if (argument == "other" || argument == "self") rule.number_check[k] = NumberCheck::None;
    }
  });
}
OpBuilder& OpBuilder::number_check(size_t value, NumberCheck check) {
  return each([&](Operator& op) { op.pointwise->number_check[value] = check; });
}
OpBuilder& OpBuilder::takes_byte_mask() {
  return each([&](Operator& op) { op.pointwise->takes_byte_mask = true; });
}
OpBuilder& OpBuilder::raises(const char* message) {
  return each([&](Operator& op) {
    op.pointwise->raises = message;
    ir::Effects e;
    e.may_raise = true;
    op.add_effects(e);
  });
}
OpBuilder& OpBuilder::refuses(const char* message) {
  return each([&](Operator& op) { op.pointwise->raises = message; });
}
OpBuilder& OpBuilder::gradient(GradFn rule) {
  return each([&](Operator& op) { op.gradient = rule; });
}
OpBuilder& OpBuilder::gradient(Derived) {
  return each([&](Operator& op) { op.derived_gradient = op.pointwise->derive = true; });
}
OpBuilder& OpBuilder::gradient(None reason) {
  return each([&](Operator& op) {
    op.no_gradient = reason.reason, op.constant = reason.constant;
    op.is_view = false;  // detach() shares the storage, but autograd does not track it as a view
  });
}
OpBuilder& OpBuilder::piecewise_linear() {
  return each([&](Operator& op) { op.piecewise_linear = true; });
}
OpBuilder& OpBuilder::slope(size_t value, SlopeFn f) {
  return each([&](Operator& op) { op.pointwise->slopes[value] = f, op.derived_gradient = true; });
}
OpBuilder& OpBuilder::variant(const char* argument, const char* value, Body1 body, SlopeFn slope) {
  return each([&](Operator& op) {
    PointwiseRule& rule = *op.pointwise;
    rule.variant_argument = op.schema().index_of(argument);
    auto other = std::make_shared<PointwiseRule>();
    other->body = Registry::any_body(body), other->promote = rule.promote, other->dtypes = rule.dtypes;
    other->fixed = rule.fixed, other->position = rule.position, other->is_scalar = rule.is_scalar, other->promoting = rule.promoting;
    other->number_check = rule.number_check, other->copy = rule.copy;
    other->slopes[0] = slope;
    rule.variants.emplace_back(value, std::move(other));
  });
}
OpBuilder& OpBuilder::decompose(DecomposeFn f, Reads reads) {
  return each([&](Operator& op) { op.decompose = f, op.decompose_reads = reads; });
}
OpBuilder& OpBuilder::decompose_eagerly(DecomposeFn f) {
  return each([&](Operator& op) { op.eager_decompose = f; });
}
OpBuilder& OpBuilder::check(StructuredKernel f) {
  return each([&](Operator& op) { op.check = f; });
}
OpBuilder& OpBuilder::decompose(None reason) {
  return each([&](Operator& op) { op.no_decomposition = reason.reason; });
}
OpBuilder& OpBuilder::eval(EvalFn f) {
  return each([&](Operator& op) { op.eval = f; });
}
OpBuilder& OpBuilder::rule(RuleFn f) {
  return each([&](Operator& op) { op.rule = f; });
}
OpBuilder& OpBuilder::kernel(StructuredKernel f) {
  return each([&](Operator& op) { op.kernel = f; });
}
OpBuilder& OpBuilder::contiguous_args() {
  return each([&](Operator& op) { op.contiguous_args = true; });
}
OpBuilder& OpBuilder::prepare(PrepareFn f) {
  return each([&](Operator& op) { op.prepare = f; });
}
OpBuilder& OpBuilder::sized_by_elements(MeasureFn f) {
  return each([&](Operator& op) { op.measure = f; });
}
OpBuilder& OpBuilder::sized_by_elements(DecomposeFn f) {
  return each([&](Operator& op) { op.by_elements = f; });
}
OpBuilder& OpBuilder::writes_again() {
  return each([](Operator& op) { op.writes_again = true; });
}
OpBuilder& OpBuilder::bad_data(ErrorKind kind, const char* first, const char* second, const char* third) {
  return each([&](Operator& op) {
    op.bad_data = {first, second, third}, op.bad_data_kind = kind;
    ir::Effects e;
    e.may_raise = true;
    op.add_effects(e);
  });
}
OpBuilder& OpBuilder::size_value(SizeValueFn f) {
  return each([&](Operator& op) { op.size_value = f; });
}
OpBuilder& OpBuilder::keeps(const char* name, IValue (*compute)(const IValue* args)) {
  return each([&](Operator& op) { op.kept.push_back({name, compute}); });
}
OpBuilder& OpBuilder::one_step() {
  return each([](Operator& op) { op.one_step = true; });
}
OpBuilder& OpBuilder::attribute(const char* name) {
  return each([&](Operator& op) { op.attribute = name; });
}
OpBuilder& OpBuilder::takes_element() {
  return each([&](Operator& op) { op.takes_element = true; });
}
OpBuilder& OpBuilder::assigns() {
  return each([&](Operator& op) { op.assigns = true; });
}
OpBuilder& OpBuilder::canonical(CanonicalFn f) {
  return each([&](Operator& op) { op.canonical_rule = f; });
}
OpBuilder& OpBuilder::shares_memory(const char* argument) {
  return each([&](Operator& op) {
    const int index = op.schema().index_of(argument);
    MONOGRAPH_ASSERT(index >= 0);
    op.share_memory(static_cast<size_t>(index));
  });
}
OpBuilder& OpBuilder::may_return(const char* argument) {
  return each([&](Operator& op) {
    const int index = op.schema().index_of(argument);
    MONOGRAPH_ASSERT(index >= 0);
    op.may_return(static_cast<size_t>(index));
  });
}
OpBuilder& OpBuilder::reads_sizes_alone() {
  return each([&](Operator& op) { op.reads_sizes_alone = true; });
}
OpBuilder& OpBuilder::effects(ir::Effects e) {
  return each([&](Operator& op) { op.add_effects(e); });
}
OpBuilder& OpBuilder::onnx(const char* rule) {
  return each([&](Operator& op) { op.onnx = rule; });
}
OpBuilder& OpBuilder::onnx(None reason) {
  return each([&](Operator& op) { op.no_onnx = reason.reason; });
}
OpBuilder& OpBuilder::contracts(int argument, Contraction::Terms terms) {
  return each([&](Operator& op) { op.contraction = {terms, argument}; });
}
OpBuilder& OpBuilder::commutative() {
  return each([&](Operator& op) { op.commutative = true; });
}
OpBuilder& OpBuilder::numbers_as_tensors() {
  return each([](Operator& op) { op.take_numbers(ir::NumbersAsTensors::All); });
}
OpBuilder& OpBuilder::number_first() {
  return each([](Operator& op) {
    if (op.schema().arguments()[1].type.is(ir::TypeKind::Tensor) && op.schema().is_pure()) op.take_numbers(ir::NumbersAsTensors::First);
  });
}
OpBuilder& OpBuilder::changes_geometry() {
  return each([](Operator& op) { op.changes_geometry = true; });
}

OpBuilder& OpBuilder::method_only() {
  return each([&](Operator& op) { op.python_function = false; });
}
OpBuilder& OpBuilder::function_only() {
  return each([&](Operator& op) { op.python_method = false; });
}
OpBuilder& OpBuilder::namespaced(const char* python_module) {
  return each([&](Operator& op) { op.python_module = python_module, op.python_method = false; });
}
OpBuilder& OpBuilder::autocast(Autocast how) {
  for (Operator* op : statement_->ops) op->autocast = how;
  return *this;
}
OpBuilder& OpBuilder::doc(const char* text) {
  return each([&](Operator& op) { op.doc = text; });
}

OpBuilder& OpBuilder::samples(const char* text) {
  return each([&](Operator& op) { op.samples = text; });
}
OpBuilder& OpBuilder::samples(const char* overload, const char* text) {
  return each([&](Operator& op) {
    if (op.schema().overload() == overload) op.samples = text;
  });
}
OpBuilder& OpBuilder::samples(None reason) {
  return each([&](Operator& op) { op.no_samples = reason.reason; });
}
OpBuilder& OpBuilder::special(Special s, const char* /*reason*/) {
  return each([&](Operator& op) { op.specials.push_back(s); });
}
OpBuilder& OpBuilder::special(const char* overload, Special s, const char* /*reason*/) {
  return each([&](Operator& op) {
    if (op.schema().overload() == overload) op.specials.push_back(s);
  });
}

// `overload` names the first form, also where the record has an overload name of its own: pow.Tensor_Scalar has pow_.Scalar.
OpBuilder& OpBuilder::inplace(const char* overload) {
  std::vector<Operator*> inplace_forms;
  for (Operator* op : statement_->ops) {
    Operator& form = statement_->registry.add(*statement_, inplace_schema(SchemaText(op->text), op == statement_->ops[0] ? overload : ""));
    form.functional = op, form.pointwise = op->pointwise;
    form.gradient = op->gradient, form.derived_gradient = op->derived_gradient;  // if the record stated them before inplace()
    form.eval = op->pointwise ? eval_pointwise_inplace : eval_composite_form;
    form.python_function = op->python_function, form.python_method = true;
    inplace_forms.push_back(&form);
  }
  statement_->forms.insert(statement_->forms.end(), inplace_forms.begin(), inplace_forms.end());
  return *this;
}

Operator& OpBuilder::add_form(const Operator& op, std::string_view schema) {
  Operator& form = statement_->registry.add(*statement_, schema);
  form.functional = &op, form.pointwise = op.pointwise, form.rows = op.rows;
  statement_->forms.push_back(&form);
  return form;
}

void OpBuilder::add_out(const Operator& op, std::string_view overload) {
  const bool list = !op.schema().returns().empty() && op.schema().returns()[0].type.is(ir::TypeKind::List);
  add_form(op, out_schema(SchemaText(op.text), overload)).eval = list           ? eval_list_out
                                                                 : op.pointwise ? eval_pointwise_out
                                                                 : op.rows      ? eval_rows_out
                                                                                : eval_composite_form;
}

OpBuilder& OpBuilder::out_named(const char* overload, std::initializer_list<const char*> names) {
  MONOGRAPH_ASSERT(statement_->ops.size() == 1);
  const Operator& op = *statement_->ops[0];
  const SchemaText s(op.text);
  std::string arguments = concat(s.arguments, s.arguments.find("*,") == std::string::npos ? ", *" : ""), returns;
  char mark = 'a';
  for (const char* name : names) {
    const ir::Argument& result = op.schema().returns()[static_cast<size_t>(mark - 'a')];
    arguments += concat(", Tensor(", std::string(1, mark), "!) ", name);
    returns += concat(returns.empty() ? "" : ", ", "Tensor(", std::string(1, mark), "!)", result.name.empty() ? "" : " ", result.name);
    ++mark;
  }
  Operator& form = add_form(op, concat(s.name, ".", overload, "(", arguments, ") -> (", returns, ")"));
  form.eval = eval_composite_form;
  return *this;
}

OpBuilder& OpBuilder::out_dtype(OutDType how, DTypeSet among) {
  for (Operator* op : statement_->forms)
    if (op->schema().arguments().back().out) op->out_dtype = how, op->out_dtypes = among;
  return *this;
}

OpBuilder& OpBuilder::out_dtype(const char* overload, OutDType how) {
  for (Operator* op : statement_->forms)
    if (op->schema().overload() == overload) op->out_dtype = how;
  return *this;
}

OutDType Operator::out_kind() const {
  if (out_dtype != OutDType::ByKind) return out_dtype;
  if (rows) return rows->follows_out() ? OutDType::Computes : OutDType::Exact;
  return pointwise && pointwise->promotes() ? OutDType::Safe : OutDType::Exact;
}

OpBuilder& OpBuilder::inplace_view() {
  for (size_t k = 0, n = statement_->ops.size(); k < n; ++k) {
    Operator* view = statement_->ops[k];
    SchemaText s(view->text);
    s.arguments.erase(0, std::string_view("Tensor(a) self").size());
    const bool named = !s.overload.empty() && s.overload != "int";  // transpose.int has transpose_
    Operator& form = statement_->registry.add(
        *statement_, concat(s.name, "_", named ? "." : "", named ? s.overload : "", "(Tensor(a!) self", s.arguments, ") -> Tensor(a!)"));
    form.functional = form.reshapes = view, form.changes_geometry = true;
    form.eval = run_in_place_view;
    form.python_function = false, form.python_method = true;
    form.no_samples = "its result is that of the view: test_in_place.py";
    form.no_onnx = "a graph has no tensors that change their sizes";
    form.doc = "Gives this tensor the sizes and strides of the view that the form without the underscore returns.";
    statement_->in_place_views.push_back(&form);
  }
  return *this;
}

OpBuilder& OpBuilder::copies() {
  for (size_t k = 0, n = statement_->ops.size(); k < n; ++k) {
    const Operator& view = *statement_->ops[k];
    const SchemaText s(view.text);
    Operator& form =
        statement_->registry.add(*statement_, concat(s.name, "_copy", s.overload.empty() ? "" : ".", s.overload, "(Tensor self",
                                                     s.arguments.substr(std::string_view("Tensor(a) self").size()), ") -> Tensor"));
    form.view = &view;
    form.rule = view_copy_rule, form.eval = eval_view_copy;
    form.gradient = view.gradient, form.no_gradient = view.no_gradient, form.constant = view.constant;
    form.samples = view.samples, form.specials = view.specials;
    form.no_onnx = "the view is exported instead: nothing in ONNX shares memory";
    form.doc = "A copy of the view that the form without _copy returns.";
    form.python_method = false;
    add_form(form, out_schema(SchemaText(form.text), s.overload.empty() ? "out" : s.overload + "_out")).eval = eval_composite_form;
  }
  return *this;
}

OpBuilder& OpBuilder::out(const char* tensor_overload) {
  for (Operator* op : statement_->ops) add_out(*op, out_overload(SchemaText(op->text), tensor_overload));
  return *this;
}

OpBuilder& OpBuilder::out_named(const char* overload) {
  MONOGRAPH_ASSERT(statement_->ops.size() == 1);
  add_out(*statement_->ops[0], overload);
  return *this;
}

OpBuilder& OpBuilder::operator_out() {
  const size_t first = statement_->forms.size();
  out("Tensor_out");
  return hide_forms(first);
}

OpBuilder& OpBuilder::operator_out(const char* overload, std::initializer_list<const char*> names) {
  const size_t first = statement_->forms.size();
  names.size() == 1 ? out_named(overload) : out_named(overload, names);
  return hide_forms(first);
}

OpBuilder& OpBuilder::hide_forms(size_t first) {
  for (Operator* form : std::span(statement_->forms).subspan(first))
    form->python_function = form->python_method = false, form->out_dtype = OutDType::Exact;
  return *this;
}

// The module of PyTorch that holds the functions with this prefix; there they have the name without it. Null for other names.
static const char* module_of_prefix(std::string_view base_name) {
  return base_name.starts_with("special_") ? "_special" : base_name.starts_with("linalg_") ? "_linalg" : nullptr;
}

Operator& OpBuilder::add_alias(const Operator& of, std::string_view schema) {
  std::unique_ptr<Operator> alias = statement_->registry.make(schema);
  alias->alias_of = &of;
  statement_->aliases.push_back(std::move(alias));
  return *statement_->aliases.back();
}

// Whether two schemas have the same types of arguments and results; the names of arguments may differ.
static bool same_types(const ir::FunctionSchema& a, const ir::FunctionSchema& b) {
  auto same = [](const ir::Argument& x, const ir::Argument& y) { return x.type == y.type && x.writes() == y.writes() && x.out == y.out; };
  return std::ranges::equal(a.arguments(), b.arguments(), same) && std::ranges::equal(a.returns(), b.returns(), same);
}

OpBuilder& OpBuilder::alias(std::initializer_list<const char*> names) {
  std::vector<const Operator*> forms(statement_->ops.begin(), statement_->ops.end());
  forms.insert(forms.end(), statement_->forms.begin(), statement_->forms.end());
  forms.insert(forms.end(), statement_->in_place_views.begin(), statement_->in_place_views.end());
  for (const char* name : names) {
    const std::string text = copied_name(qualify(name), statement_->registry.copy_);
    const bool whole_schema = text.find('(') != std::string::npos;  // else a name, perhaps with one overload
    const SchemaText alias(whole_schema ? text : concat(text, "() -> "));
    for (const Operator* op : forms) {
      const SchemaText form(op->text);
      if (whole_schema) {
        if (same_types(op->schema(), ir::FunctionSchema::parse(text))) add_alias(*op, text);
      } else if (alias.overload.empty() || alias.overload == form.overload) {
        add_alias(*op, concat(alias.name, form.name.ends_with("_") ? "_" : "", form.overload.empty() ? "" : ".", form.overload, "(",
                              form.arguments, ") -> ", form.returns));
      }
    }
  }
  return *this;
}

static bool passes_for(ir::Type given, ir::Type wanted) {
  const bool lists = given.is(ir::TypeKind::List) && wanted.is(ir::TypeKind::List);
  return lists ? passes_for(given.element(), wanted.element()) : ir::is_subtype(given, wanted);
}

// Whether a call by the schema `narrow` is one by `wide`: each value that it takes is one that `wide` takes at that place, and the rest have defaults.
static bool narrows(const ir::FunctionSchema& narrow, const ir::FunctionSchema& wide) {
  const auto &a = narrow.arguments(), &b = wide.arguments();
  auto passes = [](const ir::Argument& x, const ir::Argument& y) { return passes_for(x.type, y.type) && x.writes() == y.writes(); };
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin(), passes) &&
         std::all_of(b.begin() + static_cast<std::ptrdiff_t>(a.size()), b.end(),
                     [](const ir::Argument& x) { return x.default_value.has_value(); });
}

OpBuilder& OpBuilder::spelled(std::initializer_list<const char*> schemas) {
  std::vector<const Operator*> records(statement_->ops.begin(), statement_->ops.end());
  records.insert(records.end(), statement_->forms.begin(), statement_->forms.end());
  for (const char* schema : schemas) {
    const std::string text = copied_name(qualify(schema), statement_->registry.copy_);
    const ir::FunctionSchema parsed = ir::FunctionSchema::parse(text);
    const auto of = std::ranges::find_if(records, [&](const Operator* op) { return narrows(parsed, op->schema()); });
    MONOGRAPH_ASSERT(of != records.end());
    Operator& other = add_alias(**of, text);
    other.python_function = other.python_method = false;
  }
  return *this;
}

const KeptValue* Operator::kept_value(std::string_view name) const {
  const auto found = std::ranges::find(kept, name, [](const KeptValue& k) { return std::string_view(k.name); });
  return found == kept.end() ? nullptr : &*found;
}

void Operator::become_alias(const Operator& of) {
  const bool hidden = !python_function && !python_method;
  ir::FunctionSchema own = std::move(schema_);
  std::string own_text = std::move(text);
  own.share_notes(of.schema_);
  *this = of;
  schema_ = std::move(own), text = std::move(own_text), alias_of = &of;
  if (const char* module = module_of_prefix(base_name())) python_module = module, python_function = true, python_method = false;
  if (hidden) python_function = python_method = false;
}

OpBuilder& OpBuilder::functional(const char* full_name) {
  const Operator* form = statement_->registry.find(copied_name(full_name, statement_->registry.copy_));
  MONOGRAPH_ASSERT(form);
  return each([&](Operator& op) { op.functional = form; });
}

OpBuilder& OpBuilder::inverse(const char* call) {
  return each([&](Operator& op) { op.inverse = call; });
}

Operator& OpBuilder::add_scatter(Operator& view) {
  Operator& form = statement_->registry.add(*statement_, scatter_schema(SchemaText(view.text)));
  view.scatter = &form, form.view = &view;
  form.eval = eval_scatter, form.gradient = scatter_gradient;
  form.rule = scatter_rule;
  form.no_onnx = "ScatterElements takes an index for every element";
  form.doc = "A copy of `self`, with `src` in place of the elements that the view shows.";
  return form;
}

OpBuilder& OpBuilder::scatter(const char* samples) {
  for (Operator* op : statement_->ops) {
    Operator& form = add_scatter(*op);
    form.samples = samples, form.python_function = form.python_method = true;
  }
  return *this;
}

OpBuilder& OpBuilder::scatter(None reason) {
  for (Operator* op : statement_->ops) {
    Operator& form = add_scatter(*op);
    form.no_samples = reason.reason, form.python_function = form.python_method = false;
  }
  return *this;
}

Registry& Registry::global() {
  static Registry* registry = [] {
    auto* r = new Registry;  // operators live as long as the process
    register_families(*r);
    register_copies(*r);
    r->begin_copy(0), r->begin_family("user");
    return r;
  }();
  return *registry;
}

OpBuilder::Statement::~Statement() {
  // Where an error ends the statement, nothing of it is registered.
  std::uncaught_exceptions() > exceptions ? registry.give_up(*this) : registry.publish(*this);
}

std::unique_ptr<Operator> Registry::make(std::string_view schema) {
  std::string text = qualify(schema);
  auto op = std::make_unique<Operator>(ir::FunctionSchema::parse(text));
  op->text = text;
  const auto& arguments = op->schema().arguments();
  op->python_method = !arguments.empty() && arguments[0].name == "self";
  const auto& s = op->schema();
  op->is_view = s.is_pure() && !arguments.empty() && !s.returns().empty() && s.may_alias(0, 0);
  std::scoped_lock lock(mutex_);
  op->family = family_, op->copy = copy_;
  MONOGRAPH_CHECK(names_.insert(op->name()).second, Value, "an operator named ", op->name(),
                  " is registered already; choose another name or overload");
  return op;
}

Operator& Registry::add(OpBuilder::Statement& statement, std::string_view schema) {
  statement.operators.push_back(make(schema));
  return *statement.operators.back();
}

void Registry::publish_one(std::unique_ptr<Operator> op, GrowingList<const Operator>& list) {
  const std::string& name = op->schema().name();
  const OverloadSet* published = by_base_.find(name);
  auto set = std::make_unique<OverloadSet>(published ? *published : OverloadSet{name, {}});
  set->overloads.push_back(op.get());
  by_base_.put(name, set.get());
  owned_sets_.push_back(std::move(set));  // the set that it replaces is kept too: another thread may read it
  list.push_back(op.get());
  if (op->attribute && !op->alias_of) attributes_.push_back(op.get());
  owned_.push_back(std::move(op));
}

void Registry::publish(OpBuilder::Statement& statement) {
  for (auto& alias : statement.aliases) alias->become_alias(*alias->alias_of);  // with the traits that were stated after the alias
  std::scoped_lock lock(mutex_);
  // In reverse: a thread that finds an operator must also find its in-place and out= forms, which were added after it.
  for (auto op = statement.operators.rbegin(); op != statement.operators.rend(); ++op) by_name_.put((*op)->name(), op->get());
  for (const auto& alias : statement.aliases) by_name_.put(alias->name(), alias.get());
  for (auto& op : statement.operators) publish_one(std::move(op), operators_);
  for (auto& alias : statement.aliases) publish_one(std::move(alias), aliases_);
}

void Registry::give_up(const OpBuilder::Statement& statement) {
  std::scoped_lock lock(mutex_);
  for (const auto& op : statement.operators) names_.erase(op->name());
  for (const auto& alias : statement.aliases) names_.erase(alias->name());
}

std::string copied_name(std::string_view full_name, uint32_t copy) {
  if (copy == 0) return std::string(full_name);
  const std::string_view head = full_name.substr(0, full_name.find_first_of(".("));
  const size_t end = head.find_last_not_of('_') + 1;
  return concat(head.substr(0, end), copy_mark(copy), full_name.substr(end));
}

std::string Operator::original_name() const {
  std::string text(name());
  if (copy == 0) return text;
  const std::string mark = copy_mark(copy);
  return text.erase(text.find(mark), mark.size());
}

void Registry::begin_family(std::string_view name) { family_ = copied_name(name, copy_); }

OpBuilder Registry::op(std::initializer_list<const char*> schemas) {
  OpBuilder b(*this);
  for (const char* s : schemas) b.statement_->ops.push_back(&add(*b.statement_, copied_name(qualify(s), copy_)));
  return b;
}

OpBuilder Registry::add_pointwise(std::initializer_list<const char*> schemas, AnyBody body) {
  OpBuilder b = op(schemas);
  for (Operator* op : b.statement_->ops) {
    op->pointwise = std::make_shared<PointwiseRule>();
    op->pointwise->body = body, op->pointwise->copy = op->copy;
    op->eval = eval_pointwise;
    size_t k = 0;
    const auto& arguments = op->schema().arguments();
    for (size_t i = 0; i < arguments.size() && k < static_cast<size_t>(body.arity); ++i, ++k) {
      op->pointwise->position[k] = static_cast<uint8_t>(i);
      op->pointwise->is_scalar[k] = !arguments[i].type.is(ir::TypeKind::Tensor);
      // A Scalar argument `other` belongs to an operator that also has a Tensor overload: it promotes as a Python number does.
      if (op->pointwise->is_scalar[k] && arguments[i].name == "other")
        op->pointwise->promoting[k] = true, op->pointwise->number_check[k] = NumberCheck::None;
    }
    MONOGRAPH_ASSERT(k == static_cast<size_t>(body.arity));
  }
  return b;
}

OpBuilder Registry::rows(std::initializer_list<const char*> schemas, RowRule rule) {
  OpBuilder b = op(schemas);
  for (Operator* op : b.statement_->ops) {
    op->rows = std::make_shared<RowRule>(rule);
    op->rows->copy = op->copy;
    op->eval = eval_rows;
  }
  return b;
}

const Operator* Registry::find(std::string_view full_name) const { return by_name_.find(full_name); }

const OverloadSet* Registry::find_overloads(std::string_view name) const { return by_base_.find(name); }

const OverloadSet* Registry::find_attribute(std::string_view name) const {
  for (const auto& op : attributes_.view())
    if (op->attribute == name) return find_overloads(op->schema().name());
  return nullptr;
}

bool OverloadSet::in_python(const Operator& op) const {
  auto exposed = [](const Operator* o) { return o->python_function || o->python_method; };
  return exposed(&op) || std::none_of(overloads.begin(), overloads.end(), exposed);
}

// The error for an unknown name, with the nearest of the known names. Where none is near, it may be a user's operator that is not registered yet.
[[noreturn]] static void fail_unknown(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string near = nearest(name, known.data(), known.size());
  const char* define = name.starts_with("aten::") ? "" : "; define it with torch.library, or import the module that does";
  fail(ErrorKind::Attribute, "there is no operator ", name, near.empty() ? define : concat("; did you mean ", near, "?"));
}

const OverloadSet& find_overloads(std::string_view name) {
  std::string full = name.find("::") == std::string_view::npos ? concat("aten::", name) : std::string(name);
  if (const OverloadSet* set = Registry::global().find_overloads(full)) return *set;
  std::vector<std::string_view> names;
  for (const auto& op : Registry::global().all()) names.push_back(op->schema().name());
  for (const auto& op : Registry::global().aliases()) names.push_back(op->schema().name());
  fail_unknown(full, names);
}

const Operator& find_operator(std::string_view full_name) {
  if (const Operator* op = Registry::global().find(full_name)) return *op;
  std::vector<std::string_view> names;
  for (const auto& op : Registry::global().all()) names.push_back(op->name());
  for (const auto& op : Registry::global().aliases()) names.push_back(op->name());
  fail_unknown(full_name, names);
}

}  // namespace monograph

// Operators on a program's objects: instances of classes, members of enumerations, isinstance, tolist, repr, and the modes of gradients. Only graphs call them.
#include "ops/objects.h"

#include <unordered_map>

#include "ops/dispatch.h"
#include "ops/families/programs.h"
#include "ops/record.h"
#include "ops/torchscript_names.h"

namespace monograph {

namespace {

using ir::Type;
using ir::TypeKind;

InstanceBox& instance(const Operator& op, const IValue& v) {
  InstanceBox* box = instance_of(v);
  MONOGRAPH_CHECK(box, Type, "[", op.name(), "] expected an object of a class, but got a ", describe(v));
  return *box;
}
EnumBox& member(const Operator& op, const IValue& v) {
  EnumBox* box = member_of(v);
  MONOGRAPH_CHECK(box, Type, "[", op.name(), "] expected a member of an Enum, but got a ", describe(v));
  return *box;
}

// Parses the text of a type. Each thread keeps the types that it has parsed.
Type type_of_text(const std::string& text) {
  thread_local std::unordered_map<std::string, Type> known;
  Type& type = known[text];
  if (!type) type = ir::parse_type(text);
  return type;
}

// The part of a tensor that starts at `offset` and spans the dims from `dim` on, as nested lists.
IValue nested_lists(const Tensor& t, size_t dim, int64_t offset) {
  if (dim == t.sizes().size()) return first_number(t.as_strided(std::span<const int64_t>(), std::span<const int64_t>(), offset));
  std::vector<IValue> items;
  for (int64_t k = 0; k < t.sizes()[dim]; ++k) items.push_back(nested_lists(t, dim + 1, offset + k * t.strides()[dim]));
  return IValue::list(std::move(items));
}

// As in TorchScript, the annotation of the result must fit the dtype and the number of dims of the tensor.
void eval_tolist(const Operator& op, const IValue* a, IValue* out) {
  const Tensor& t = a[0].as_tensor();
  Type inner = type_of_text(a[1].to_string());
  size_t dims = 0;
  for (; inner.is(TypeKind::List); ++dims) inner = inner.element();
  MONOGRAPH_CHECK(dims == t.sizes().size(), Runtime, "[", op.name(), "] the annotation of tolist() is ", a[1].to_string(),
                  ", but the tensor has ", t.sizes().size(), t.sizes().size() == 1 ? " dim" : " dims");
  const DType dtype = t.dtype();
  const bool fits = inner.is(TypeKind::Float)     ? is_floating(dtype)
                    : inner.is(TypeKind::Complex) ? is_complex(dtype)
                    : inner.is(TypeKind::Bool)    ? dtype == DType::b1
                                                  : dtype == DType::i64;
  MONOGRAPH_CHECK(fits, Runtime, "[", op.name(), "] the annotation of tolist() says ", to_string(inner), ", but the tensor's dtype is ",
                  name(dtype), inner.is(TypeKind::Int) ? "; write x.to(torch.int64).tolist()" : "");
  MONOGRAPH_CHECK(!t.is_meta(), Runtime, "[", op.name(), "] a meta tensor has no elements");
  out[0] = nested_lists(t, 0, t->offset);
}

}  // namespace

void objects(Registry& r) {
  const ProgramOp op(r);
  ir::Effects reads, writes;
  reads.reads = ir::Effects::Memory;
  writes.reads = writes.writes = ir::Effects::Memory;
  // Each call makes a new object. The effect keeps two calls from being merged as a common subexpression.
  op({"prim::CreateObject(str cls) -> t(*)"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = Ref<ObjectBox>(new InstanceBox(ir::intern(a[0].to_string()))); })
      .effects(reads)
      .doc("A new instance of a class, without attributes.");
  op({"prim::GetAttr(t(*) self, str name) -> s(*)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const IValue* found = instance(self, a[0]).find(a[1].to_string());
       MONOGRAPH_CHECK(found, Attribute, "[", self.name(), "] the ", describe(a[0]), " has no attribute '", a[1].to_string(), "' yet");
       out[0] = *found;
     })
      .effects(raising(reads))
      .doc("An attribute of an object.");
  op({"prim::SetAttr(t(*) self, str name, s(*) value) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) {
       InstanceBox& box = instance(self, a[0]);
       if (IValue* found = box.find(a[1].to_string())) *found = a[2];
       else box.attributes.emplace_back(a[1].to_string(), a[2]);
     })
      .effects(writes)
      .doc("Sets an attribute of an object.");
  op({"prim::EnumMember(str cls, str name, t value) -> s"},
     [](const Operator&, const IValue* a, IValue* out) {
       out[0] = Ref<ObjectBox>(new EnumBox(ir::intern(a[0].to_string()), a[1].to_string(), a[2]));
     })
      .effects(ir::Effects::none())
      .doc("A member of an enumeration.");
  op({"prim::EnumName(t self) -> str"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = member(self, a[0]).member; })
      .effects(ir::Effects::none())
      .doc("The name of a member of an enumeration.");
  op({"prim::EnumValue(t self) -> s"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = member(self, a[0]).value; })
      .effects(ir::Effects::none())
      .doc("The value of a member of an enumeration.");
  op({"prim::tolist(Tensor self, str type) -> t"}, eval_tolist)
      .effects(raising(reads))
      .doc("The elements of a tensor in lists of this type.");
  op({"prim::isinstance(t x, str type) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = is_instance(a[0], type_of_text(a[1].to_string())); })
      .effects(reads)
      .doc("Whether a value is of this type, where that is known only when the program runs.");
  op({"prim::repr(t self) -> str"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = text_of_value(self, a[0], true); })
      .effects(raising(reads))
      .doc("Python's repr of a value.");
  no_torchscript("prim::repr", "PyTorch has no operator of this name");
  op({"prim::format(t self, str spec) -> str"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = formatted_value(self, a[0], a[1].to_string()); })
      .effects(raising({}))
      .doc("Python's format of a number or str.");
  no_torchscript("prim::format", "PyTorch has no operator of this name");
  op({"prim::type(Device self) -> str"},
     [](const Operator&, const IValue* a, IValue* out) {
       const std::string device = to_string(a[0].to_device());
       out[0] = device.substr(0, device.find(':'));
     })
      .effects(ir::Effects::none())
      .doc("The kind of a device: \"cpu\".");
  op({"prim::index.Device(Device self) -> int?"},
     [](const Operator&, const IValue* a, IValue* out) {
       const std::string device = to_string(a[0].to_device());
       const size_t colon = device.find(':');
       if (colon == std::string::npos) out[0] = IValue();
       else out[0] = static_cast<int64_t>(std::stoll(device.substr(colon + 1)));
     })
      .effects(ir::Effects::none())
      .doc("The number of a device; None where it has none.");
  ir::Effects asks, switches;
  asks.reads = ir::Effects::Mode;
  switches.reads = switches.writes = ir::Effects::Mode;
  op({"is_grad_enabled() -> bool"}, [](const Operator&, const IValue*, IValue* out) { out[0] = dispatch_state().grad_enabled; })
      .effects(asks)
      .doc("Whether operators are recorded for gradients.");
  op({"prim::is_inference_mode_enabled() -> bool"}, [](const Operator&, const IValue*, IValue* out) { out[0] = inference_mode(); })
      .effects(asks)
      .doc("Whether torch.inference_mode is on.");
  no_torchscript("prim::is_inference_mode_enabled", "PyTorch has no operator of this name");
  op({"set_grad_enabled(bool val) -> ()"},
     [](const Operator&, const IValue* a, IValue*) { dispatch_state().grad_enabled = a[0].to_bool(); })
      .effects(switches)
      .doc("Whether operators are recorded for gradients from here on, until the graph ends.");
}

}  // namespace monograph

// Implements monograph/tensor.h and monograph/types.h: converts arguments, results and errors, and calls operators, autograd and the thread pool.
#include <algorithm>
#include <memory>

#include "api/access.h"
#include "autograd/engine.h"
#include "capture/regions.h"
#include "capture/writer.h"
#include "core/threads/pool.h"
#include "exec/compiler.h"
#include "kernels/convolution.h"
#include "kernels/matmul.h"
#include "kernels/registry.h"
#include "ops/pointwise.h"
#include "ops/tensor_data.h"
#include "ops/tensor_facts.h"

MONOGRAPH_API_BEGIN
namespace {

std::vector<monograph::Tensor> unwrap_or_undefined(const std::vector<Tensor>& list) {
  std::vector<monograph::Tensor> out;
  for (const Tensor& t : list) out.push_back(t.defined() ? unwrap(t) : monograph::Tensor());
  return out;
}

// Whether a trace records this tensor. C++ code that computes with its sizes or elements is not recorded.
bool is_traced(const monograph::Tensor& t) {
  const capture::Session* session = capture::current_session();
  return session && session->writer.find(t);
}

// Returns a number of the example to the program, and adds a guard to the graph, so that each run checks the number.
IValue guarded(const char* name, std::initializer_list<IValue> args) {
  return translated([&] {
    IValue result;
    monograph::call(find_operator(name), args.begin(), &result);
    // "aten::sym_size.int" is size() to the user.
    std::string_view word(name);
    word = word.substr(word.rfind(':') + 1);
    if (word.starts_with("sym_")) word.remove_prefix(4);
    return capture::demand(result, monograph::concat(word.substr(0, word.find('.')), "() in C++"));
  });
}

void refuse_elements(const monograph::Tensor& t, const char* what) {
  if (is_traced(t))
    throw RuntimeError(
        monograph::concat(what, ": the elements of a traced tensor are those of the example, and what C++ computes from them would be ",
                          "the same for every input; use operators, and cond or while_loop for branches and loops"));
}

}  // namespace

void rethrow() {
  try {
    throw;
  } catch (const monograph::InternalError& e) {
    throw InternalError(e.what());
  } catch (const Error& e) {
    switch (e.kind()) {
      case ErrorKind::Runtime: throw RuntimeError(e.what());
      case ErrorKind::Value: throw ValueError(e.what());
      case ErrorKind::Type: throw TypeError(e.what());
      case ErrorKind::Index: throw IndexError(e.what());
      case ErrorKind::Key: throw KeyError(e.what());
      case ErrorKind::NotImplemented: throw NotImplementedError(e.what());
      case ErrorKind::Attribute: throw AttributeError(e.what());
      case ErrorKind::File: throw OSError(e.what());
      case ErrorKind::LinearAlgebra: throw LinAlgError(e.what());
      case ErrorKind::Overflow: break;
    }
    throw Exception(e.what());
  }
}

IValue value(const Scalar& v) {
  return std::visit([](const auto& x) -> IValue { return x; }, v.variant());
}
IValue value(const Generator& v) { return Ref<ObjectBox>(&Generator::Access::of(v)); }
IValue value(const std::vector<Tensor>& v) {
  std::vector<IValue> items;
  items.reserve(v.size());
  for (const Tensor& t : v) items.push_back(value(t));
  return IValue::list(std::move(items));
}
IValue value(const std::vector<double>& v) { return IValue::list(std::vector<IValue>(v.begin(), v.end())); }

BoundOverload::BoundOverload(const char* full_name) {
  translated([&] {
    const Operator& op = find_operator(full_name);
    MONOGRAPH_ASSERT(op.schema().returns().size() <= ResultBuffer::kMost);
    only_ = {op.schema().name(), {&op}};
  });
}
const BoundOverload& NamedOverload::find() const {
  auto made = std::make_unique<BoundOverload>(name_);
  const BoundOverload* known = nullptr;
  return found_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel) ? *made.release()
                                                                                      : *known;  // another thread was first
}
ResultBuffer BoundOverload::call(std::span<IValue> args) const {
  return translated([&] {
    const Operator& op = *only_.overloads[0];
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < args.size(); ++i) {
      if (arguments[i].type.is(ir::TypeKind::Tensor) && args[i].is_tensor()) continue;
      IValue converted;
      if (!convertible(args[i], arguments[i], converted)) {
        Bound bound;
        bind(only_, args, {}, bound, {.in_order = true});  // throws the same error as for any other caller
      }
      args[i] = std::move(converted);
    }
    ResultBuffer results;
    monograph::call(op, args.data(), results.values);
    return results;
  });
}
ResultBuffer with_options(ResultBuffer results, const Options& options) {
  if (options.requires_grad()) translated([&] { set_requires_grad(results.values[0].as_tensor(), true); });
  return results;
}

Scalar number_of(const IValue& v) {
  const IValue known = translated([&] { return capture::demand(v, "a number in C++"); });
  if (known.is_bool()) return known.to_bool();
  if (known.is_int()) return known.to_int();
  if (known.is_float()) return known.to_double();
  return known.to_complex();
}
void give(const IValue& v, std::vector<Tensor>& out) { collect(v, out); }
void collect(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor()) out.push_back(Tensor::Access::wrap(v.as_tensor()));
  else if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) collect(item, out);
  else if (symbolic_value(v))
    for (const IValue& item : capture::unpacked(v, ListLength::expected)) collect(item, out);
  else if (!v.is_none()) throw TypeError(monograph::concat("expected a tensor, or a list or tuple of tensors, but got a ", describe(v)));
}

std::string_view to_string(Dtype dtype) { return name(inner(dtype)); }
size_t elementSize(Dtype dtype) { return static_cast<size_t>(monograph::element_size(inner(dtype))); }
Device::Device(const std::string& text) : type_(DeviceType::CPU), index_(-1) {
  monograph::Device parsed;
  if (!parse_device(text, parsed) || (!holds_tensors(parsed) && parsed.type != monograph::DeviceType::Cuda))
    throw RuntimeError(monograph::concat("Invalid device string: '", text, "'; devices are cpu, meta and cuda"));
  *this = outer(parsed);
}
std::string Device::str() const { return monograph::to_string(inner(*this)); }

Generator::Generator(uint64_t seed) {
  Ref<GeneratorBox> box(new GeneratorBox(seed));
  GeneratorBox* held = box.get();
  impl_ = std::shared_ptr<void>(held, [box](void*) {});
}
Generator& Generator::manual_seed(uint64_t seed) {
  Access::of(*this).generator.manual_seed(seed);
  return *this;
}
void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

bool Tensor::is_symbolic() const { return Access::of(*this)->kind == TensorImpl::Kind::Symbolic; }
Sizes Tensor::sizes() const {
  const monograph::Tensor& t = Access::dense(*this, "sizes");
  Dims s = t.sizes();
  for (size_t d = 0; is_traced(t) && d < s.size(); ++d) s[d] = guarded("aten::sym_size.int", {t, static_cast<int64_t>(d)}).to_int();
  return Sizes(s.begin(), s.end());
}
Sizes Tensor::strides() const {
  const monograph::Tensor& t = Access::dense(*this, "strides");
  Dims s = t.strides();
  for (size_t d = 0; is_traced(t) && d < s.size(); ++d) s[d] = guarded("aten::stride.int", {t, static_cast<int64_t>(d)}).to_int();
  return Sizes(s.begin(), s.end());
}
int64_t Tensor::stride(Int dim) const {
  const monograph::Tensor& t = Access::dense(*this, "strides");
  return translated(
      [&] { return is_traced(t) ? guarded("aten::stride.int", {t, dim.value}).to_int() : t.strides()[place_of_dim(t, dim.value)]; });
}
int64_t Tensor::size(Int dim) const {
  const monograph::Tensor& t = Access::dense(*this, "sizes");
  return translated(
      [&] { return is_traced(t) ? guarded("aten::sym_size.int", {t, dim.value}).to_int() : t.sizes()[place_of_dim(t, dim.value)]; });
}
int64_t Tensor::storage_offset() const {
  const monograph::Tensor& t = Access::dense(*this, "storage");
  return is_traced(t) ? guarded("aten::storage_offset", {t}).to_int() : t->offset;
}
int64_t Tensor::dim() const { return Access::dense(*this, "number of dims").dim(); }
int64_t Tensor::numel() const {
  const monograph::Tensor& t = Access::dense(*this, "number of elements");
  return is_traced(t) ? guarded("aten::sym_numel", {t}).to_int() : t.numel();
}
Dtype Tensor::dtype() const { return static_cast<Dtype>(Access::of(*this).dtype()); }
Device Tensor::device() const { return api::outer(Access::of(*this).device()); }
bool Tensor::is_floating_point() const { return is_floating(Access::of(*this).dtype()); }
bool Tensor::is_complex() const { return monograph::is_complex(Access::of(*this).dtype()); }
size_t Tensor::nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
size_t Tensor::element_size() const { return static_cast<size_t>(monograph::element_size(Access::of(*this).dtype())); }
Tensor Tensor::to(Device device, Flag non_blocking, Flag copy) const {
  return to(std::optional<Device>(device), std::nullopt, non_blocking, copy);
}
void Tensor::set_data(const Tensor& source) const {
  translated([&] { monograph::set_data(unwrap(*this), unwrap(source)); });
}
bool Tensor::is_contiguous() const {
  const monograph::Tensor& t = Access::dense(*this, "strides");
  return is_traced(t) ? guarded("aten::is_contiguous.memory_format", {t, monograph::MemoryFormat::Contiguous}).to_bool()
                      : t.is_contiguous();
}
bool Tensor::is_same(const Tensor& other) const {
  return defined() && other.defined() ? unwrap(*this).is_same(unwrap(other)) : defined() == other.defined();
}

std::vector<double> Tensor::values() const {
  const monograph::Tensor& t = Access::dense(*this, "data");
  refuse_elements(t, "values");
  return translated([&] {
    MONOGRAPH_CHECK(!t.is_meta(), NotImplemented, "values: a tensor on the meta device has no data");
    MONOGRAPH_CHECK(!monograph::is_complex(t.dtype()), Type,
                    "values() returns doubles, and these are complex numbers; use data<std::complex<float>>()");
    GradModeScope no_grad(false);
    monograph::Tensor d = monograph::contiguous(t.dtype() == DType::f64 ? t : convert_tensor(t, DType::f64));
    return std::vector<double>(d.data_as<double>(), d.data_as<double>() + d.numel());
  });
}
void* Tensor::bytes(Dtype elements, bool write, bool contiguous) const {
  const monograph::Tensor& t = Access::dense(*this, "data");
  refuse_elements(t, "data");
  return translated([&]() -> void* {
    MONOGRAPH_CHECK(!t.is_meta(), NotImplemented, "data: a tensor on the meta device has no data");
    MONOGRAPH_CHECK(t.dtype() == api::inner(elements), Type, "data<T>: the tensor is ", name(t.dtype()), ", but T is ",
                    name(api::inner(elements)), "; convert the tensor first, with to(dtype)");
    MONOGRAPH_CHECK(!contiguous || t.is_contiguous(), Runtime, "data: the tensor is not contiguous; use contiguous() first");
    if (write) t.check_writable("mutable_data"), t.bump_version();
    return t.data();
  });
}
void Tensor::check_dims(size_t expected) const {
  if (static_cast<size_t>(dim()) != expected)
    throw RuntimeError(monograph::concat("TensorAccessor expected ", expected, " dims but tensor has ", dim()));
}
Tensor& Tensor::operator=(const Tensor& source) && {
  if (this != &source) copy_(source);
  return *this;
}
Tensor& Tensor::operator=(const Scalar& value) && {
  fill_(value);
  return *this;
}
Scalar Tensor::item() const {
  const monograph::Tensor& t = Access::dense(*this, "data");
  return translated([&] {
    MONOGRAPH_CHECK(!t.is_meta(), NotImplemented, "item: a tensor on the meta device has no data");
    return number_of(is_traced(t) ? guarded("aten::item", {t}) : [&] {
      MONOGRAPH_CHECK(t.numel() == 1, Runtime, "a Tensor with ", t.numel(),
                      " elements cannot be converted to Scalar; take one element first, for example x[0]");
      return first_number(t);
    }());
  });
}
Tensor Tensor::operator[](Int index) const { return select(0, index); }

bool Tensor::requires_grad() const {
  const monograph::Tensor& t = unwrap(*this);
  if (!is_traced(t) || capture::requires_grad_in_every_run(t)) return t.requires_grad();
  const IValue known = translated([&] { return capture::demand(capture::asked_requires_grad(t), "requires_grad() in C++"); });
  return !known.is_bool() || known.to_bool();
}
const Tensor& Tensor::requires_grad_(bool on) const {
  translated([&] { monograph::set_requires_grad(unwrap(*this), on); });
  return *this;
}
bool Tensor::is_leaf() const {
  const monograph::Tensor& t = unwrap(*this);
  if (!is_traced(t)) return monograph::is_leaf(t);
  if (requires_grad())
    throw RuntimeError(
        "is_leaf: whether a traced tensor that requires grad is a leaf is decided outside of the graph, and each run would have the answer "
        "of the example; ask before the capture");
  return true;
}
Tensor Tensor::grad() const {
  const GradMeta* meta = find_grad_meta(unwrap(*this));
  return meta ? Access::wrap(meta->grad) : Tensor();
}
void Tensor::set_grad(const Tensor& grad) const {
  translated([&] {
    const monograph::Tensor& t = unwrap(*this);
    MONOGRAPH_CHECK(!grad.defined() || unwrap(grad).sizes() == t.sizes(), Runtime, "set_grad: expected a gradient of sizes ",
                    monograph::to_string(t.sizes()), ", but got one of sizes ", monograph::to_string(unwrap(grad).sizes()));
    MONOGRAPH_CHECK(!grad.defined() || unwrap(grad).dtype() == t.dtype(), Runtime, "set_grad: expected a gradient of dtype ",
                    name(t.dtype()), ", but got one of dtype ", name(unwrap(grad).dtype()));
    grad_meta(t).grad = grad.defined() ? unwrap(grad) : monograph::Tensor();
  });
}
void Tensor::retain_grad() const {
  translated([&] { monograph::retain_grad(unwrap(*this)); });
}
void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph) const {
  translated([&] {
    const monograph::Tensor root = unwrap(*this), seed = gradient.defined() ? unwrap(gradient) : monograph::Tensor();
    monograph::backward({&root, 1}, {&seed, 1}, {retain_graph.value_or(create_graph), create_graph});
  });
}

std::vector<Tensor> autograd::grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& grad_outputs, std::optional<bool> retain_graph, bool create_graph,
                                   bool allow_unused) {
  return translated([&] {
    std::vector<monograph::Tensor> seeds = unwrap_or_undefined(grad_outputs);
    MONOGRAPH_CHECK(seeds.empty() || seeds.size() == outputs.size(), Runtime, "autograd::grad: expected a gradient for each of the ",
                    outputs.size(), " outputs, but got ", seeds.size());
    seeds.resize(outputs.size());
    std::vector<Tensor> out;
    for (const monograph::Tensor& g : gradients(unwrap_or_undefined(outputs), seeds, unwrap_or_undefined(inputs),
                                                {retain_graph.value_or(create_graph), create_graph}, allow_unused))
      out.push_back(Tensor::Access::wrap(g));
    return out;
  });
}
void set_grad_enabled(bool on) { dispatch_state().grad_enabled = on; }
InferenceMode::InferenceMode(bool on) : inference_(inference_mode()), grad_(is_grad_enabled()) {
  set_inference_mode(on);
  set_grad_enabled(!on);
}
InferenceMode::~InferenceMode() {
  set_inference_mode(inference_);
  set_grad_enabled(grad_);
}
bool InferenceMode::is_enabled() { return inference_mode(); }
void set_num_threads(int count) {
  translated([&] {
    MONOGRAPH_CHECK(count > 0, Runtime, "set_num_threads: expected a positive number of threads, but got ", count);
    monograph::set_num_threads(count);
  });
}
int get_num_threads() {
  return translated([] { return monograph::num_threads(); });
}
NoGradGuard::NoGradGuard() : saved_(std::exchange(dispatch_state().grad_enabled, false)) {}
NoGradGuard::~NoGradGuard() { dispatch_state().grad_enabled = saved_; }
bool is_grad_enabled() { return dispatch_state().grad_enabled; }

Results call(std::string_view op, std::vector<Value> args) {
  return translated([&] {
    std::vector<IValue> given;
    for (const Value& v : args)
      given.push_back(std::visit(
          [](const auto& x) -> IValue {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<T, std::monostate>) return {};
            else if constexpr (std::is_same_v<T, std::vector<int64_t>>) return Dims(std::span<const int64_t>(x));
            else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, const char*> || std::is_same_v<T, std::complex<double>>)
              return x;
            else return value(x);
          },
          v));
    Bound bound;
    const Operator& chosen = bind(find_overloads(op), given, {}, bound, {.in_order = true});
    std::vector<IValue> out(std::max<size_t>(1, chosen.schema().returns().size()));
    monograph::call(chosen, bound.data(), out.data());
    Results results;
    for (const IValue& v : out) collect(v, results.all);
    return results;
  });
}

Dtype default_dtype() { return static_cast<Dtype>(monograph::default_dtype()); }
void set_default_dtype(Dtype dtype) {
  translated([&] { monograph::set_default_dtype(inner(dtype)); });
}

Tensor tensor_of(const void* elements, Dtype dtype, size_t count, const Ints& sizes, const Options& options) {
  return translated([&] {
    const auto numel = static_cast<size_t>(product(sizes.values()));
    MONOGRAPH_CHECK(numel == count, Value, "tensor: ", count, " values do not fill ", numel, " elements of sizes ",
                    monograph::to_string(sizes.values()));
    monograph::Tensor made = empty(std::span<const int64_t>(sizes.values()), inner(dtype));
    std::copy_n(static_cast<const char*>(elements), made.nbytes(), made.data());
    const DType wanted = options.dtype() ? inner(*options.dtype()) : inner(dtype);
    if (wanted != inner(dtype)) made = convert_tensor(made, wanted);
    Tensor out = Tensor::Access::wrap(made);
    if (options.device() == kMeta) out = out.to(Options().device(kMeta));
    return options.requires_grad() ? out.requires_grad_() : out;
  });
}
Tensor tensor(const Scalar& value, const Options& options) {
  return std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        return tensor_of(&v, dtype_of<T>(), 1, Ints({}), options_of_numbers<T>(options));
      },
      value.variant());
}
namespace {

// The caller's function that releases the memory of from_blob, and its argument.
struct BorrowedMemory {
  std::function<void(void*)> deleter;
  void* data;
};
void give_back(void* context) {
  const std::unique_ptr<BorrowedMemory> lent(static_cast<BorrowedMemory*>(context));
  lent->deleter(lent->data);
}

Tensor blob(void* data, const Ints& sizes, const std::vector<int64_t>* strides, Dtype dtype, void (*release)(void*), void* context) {
  return translated([&] {
    const bool empty = std::ranges::find(sizes.values(), int64_t{0}) != sizes.values().end();
    MONOGRAPH_CHECK(data || empty, Value, "from_blob: expected a pointer to the tensor's elements, but got nullptr");
    MONOGRAPH_CHECK(!strides || strides->size() == sizes.values().size(), Value, "from_blob: expected a stride for each of the ",
                    sizes.values().size(), " sizes, but got ", strides->size());
    for (size_t d = 0; strides && d < strides->size(); ++d)
      MONOGRAPH_CHECK((*strides)[d] >= 0, Value, "from_blob: the stride of dim ", d, " is ", (*strides)[d],
                      ", but strides are not negative");
    return Tensor::Access::wrap(
        monograph::from_blob(data, sizes.values(), strides ? Dims(std::span<const int64_t>(*strides)) : contiguous_strides(sizes.values()),
                             inner(dtype), release, context));
  });
}
Tensor blob(void* data, const Ints& sizes, const std::vector<int64_t>* strides, const std::function<void(void*)>& deleter,
            const Options& options) {
  if (options.device() && !options.device()->is_cpu())
    throw RuntimeError(monograph::concat("from_blob: the memory is the processor's, but the device is ", options.device()->str()));
  const Dtype dtype = options.dtype().value_or(default_dtype());
  auto lent = deleter ? std::make_unique<BorrowedMemory>(BorrowedMemory{deleter, data}) : nullptr;
  const Tensor made = blob(data, sizes, strides, dtype, lent ? give_back : nullptr, lent.get());
  (void)lent.release();
  return options.requires_grad() ? made.requires_grad_() : made;
}

}  // namespace

Tensor from_blob(void* data, const Ints& sizes, Dtype dtype, void (*release)(void* context), void* context) {
  return blob(data, sizes, nullptr, dtype, release, context);
}
Tensor from_blob(void* data, const Ints& sizes, const Options& options) { return blob(data, sizes, nullptr, {}, options); }
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const Options& options) {
  return blob(data, sizes, &strides.values(), {}, options);
}
Tensor from_blob(void* data, const Ints& sizes, const std::function<void(void*)>& deleter, const Options& options) {
  return blob(data, sizes, nullptr, deleter, options);
}
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const std::function<void(void*)>& deleter, const Options& options) {
  return blob(data, sizes, &strides.values(), deleter, options);
}

uint64_t generated_kernels() { return kernel_count(); }
bool products_are_generated() {
  return generated_matmul_kernels(DType::f32, Isa::v4) != nullptr && generated_convolution_kernels(DType::f32, Isa::v4) != nullptr;
}
std::string why_no_compiler() { return exec::why_no_compiler(); }

MONOGRAPH_API_END

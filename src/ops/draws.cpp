// Random numbers and what is drawn with them. kernels/random.h states how each stream is consumed.
#include "ops/draws.h"

#include "kernels/random.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {

Generator& generator_of(const IValue& v) {
  if (v.is_none()) return default_generator();
  auto* box = dynamic_cast<GeneratorBox*>(v.object());
  MONOGRAPH_CHECK(box, Type, "expected a torch.Generator, but got another object");
  return box->generator;
}

namespace {

constexpr ir::Effects kDraws{ir::Effects::Random, ir::Effects::Random, false, false, false};

StridedView view_of(const Tensor& t) { return {t.dtype(), t.data(), static_cast<int>(t.dim()), t.sizes().data(), t.strides().data()}; }

Tensor fresh(const IValue* args, const Dims& sizes, size_t at, DType otherwise) {
  DType dtype = args[at].is_none() ? otherwise : args[at].to_dtype();
  return empty(sizes, dtype, args[at + 2].is_none() ? Device{} : args[at + 2].to_device());
}

// --- What is known of their results.

// randperm's n is the one size that is no list.
void infer_source(InferCall& c) {
  int size = c.op.schema().index_of("size");
  bool integral = c.op.base_name().starts_with("randint") || size < 0;
  c.made(size < 0 ? Shape(std::vector<Dim>{c.size(0)}) : c.size_list(static_cast<size_t>(size)), integral ? DType::i64 : default_dtype());
}
void infer_like(InferCall& c) { c.made(c.sizes(0), c.dtype(0)); }
void infer_multinomial(InferCall& c) {
  Shape s = c.sizes(0);
  if (s && !s->empty()) s->back() = c.size(1);
  c.tensor(s, DType::i64);
}

// An in-place draw: checks, draws under the generator's lock, counts the write.
template <class F>
void draw_into(const Operator& op, const IValue& self, IValue* out, F&& draw) {
  const Tensor& t = self.as_tensor();
  t.check_writable(op.name());
  if (!t.is_meta()) draw(view_of(t));
  t.bump_version();
  *out = self;
}

}  // namespace

void draws(Registry& r) {
  auto no_gradient = none("its result does not depend on its arguments' elements");
  const char* kTail = ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";
  const char* kTailGenerator =
      ", *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";
  auto text = [](std::string_view head, const char* tail) { return concat(head, tail); };
  auto source = [&](const char* name, const char* overload, const char* args, EvalFn plain, EvalFn with_generator, const char* onnx,
                    const char* doc) {
    std::string g = concat(name, ".", *overload ? concat(overload, "_generator") : "generator", args);
    std::string p = concat(name, *overload ? "." : "", overload, args);
    auto b = r.op(text(p, kTail).c_str()).eval(plain).infer(infer_source).function_only().effects(kDraws).gradient(no_gradient).doc(doc);
    onnx ? b.onnx(onnx) : b.onnx(none("ONNX draws floats only"));
    r.op(text(g, kTailGenerator).c_str())
        .eval(with_generator)
        .infer(infer_source)
        .function_only()
        .effects(kDraws)
        .gradient(no_gradient)
        .onnx(none("a Generator has no counterpart"))
        .doc(doc);
  };
  source(
      "rand", "", "(SymInt[] size",
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[0].to_ints(), 1, default_dtype());
        if (!t.is_meta()) uniform_(view_of(t), 0, 1, default_generator());
        out[0] = t;
      },
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[0].to_ints(), 2, default_dtype());
        if (!t.is_meta()) uniform_(view_of(t), 0, 1, generator_of(a[1]));
        out[0] = t;
      },
      "RandomUniform(shape=size)", "Uniform numbers in [0, 1).");
  source(
      "randn", "", "(SymInt[] size",
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[0].to_ints(), 1, default_dtype());
        if (!t.is_meta()) normal_(view_of(t), 0, 1, default_generator());
        out[0] = t;
      },
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[0].to_ints(), 2, default_dtype());
        if (!t.is_meta()) normal_(view_of(t), 0, 1, generator_of(a[1]));
        out[0] = t;
      },
      "RandomNormal(shape=size)", "Normal numbers of mean 0 and deviation 1.");
  source(
      "randint", "low", "(SymInt low, SymInt high, SymInt[] size",
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[2].to_ints(), 3, DType::i64);
        if (!t.is_meta()) random_(view_of(t), a[0].to_int(), a[1].to_int(), default_generator());
        out[0] = t;
      },
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[2].to_ints(), 4, DType::i64);
        if (!t.is_meta()) random_(view_of(t), a[0].to_int(), a[1].to_int(), generator_of(a[3]));
        out[0] = t;
      },
      nullptr, "Integers from `low` to below `high`.");
  source(
      "randint", "", "(SymInt high, SymInt[] size",
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[1].to_ints(), 2, DType::i64);
        if (!t.is_meta()) random_(view_of(t), 0, a[0].to_int(), default_generator());
        out[0] = t;
      },
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, a[1].to_ints(), 3, DType::i64);
        if (!t.is_meta()) random_(view_of(t), 0, a[0].to_int(), generator_of(a[2]));
        out[0] = t;
      },
      nullptr, "Integers from 0 to below `high`.");
  source(
      "randperm", "", "(SymInt n",
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, Dims{a[0].to_int()}, 1, DType::i64);
        if (!t.is_meta()) randperm(view_of(t), default_generator());
        out[0] = t;
      },
      [](const Operator&, const IValue* a, IValue* out) {
        Tensor t = fresh(a, Dims{a[0].to_int()}, 2, DType::i64);
        if (!t.is_meta()) randperm(view_of(t), generator_of(a[1]));
        out[0] = t;
      },
      nullptr, "The numbers below `n` in random order.");
  const char* kLike =
      ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> "
      "Tensor";
  auto like = [&](const char* head, const char* doc, EvalFn eval) {
    r.op(text(head, kLike).c_str())
        .eval(eval)
        .infer(infer_like)
        .function_only()
        .effects(kDraws)
        .gradient(no_gradient)
        .onnx(none("draws like a tensor have no operator for all three distributions"))
        .doc(doc);
  };
  like("rand_like(Tensor self", "Uniform numbers in [0, 1), like `self`.", [](const Operator&, const IValue* a, IValue* out) {
    Tensor t = empty_like(a[0].as_tensor(), a[1].is_none() ? a[0].as_tensor().dtype() : a[1].to_dtype());
    if (!t.is_meta()) uniform_(view_of(t), 0, 1, default_generator());
    out[0] = t;
  });
  like("randn_like(Tensor self", "Normal numbers like `self`.", [](const Operator&, const IValue* a, IValue* out) {
    Tensor t = empty_like(a[0].as_tensor(), a[1].is_none() ? a[0].as_tensor().dtype() : a[1].to_dtype());
    if (!t.is_meta()) normal_(view_of(t), 0, 1, default_generator());
    out[0] = t;
  });
  like("randint_like.low_dtype(Tensor self, SymInt low, SymInt high", "Integers from `low` to below `high`, like `self`.",
       [](const Operator&, const IValue* a, IValue* out) {
         Tensor t = empty_like(a[0].as_tensor(), a[3].is_none() ? a[0].as_tensor().dtype() : a[3].to_dtype());
         if (!t.is_meta()) random_(view_of(t), a[1].to_int(), a[2].to_int(), default_generator());
         out[0] = t;
       });

  auto inplace = [&](const char* schema, EvalFn eval, const char* doc) {
    r.op(schema)
        .eval(eval)
        .infer(infer_like)
        .method_only()
        .effects(kDraws)
        .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
        .onnx(none("writes in place; export the functional form"))
        .doc(doc);
  };
  inplace(
      "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        draw_into(op, a[0], out, [&](StridedView v) { uniform_(v, a[1].to_double(), a[2].to_double(), generator_of(a[3])); });
      },
      "Uniform numbers in [from, to).");
  inplace(
      "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        draw_into(op, a[0], out, [&](StridedView v) { normal_(v, a[1].to_double(), a[2].to_double(), generator_of(a[3])); });
      },
      "Normal numbers of this mean and deviation.");
  inplace(
      "exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        draw_into(op, a[0], out, [&](StridedView v) { exponential_(v, a[1].to_double(), generator_of(a[2])); });
      },
      "Exponential numbers of this rate.");
  inplace(
      "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        draw_into(op, a[0], out, [&](StridedView v) { random_(v, generator_of(a[1])); });
      },
      "Integers over the dtype's whole range of exact ones.");
  inplace(
      "random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        std::optional<int64_t> to;
        if (!a[2].is_none()) to = a[2].to_int();
        draw_into(op, a[0], out, [&](StridedView v) { random_(v, a[1].to_int(), to, generator_of(a[3])); });
      },
      "Integers from `from` to below `to`.");
  inplace(
      "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
      [](const Operator& op, const IValue* a, IValue* out) {
        draw_into(op, a[0], out, [&](StridedView v) { bernoulli_(v, a[1].to_double(), generator_of(a[2])); });
      },
      "1 with probability p, else 0.");
  r.op("bernoulli(Tensor self, *, Generator? generator=None) -> Tensor")
      .infer(infer_like)
      .effects(kDraws)
      .gradient(none("its result is a draw"))
      .onnx("Bernoulli(self) if generator ~ None")
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Tensor t = empty_like(a[0].as_tensor(), a[0].as_tensor().dtype());
        if (!t.is_meta()) bernoulli_(view_of(t), view_of(a[0].as_tensor()), generator_of(a[1]));
        out[0] = t;
      })
      .doc("1 with the probability that each element states, else 0.");
  r.op("multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor")
      .infer(infer_multinomial)
      .effects(kDraws)
      .gradient(none("its result is an index"))
      .onnx(none("its draws are of another type and order"))
      .eval([](const Operator& op, const IValue* a, IValue* out) {
        const Tensor& p = a[0].as_tensor();
        MONOGRAPH_CHECK(p.dim() == 1 || p.dim() == 2, Runtime, "[", op.name(), "] prob_dist must be 1 or 2 dim, but it has ", p.dim());
        Dims sizes = p.sizes();
        sizes[sizes.size() - 1] = a[1].to_int();
        Tensor t = empty(sizes, DType::i64);
        multinomial(view_of(t), view_of(p), a[1].to_int(), a[2].to_bool(), generator_of(a[3]));
        out[0] = t;
      })
      .doc("Indices drawn with the probabilities of each row.");
  r.op("dropout(Tensor input, float p, bool train) -> Tensor")
      .infer(infer_like)
      .function_only()
      .namespaced("_nn")
      .effects(kDraws)
      .onnx("out: Identity(input) if train = False, p ~ 0.5")
      .decompose([](const IValue* a) -> IValue {
        double p = a[1].to_double();
        MONOGRAPH_CHECK(p >= 0 && p <= 1, Value, "dropout probability has to be between 0 and 1, but got ", p);
        if (!a[2].to_bool() || p == 0 || a[0].to_tensor().numel() == 0) return a[0];
        if (p == 1) return "mul"_op(a[0], "zeros_like"_op(a[0]));
        Tensor noise = "bernoulli_"_op("empty_like"_op(a[0]), 1 - p);
        return "mul"_op(a[0], "div_"_op(noise, 1 - p));
      })
      .doc("In training, zero with probability p and scaled by 1 / (1 - p) otherwise; else the input.");
}

}  // namespace monograph

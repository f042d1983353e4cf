// Emits the kernels of convolutions (kernels/convolution.h). A kernel of r rows of weights and v vectors of neighbouring outputs keeps its accumulators in
// registers from the first link to the last. Each link loads its vectors at its own offset, so that no image is unfolded. The other two kinds of
// kernels have vectors along the channels: for depthwise convolutions, and for many output channels.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>
#include <mutex>

#include "codegen/convolution.h"
#include "codegen/jit.h"
#include "codegen/target.h"
#include "core/error.h"

namespace monograph {

namespace {

using llvm::Value;

constexpr unsigned kRowsABase = 3;  // rows of weights that one pointer and one stride address: at 0, 1 and 2 strides
constexpr unsigned kPanelVectors = 2;  // vectors of a panel of a channel kernel

struct OutputBlock {
  DType type;  // f32 or f64
  Isa isa;  // v3 or v4
  unsigned rows, vectors;
};

unsigned vector_bytes(Isa isa) { return isa == Isa::v4 ? 64 : 32; }

// Declares a kernel of this name for an instruction set; its body is empty.
llvm::Function* kernel_function(llvm::Module& module, llvm::IRBuilder<>& b, Isa isa, const std::string& name,
                                std::initializer_list<llvm::Type*> arguments) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), llvm::ArrayRef<llvm::Type*>(arguments.begin(), arguments.size()), false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  const std::string_view cpu = monograph::name(isa);
  function->addFnAttr("target-cpu", llvm::StringRef(cpu.data(), cpu.size()));
  if (isa == Isa::v4) {  // LLVM's tuning for v4 would split vectors of 64 bytes
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
  }
  function->addFnAttr("denormal-fp-math", "dynamic,dynamic");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return function;
}

class ConvolutionEmitter {
 public:
  ConvolutionEmitter(llvm::Module& module, const OutputBlock& block, const std::string& name)
      : module_(module),
        block_(block),
        b_(module.getContext()),
        element_(block.type == DType::f64 ? b_.getDoubleTy() : b_.getFloatTy()),
        bytes_(static_cast<unsigned>(element_size(block.type))),
        lanes_(vector_bytes(block.isa) / bytes_),
        vector_(llvm::FixedVectorType::get(element_, lanes_)) {
    declare(name);
  }

  llvm::Function* emit() {
    b_.SetInsertPoint(append("entry"));
    twice_ = b_.CreateShl(weight_row_, 1);
    Place at{{}, offsets_};
    for (unsigned r = 0; r < block_.rows; r += kRowsABase) at.weights.push_back(offset(weight_, b_.CreateMul(weight_row_, b_.getInt64(r))));
    Accumulators acc = initial();
    loop(at, acc);
    store(acc);
    b_.CreateRetVoid();
    if (llvm::verifyFunction(*function_, &llvm::errs())) throw InternalError("the convolution kernel does not verify");
    return function_;
  }

 private:
  using Accumulators = std::vector<Value*>;  // [row * vectors + vector]
  // The position of the next link: its weights (a pointer for every kRowsABase rows) and its offset.
  struct Place {
    std::vector<Value*> weights;
    Value* offset;
  };

  void declare(const std::string& name) {
    llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
    function_ = kernel_function(module_, b_, block_.isa, name, {i64, ptr, i64, ptr, ptr, ptr, i64, i64, ptr, i64});
    auto argument = function_->arg_begin();
    for (Value** v : {&links_, &weight_, &weight_row_, &image_, &offsets_, &out_, &out_row_, &n_, &bias_, &accumulate_}) *v = &*argument++;
  }

  llvm::BasicBlock* append(const char* name) { return llvm::BasicBlock::Create(module_.getContext(), name, function_); }
  Value* offset(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  llvm::Align align() const { return llvm::Align(bytes_); }
  Value* out_at(size_t i) {
    Value* row = offset(out_, b_.CreateMul(out_row_, b_.getInt64(i / block_.vectors)));
    return offset(row, b_.getInt64(i % block_.vectors * lanes_ * bytes_));
  }

  // A mask of the lanes of vector v that are below output n.
  Value* mask(size_t v) {
    std::vector<llvm::Constant*> index;
    auto* type = b_.getIntNTy(8 * bytes_);
    for (unsigned l = 0; l < lanes_; ++l) index.push_back(llvm::ConstantInt::get(type, v * lanes_ + l));
    return b_.CreateICmpSLT(llvm::ConstantVector::get(index), b_.CreateVectorSplat(lanes_, b_.CreateTrunc(n_, type)));
  }

  // The initial accumulators: zeros, or the elements of `out`.
  Accumulators initial() {
    const size_t count = static_cast<size_t>(block_.rows) * block_.vectors;
    llvm::Constant* zero = llvm::Constant::getNullValue(vector_);
    Accumulators acc(count);
    auto *from = b_.GetInsertBlock(), *resume = append("resume"), *begin = append("begin");
    b_.CreateCondBr(b_.CreateICmpNE(accumulate_, b_.getInt64(0)), resume, begin);
    b_.SetInsertPoint(resume);
    for (size_t i = 0; i < count; ++i) acc[i] = b_.CreateMaskedLoad(vector_, out_at(i), align(), mask(i % block_.vectors), zero);
    b_.CreateBr(begin);
    b_.SetInsertPoint(begin);
    for (Value*& value : acc) {
      auto* phi = b_.CreatePHI(vector_, 2);
      phi->addIncoming(zero, from), phi->addIncoming(value, resume);
      value = phi;
    }
    return acc;
  }

  void store(Accumulators& acc) {
    for (size_t i = 0; i < acc.size(); ++i) {
      Value* at = b_.CreateGEP(element_, bias_, b_.getInt64(i / block_.vectors));
      acc[i] = b_.CreateFAdd(acc[i], b_.CreateVectorSplat(lanes_, b_.CreateAlignedLoad(element_, at, align())));
    }
    auto *full = append("full"), *part = append("part"), *end = append("end");
    b_.CreateCondBr(b_.CreateICmpSGE(n_, b_.getInt64(block_.vectors * lanes_)), full, part);
    b_.SetInsertPoint(full);
    for (size_t i = 0; i < acc.size(); ++i) b_.CreateAlignedStore(acc[i], out_at(i), align());
    b_.CreateBr(end);
    b_.SetInsertPoint(part);
    for (size_t i = 0; i < acc.size(); ++i) b_.CreateMaskedStore(acc[i], out_at(i), align(), mask(i % block_.vectors));
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
  }

  // One link in each iteration. With several, LLVM would load all weights at once, and spill accumulators.
  void loop(const Place& at, Accumulators& acc) {
    auto *before = b_.GetInsertBlock(), *body = append("links"), *after = append("after");
    b_.CreateCondBr(b_.CreateICmpEQ(links_, b_.getInt64(0)), after, body);
    b_.SetInsertPoint(body);
    std::vector<Value*> begin{links_, at.offset};
    begin.insert(begin.end(), at.weights.begin(), at.weights.end());
    begin.insert(begin.end(), acc.begin(), acc.end());
    std::vector<llvm::PHINode*> phis;
    for (Value* value : begin) phis.push_back(b_.CreatePHI(value->getType(), 2)), phis.back()->addIncoming(value, before);
    const size_t first_weight = 2, first_acc = first_weight + at.weights.size();
    std::vector<Value*> values(phis.begin(), phis.end());
    link(values[1], values.data() + first_weight, values.data() + first_acc);
    values[0] = b_.CreateSub(values[0], b_.getInt64(1));
    values[1] = offset(values[1], b_.getInt64(sizeof(int32_t)));
    for (size_t w = first_weight; w < first_acc; ++w) values[w] = offset(values[w], b_.getInt64(bytes_));
    for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(values[i], body);
    b_.CreateCondBr(b_.CreateICmpEQ(values[0], b_.getInt64(0)), after, body);
    b_.SetInsertPoint(after);
    for (size_t i = 0; i < acc.size(); ++i) {
      auto* phi = b_.CreatePHI(vector_, 2);
      phi->addIncoming(acc[i], before), phi->addIncoming(values[first_acc + i], body);
      acc[i] = phi;
    }
  }

  // acc[r, v] = fma(weight[r], image[offset][v], acc[r, v]).
  void link(Value* offset_at, Value* const* weights, Value** acc) {
    Value* distance = b_.CreateAlignedLoad(b_.getInt32Ty(), offset_at, llvm::Align(4));
    Value* from = offset(image_, b_.CreateSExt(distance, b_.getInt64Ty()));
    std::vector<Value*> row;
    for (unsigned v = 0; v < block_.vectors; ++v)
      row.push_back(b_.CreateAlignedLoad(vector_, offset(from, b_.getInt64(v * lanes_ * bytes_)), align()));
    for (unsigned r = 0; r < block_.rows; ++r) {
      Value* base = weights[r / kRowsABase];
      if (r % kRowsABase) base = offset(base, r % kRowsABase == 1 ? weight_row_ : twice_);
      Value* weight = b_.CreateVectorSplat(lanes_, b_.CreateAlignedLoad(element_, base, align()));
      for (unsigned v = 0; v < block_.vectors; ++v) {
        Value*& sum = acc[r * block_.vectors + v];
        sum = b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {weight, row[v], sum});
      }
    }
  }

  llvm::Module& module_;
  OutputBlock block_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  unsigned bytes_, lanes_;
  llvm::FixedVectorType* vector_;
  llvm::Function* function_ = nullptr;
  Value *links_, *weight_, *weight_row_, *image_, *offsets_, *out_, *out_row_, *n_, *bias_, *accumulate_;
  Value* twice_ = nullptr;  // twice weight_row_
};

// The depthwise kernel: a vector holds the channels of one pixel; it computes `outputs` neighbouring pixels.
class DepthwiseEmitter {
 public:
  DepthwiseEmitter(llvm::Module& module, DType type, Isa isa, unsigned outputs, const std::string& name)
      : b_(module.getContext()),
        outputs_(outputs),
        element_bytes_(static_cast<unsigned>(element_size(type))),
        vector_(llvm::FixedVectorType::get(type == DType::f64 ? b_.getDoubleTy() : b_.getFloatTy(), vector_bytes(isa) / element_bytes_)) {
    llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
    function_ = kernel_function(module, b_, isa, name, {i64, ptr, ptr, ptr, i64, ptr, ptr, i64});
    auto argument = function_->arg_begin();
    for (Value** v : {&links_, &weight_, &image_, &offsets_, &step_, &out_, &bias_, &accumulate_}) *v = &*argument++;
  }

  llvm::Function* emit() {
    auto *entry = append("entry"), *resume = append("resume"), *body = append("links"), *after = append("after");
    b_.SetInsertPoint(entry);
    b_.CreateCondBr(b_.CreateICmpNE(accumulate_, b_.getInt64(0)), resume, body);
    b_.SetInsertPoint(resume);
    std::vector<Value*> held;
    for (unsigned x = 0; x < outputs_; ++x) held.push_back(load(offset(out_, b_.getInt64(x * bytes()))));
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    auto phi_of = [&](Value* begin, Value* resumed) {
      auto* p = b_.CreatePHI(begin->getType(), 3);
      p->addIncoming(begin, entry), p->addIncoming(resumed, resume);
      return p;
    };
    auto phi = [&](Value* begin) { return phi_of(begin, begin); };
    llvm::PHINode *links = phi(links_), *weight = phi(weight_), *offset_at = phi(offsets_);
    std::vector<llvm::PHINode*> acc;
    for (unsigned x = 0; x < outputs_; ++x) acc.push_back(phi_of(llvm::Constant::getNullValue(vector_), held[x]));
    Value* distance = b_.CreateSExt(b_.CreateAlignedLoad(b_.getInt32Ty(), offset_at, llvm::Align(4)), b_.getInt64Ty());
    Value *from = offset(image_, distance), *factor = load(weight);
    std::vector<Value*> sums;
    for (unsigned x = 0; x < outputs_; ++x) {
      sums.push_back(b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {factor, load(from), acc[x]}));
      from = offset(from, step_);
    }
    Value* left = b_.CreateSub(links, b_.getInt64(1));
    links->addIncoming(left, body);
    weight->addIncoming(offset(weight, b_.getInt64(bytes())), body);
    offset_at->addIncoming(offset(offset_at, b_.getInt64(sizeof(int32_t))), body);
    for (unsigned x = 0; x < outputs_; ++x) acc[x]->addIncoming(sums[x], body);
    b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt64(0)), after, body);
    b_.SetInsertPoint(after);
    Value* bias = load(bias_);
    for (unsigned x = 0; x < outputs_; ++x)
      b_.CreateAlignedStore(b_.CreateFAdd(sums[x], bias), offset(out_, b_.getInt64(x * bytes())), align());
    b_.CreateRetVoid();
    if (llvm::verifyFunction(*function_, &llvm::errs())) throw InternalError("the depthwise kernel does not verify");
    return function_;
  }

 private:
  llvm::BasicBlock* append(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }
  Value* offset(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  Value* load(Value* at) { return b_.CreateAlignedLoad(vector_, at, align()); }
  llvm::Align align() const { return llvm::Align(element_bytes_); }
  unsigned bytes() const { return vector_->getNumElements() * element_bytes_; }

  llvm::IRBuilder<> b_;
  unsigned outputs_, element_bytes_;
  llvm::FixedVectorType* vector_;
  llvm::Function* function_ = nullptr;
  Value *links_, *weight_, *image_, *offsets_, *step_, *out_, *bias_, *accumulate_;
};

// The channel kernel: a panel of kPanelVectors vectors of output channels, at `places` pixels of the image. Each pixel is broadcast.
class ChannelEmitter {
 public:
  ChannelEmitter(llvm::Module& module, DType type, Isa isa, unsigned places, const std::string& name)
      : b_(module.getContext()),
        places_(places),
        element_(type == DType::f64 ? b_.getDoubleTy() : b_.getFloatTy()),
        bytes_(static_cast<unsigned>(element_size(type))),
        vector_(llvm::FixedVectorType::get(element_, vector_bytes(isa) / bytes_)) {
    llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
    function_ = kernel_function(module, b_, isa, name, {i64, ptr, ptr, ptr, i64, ptr, i64, ptr, i64});
    auto argument = function_->arg_begin();
    for (Value** v : {&links_, &weights_, &image_, &at_, &step_, &out_, &out_row_, &bias_, &accumulate_}) *v = &*argument++;
  }

  llvm::Function* emit() {
    auto *entry = append("entry"), *resume = append("resume"), *body = append("links"), *after = append("after");
    const size_t count = static_cast<size_t>(places_) * kPanelVectors;
    b_.SetInsertPoint(entry);
    std::vector<Value*> bases;  // a pointer for every kRowsABase pixels
    for (unsigned r = 0; r < places_; r += kRowsABase) bases.push_back(offset(image_, b_.CreateMul(step_, b_.getInt64(r))));
    b_.CreateCondBr(b_.CreateICmpNE(accumulate_, b_.getInt64(0)), resume, body);
    b_.SetInsertPoint(resume);
    std::vector<Value*> held;
    for (size_t i = 0; i < count; ++i) held.push_back(load(out_at(i)));
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    auto phi_of = [&](Value* begin, Value* resumed) {
      auto* p = b_.CreatePHI(begin->getType(), 3);
      p->addIncoming(begin, entry), p->addIncoming(resumed, resume);
      return p;
    };
    auto phi = [&](Value* begin) { return phi_of(begin, begin); };
    llvm::PHINode *links = phi(links_), *at = phi(at_);
    std::vector<llvm::PHINode*> acc;
    for (size_t i = 0; i < count; ++i) acc.push_back(phi_of(llvm::Constant::getNullValue(vector_), held[i]));
    const std::vector<Value*> sums = link(at, bases, {acc.begin(), acc.end()});
    Value* left = b_.CreateSub(links, b_.getInt64(1));
    links->addIncoming(left, body);
    at->addIncoming(offset(at, b_.getInt64(sizeof(ChannelLink))), body);
    for (size_t i = 0; i < count; ++i) acc[i]->addIncoming(sums[i], body);
    b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt64(0)), after, body);
    b_.SetInsertPoint(after);
    for (size_t i = 0; i < count; ++i) {
      Value* bias = load(offset(bias_, b_.getInt64(i % kPanelVectors * bytes())));
      b_.CreateAlignedStore(b_.CreateFAdd(sums[i], bias), out_at(i), align());
    }
    b_.CreateRetVoid();
    if (llvm::verifyFunction(*function_, &llvm::errs())) throw InternalError("the channel kernel does not verify");
    return function_;
  }

 private:
  llvm::BasicBlock* append(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }
  Value* offset(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  Value* load(Value* at) { return b_.CreateAlignedLoad(vector_, at, align()); }
  llvm::Align align() const { return llvm::Align(bytes_); }
  unsigned bytes() const { return vector_->getNumElements() * bytes_; }
  Value* out_at(size_t i) {
    Value* row = offset(out_, b_.CreateMul(out_row_, b_.getInt64(i / kPanelVectors)));
    return offset(row, b_.getInt64(i % kPanelVectors * bytes()));
  }

  Value* distance_at(Value* at) { return b_.CreateSExt(b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(4)), b_.getInt64Ty()); }

  // acc[r, v] = fma(image[r * step + at.image], weights[at.weight + v], acc[r, v]).
  std::vector<Value*> link(Value* at, const std::vector<Value*>& bases, std::vector<Value*> acc) {
    Value* distance = distance_at(at);
    Value* weights = offset(weights_, distance_at(offset(at, b_.getInt64(offsetof(ChannelLink, weight)))));
    std::vector<Value*> weight;
    for (unsigned v = 0; v < kPanelVectors; ++v) weight.push_back(load(offset(weights, b_.getInt64(v * bytes()))));
    Value* from = nullptr;
    for (unsigned r = 0; r < places_; ++r) {
      from = r % kRowsABase == 0 ? offset(bases[r / kRowsABase], distance) : offset(from, step_);
      Value* pixel = b_.CreateVectorSplat(vector_->getNumElements(), b_.CreateAlignedLoad(element_, from, align()));
      for (unsigned v = 0; v < kPanelVectors; ++v) {
        Value*& sum = acc[r * kPanelVectors + v];
        sum = b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {pixel, weight[v], sum});
      }
    }
    return acc;
  }

  llvm::IRBuilder<> b_;
  unsigned places_;
  llvm::Type* element_;
  unsigned bytes_;
  llvm::FixedVectorType* vector_;
  llvm::Function* function_ = nullptr;
  Value *links_, *weights_, *image_, *at_, *step_, *out_, *out_row_, *bias_, *accumulate_;
};

// 14 pixels of two vectors are 28 accumulators of v4's 32 registers; 6 are 12 of v3's 16. The images of many networks are 7, 14, 28 and 56 wide.
unsigned most_places(Isa isa) { return isa == Isa::v4 ? 14 : 6; }

// 12 rows of two vectors are 24 accumulators of v4's 32 registers; 6 are 12 of v3's 16.
unsigned most_rows(Isa isa) { return isa == Isa::v4 ? 12 : 6; }
constexpr unsigned kNarrowVectors = 2;
unsigned wide_vectors(Isa isa, unsigned rows) {
  const unsigned fit = 2 * most_rows(isa) / rows;
  return fit >= 8 ? 8 : fit >= 4 ? 4 : 2;
}

std::string table_name(DType type, Isa isa) {
  return concat("monograph_convolution_", type == DType::f64 ? "f64" : "f32", "_v", static_cast<int>(isa) + 1);
}

// Emits all kernels of a type and instruction set, and their table.
llvm::GlobalVariable* emit_table(llvm::Module& module, DType type, Isa isa) {
  MONOGRAPH_ASSERT(isa == Isa::v3 || isa == Isa::v4);
  auto& context = module.getContext();
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* ptr = llvm::PointerType::getUnqual(context);
  auto number = [&](auto v) { return llvm::ConstantInt::get(i32, static_cast<uint64_t>(v)); };
  auto array = [](llvm::Type* t, const std::vector<llvm::Constant*>& v) {
    return llvm::ConstantArray::get(llvm::ArrayType::get(t, v.size()), v);
  };
  const unsigned lanes = vector_bytes(isa) / static_cast<unsigned>(element_size(type)), rows = most_rows(isa);
  std::vector<llvm::Constant*> narrow(kMaxConvolutionRows, llvm::ConstantPointerNull::get(ptr)), wide = narrow,
                                                                                                 widths(kMaxConvolutionRows, number(0));
  for (unsigned r = 1; r <= rows; ++r) {
    const unsigned vectors = wide_vectors(isa, r);
    const std::string name = concat(table_name(type, isa), "_", r, "x");
    narrow[r - 1] = ConvolutionEmitter(module, {type, isa, r, kNarrowVectors}, concat(name, kNarrowVectors)).emit();
    wide[r - 1] =
        vectors == kNarrowVectors ? narrow[r - 1] : ConvolutionEmitter(module, {type, isa, r, vectors}, concat(name, vectors)).emit();
    widths[r - 1] = number(vectors * lanes);
  }
  std::vector<llvm::Constant*> depthwise;
  for (unsigned x = 1; x <= kMaxDepthwiseOutputs; ++x)
    depthwise.push_back(DepthwiseEmitter(module, type, isa, x, concat(table_name(type, isa), "_depthwise_", x)).emit());
  std::vector<llvm::Constant*> channels(kMaxPlaces, llvm::ConstantPointerNull::get(ptr));
  for (unsigned r = 1; r <= most_places(isa); ++r)
    channels[r - 1] = ChannelEmitter(module, type, isa, r, concat(table_name(type, isa), "_channels_", r)).emit();
  // The fields have the order of ConvolutionKernels.
  std::vector<llvm::Constant*> head{number(type), number(isa), number(rows), number(kNarrowVectors * lanes)};
  head.push_back(array(i32, widths)), head.push_back(number(lanes));
  head.push_back(number(most_places(isa))), head.push_back(number(kPanelVectors * lanes));
  head.push_back(array(ptr, narrow)), head.push_back(array(ptr, wide)), head.push_back(array(ptr, depthwise)),
      head.push_back(array(ptr, channels));
  auto* value = llvm::ConstantStruct::getAnon(head);
  auto* table = new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::ExternalLinkage, value, table_name(type, isa));
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return table;
}

}  // namespace

std::string convolution_object(std::span<const Isa> isas) {
  const std::unique_ptr<llvm::TargetMachine> machine = target_machine(Isa::v2);
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = new_module(context, "convolution", *machine);
  std::vector<llvm::Constant*> tables;
  for (DType type : {DType::f32, DType::f64})
    for (Isa isa : isas)
      if (isa >= Isa::v3) tables.push_back(emit_table(*module, type, isa));
  auto* list = llvm::ConstantArray::get(llvm::ArrayType::get(llvm::PointerType::getUnqual(context), tables.size()), tables);
  auto* pointers = new llvm::GlobalVariable(*module, list->getType(), true, llvm::GlobalValue::PrivateLinkage, list, "");
  auto* all = llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), tables.size()), pointers});
  (new llvm::GlobalVariable(*module, all->getType(), true, llvm::GlobalValue::ExternalLinkage, all, "monograph_convolution_tables"))
      ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return emit_object(*module, *machine);
}

const ConvolutionKernels& jit_convolution_kernels(DType type, Isa isa) {
  static std::mutex mutex;
  static std::map<std::pair<DType, Isa>, const ConvolutionKernels*> known;
  static Jit* jit = new Jit(Isa::v2);  // never deleted, since the tables are kept until the process ends
  const std::lock_guard lock(mutex);
  const ConvolutionKernels*& found = known[{type, isa}];
  if (!found) {
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine(Isa::v2);
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = new_module(context, "convolution", *machine);
    emit_table(*module, type, isa);
    found = static_cast<const ConvolutionKernels*>(jit->load(emit_object(*module, *machine), table_name(type, isa)));
  }
  return *found;
}

}  // namespace monograph

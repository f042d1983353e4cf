// Whether a tensor that a capture used still holds what it held.
#include "older_tensors.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/storage.h"
#include "tensor.h"

namespace monograph::python {

namespace {

constexpr size_t kFewBytes = 4096;  // are kept, for the message

// The bytes of its storage from the first of its elements to the last: where they begin, and how many.
std::pair<size_t, size_t> extent_of(const Tensor& t) {
  if (t.numel() == 0) return {0, 0};
  int64_t last = t->offset;
  for (size_t d = 0; d < t.sizes().size(); ++d) last += (t.sizes()[d] - 1) * t.strides()[d];
  const auto size = static_cast<size_t>(element_size(t.dtype()));
  const size_t begin = static_cast<size_t>(t->offset) * size, end = static_cast<size_t>(last + 1) * size;
  const size_t all = t->storage->bytes();
  return {std::min(begin, all), std::min(end, all) - std::min(begin, all)};
}

std::string shown(const Tensor& t) {
  constexpr int64_t kFew = 6;
  if (t.numel() > kFew) return {};
  const nb::object text = nb::steal(PyObject_Repr(to_list(t).ptr()));
  if (!text.is_valid()) PyErr_Clear();
  return text.is_valid() ? std::string(text_of(text.ptr())) : std::string();
}

}  // namespace

UsedTensor::UsedTensor(const Tensor& t, std::string name, Reliance use, bool whole, bool written)
    : tensor_(t),
      storage_(t->storage),
      sizes_(t.sizes()),
      strides_(t.strides()),
      offset_(t->offset),
      dtype_(t.dtype()),
      requires_grad_(t.requires_grad()),
      name_(std::move(name)),
      use_(use),
      written_(written) {
  if (!storage_) return;
  writes_ = storage_->writes();
  if (use_ != Reliance::Values || written_) return;
  std::tie(begin_, count_) = whole ? std::pair<size_t, size_t>(0, storage_->bytes()) : extent_of(t);
  const std::string_view now(storage_->data() + begin_, count_);
  hash_ = std::hash<std::string_view>()(now);
  if (count_ <= kFewBytes) bytes_ = now;
}

bool UsedTensor::same_form() const {
  return tensor_.dtype() == dtype_ && std::ranges::equal(tensor_.strides(), strides_) && tensor_->offset == offset_;
}

bool UsedTensor::same_bytes() {
  Storage* now = tensor_->storage.get();
  if (!now) return !storage_;
  if (now == storage_.get() && now->writes() == writes_ && !now->exposed()) return true;
  if (begin_ + count_ > now->bytes()) return false;
  const std::string_view held(now->data() + begin_, count_);
  if (bytes_.size() == count_ ? held != bytes_ : std::hash<std::string_view>()(held) != hash_) return false;
  storage_ = tensor_->storage, writes_ = now->writes();
  return true;
}

bool UsedTensor::say_values(std::string* failed) const {
  if (!failed) return false;
  *failed = "the values of " + name_ + " have been written to";
  const size_t skipped = static_cast<size_t>(offset_) * static_cast<size_t>(element_size(dtype_)) - begin_;
  if (!same_form() || bytes_.size() != count_ || bytes_.empty() || skipped > bytes_.size()) return false;
  std::string copy = bytes_;
  const Tensor before = from_blob(copy.data() + skipped, sizes_, strides_, dtype_, [](void*) {}, nullptr, false);
  const std::string was = shown(before), is = shown(tensor_);
  if (was.empty() || is.empty()) return false;
  *failed = "the values of " + name_ + " were " + was + " and are " + is;
  return false;
}

bool UsedTensor::holds(std::string* failed) {
  const auto say = [&](const std::string& words) {
    if (failed) *failed = words;
    return false;
  };
  if (written_) return say("the program writes to " + name_ + ", a tensor that it holds");
  if (!std::ranges::equal(tensor_.sizes(), sizes_))
    return say(name_ + " had the sizes " + to_string(sizes_) + " and has " + to_string(tensor_.sizes()));
  if (use_ == Reliance::Sizes) return true;
  if (tensor_.requires_grad() != requires_grad_)
    return say(name_ + ".requires_grad was " + (requires_grad_ ? "True and is False" : "False and is True"));
  if (use_ == Reliance::Memory) return (same_form() && tensor_->storage.get() == storage_.get()) || say(name_ + " has another memory");
  return (same_form() && same_bytes()) || say_values(failed);
}

}  // namespace monograph::python

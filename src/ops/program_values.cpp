// Compares and prints a program's values as Python does. Where no Python runs, prints, warnings and log messages go to standard output and standard error.
#include "ops/program_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ir/arg.h"
#include "ir/text.h"
#include "ops/objects.h"

namespace monograph {

void (*print_line)(const std::string& line) = [](const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
};

std::string (*tensor_text)(const Tensor& t) = nullptr;
void (*warn_user)(const std::string& message) = [](const std::string& message) { std::fprintf(stderr, "Warning: %s\n", message.c_str()); };

void (*write_text)(const std::string& text, bool errors) = [](const std::string& text, bool errors) {
  std::fwrite(text.data(), 1, text.size(), errors ? stderr : stdout);
};
// In the format of Python's warnings, without the line of source code.
void (*warn_captured)(const CapturedWarning& warning) = [](const CapturedWarning& warning) {
  const std::string category = warning.category.substr(warning.category.rfind('.') + 1);
  if (warning.file.empty()) std::fprintf(stderr, "%s: %s\n", category.c_str(), warning.message.c_str());
  else
    std::fprintf(stderr, "%s:%lld: %s: %s\n", warning.file.c_str(), static_cast<long long>(warning.line), category.c_str(),
                 warning.message.c_str());
};
// As Python's logging does without a configuration: messages of level WARNING and above go to standard error.
void (*log_captured)(const CapturedLog& log) = [](const CapturedLog& log) {
  constexpr int64_t kWarning = 30;
  if (log.level >= kWarning) std::fprintf(stderr, "%s\n", log.message.c_str());
};

bool equal_values(const Operator& op, const IValue& a, const IValue& b) {
  if (a.is_string() && b.is_string()) return a.to_string() == b.to_string();
  if (a.is_float() || b.is_float()) return a.to_double() == b.to_double();
  if (a.is_number() && b.is_number()) return a.to_complex() == b.to_complex();
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is_object() && b.is_object()) return same_object(a, b);
  if (a.is_ints() && b.is_ints()) return a.to_ints() == b.to_ints();
  const bool lists = (a.is_list() || a.is_ints()) && (b.is_list() || b.is_ints());
  if (lists || (a.is_tuple() && b.is_tuple())) {
    auto items = [](const IValue& v) {
      if (!v.is_ints()) return v.items();
      std::vector<IValue> out;
      for (int64_t k : v.to_ints()) out.emplace_back(k);
      return out;
    };
    const std::vector<IValue> x = items(a), y = items(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const IValue& p, const IValue& q) { return equal_values(op, p, q); });
  }
  MONOGRAPH_CHECK(!a.is_tensor() && !b.is_tensor(), NotImplemented, "[", op.name(),
                  "] tensors in a list or dict are not compared; compare them one by one with torch.equal");
  return a.is(b);
}

namespace {

std::string quoted(const std::string& s) {
  const bool double_quotes = s.find('\'') != std::string::npos && s.find('"') == std::string::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string out(1, quote);
  for (char c : s) {
    if (c == quote || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else out += c;
  }
  return out + quote;
}

// As Python writes a complex number: (1+2j), or 2j if the real part is 0.
std::string complex_text(std::complex<double> z) {
  auto part = [](double x) {
    std::string text;
    ir::print_python_float(text, x, false);
    return text;
  };
  if (z.real() == 0 && !std::signbit(z.real())) return part(z.imag()) + "j";
  return concat("(", part(z.real()), std::signbit(z.imag()) && !std::isnan(z.imag()) ? "" : "+", part(z.imag()), "j)");
}

}  // namespace

std::string text_of_value(const Operator& op, const IValue& v, bool repr) {
  auto parts = [&](const std::vector<IValue>& items) {
    std::string text;
    for (const IValue& item : items) text += (text.empty() ? "" : ", ") + text_of_value(op, item, true);
    return text;
  };
  std::string text;
  switch (v.tag()) {
    case IValue::Tag::None: return "None";
    case IValue::Tag::Bool: return v.to_bool() ? "True" : "False";
    case IValue::Tag::Int: return std::to_string(v.to_int());
    case IValue::Tag::Float: ir::print_python_float(text, v.to_double()); return text;
    case IValue::Tag::Str: return repr ? quoted(v.to_string()) : v.to_string();
    case IValue::Tag::Dtype: return concat("torch.", name(v.to_dtype()));
    case IValue::Tag::Ints: {
      std::vector<IValue> items;
      for (int64_t k : v.to_ints()) items.emplace_back(k);
      return concat("[", parts(items), "]");
    }
    case IValue::Tag::List: return concat("[", parts(v.items()), "]");
    case IValue::Tag::Tuple: return concat("(", parts(v.items()), v.items().size() == 1 ? ",)" : ")");
    case IValue::Tag::Dict:
      for (const auto& [key, value] : v.pairs())
        text += concat(text.empty() ? "" : ", ", text_of_value(op, key, true), ": ", text_of_value(op, value, true));
      return concat("{", text, "}");
    case IValue::Tag::Device: {
      const std::string device = to_string(v.to_device());
      return repr ? concat("device(type='", device.substr(0, device.find(':')), "')") : device;
    }
    case IValue::Tag::Complex: return complex_text(v.to_complex());
    case IValue::Tag::Tensor:
      MONOGRAPH_CHECK(tensor_text, NotImplemented, "[", op.name(), "] the text of a tensor needs Python");
      return tensor_text(v.as_tensor());
    case IValue::Tag::Object:
      if (const EnumBox* member = member_of(v)) {
        const std::string shown = concat(member->kind_name(), ".", member->member);
        return repr ? concat("<", shown, ": ", text_of_value(op, member->value, true), ">") : shown;
      }
      [[fallthrough]];
    default: fail(ErrorKind::NotImplemented, "[", op.name(), "] a ", describe(v), " has no text in a graph");
  }
}

}  // namespace monograph

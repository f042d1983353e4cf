// Fuzzes archives of torch.jit.save: an input is a file; or, behind the byte 'c', the code of one that is otherwise whole. What is read is compiled: errors
// are of class Error (an InternalError is a find), and nothing crashes. The mutations change a member of an archive in its own form and write a whole
// archive around it, with the right sizes and checksums; some change the file's bytes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "formats/archive.h"
#include "formats/torchscript/archive.h"
#include "member_mutations.h"

namespace {

using namespace monograph;

void read(std::span<const std::byte> bytes) {
  try {
    const auto archive = torchscript::ScriptArchive::parse(bytes, nullptr, "input");
    archive->operators();
    for (const std::string& name : archive->extra_files()) archive->extra_file(name);
    for (size_t k = 0; k < archive->modules().size() && k < 8; ++k) {
      const torchscript::SourceClass* type = archive->modules()[k].type;
      for (size_t m = 0; type && m < type->methods.size() && m < 8; ++m) try {
          archive->method(static_cast<int>(k), type->methods[m].name);
        } catch (const Error&) {
        }
    }
  } catch (const Error&) {
  }
}

struct Member {
  std::string name, content;
};

std::vector<std::byte> archive_of(const std::vector<Member>& members) {
  std::vector<std::byte> out;
  ArchiveWriter writer([&](const void* data, size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    out.insert(out.end(), from, from + size);
  });
  for (const Member& m : members) {
    const auto content = std::as_bytes(std::span(m.content));
    writer.add(m.name, std::span(&content, 1));
  }
  writer.commit();
  return out;
}

// A module of the class M without attributes.
std::vector<std::byte> archive_of_code(std::string code) {
  using std::string_literals::operator""s;
  return archive_of({{"a/data.pkl",
                      "\x80\x02"
                      "c__torch__\nM\n)\x81}b."s},
                     {"a/constants.pkl", "\x80\x02)."s},
                     {"a/code/__torch__.py", std::move(code)}});
}

std::vector<Member> members_of(std::span<const std::byte> bytes) {
  std::vector<Member> members;
  const Archive archive(bytes, "input");
  for (const ArchiveEntry& entry : archive.entries()) {
    if (entry.name.ends_with(".debug_pkl") && members.size() % 2) continue;  // half of them: they are large, and say only lines
    const auto content = archive.read(entry, false);
    members.push_back({entry.name, std::string(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size())});
  }
  return members;
}

void change(std::vector<Member>& members, fuzz::Random& random) {
  const auto form = [](const Member& m) { return m.name.ends_with("pkl") ? 1 : m.name.ends_with(".py") ? 2 : 0; };
  size_t k = fuzz::below(random, members.size());
  for (int tries = 0; tries < 3 && form(members[k]) == 0; ++tries) k = fuzz::below(random, members.size());
  Member& m = members[k];
  const Member& other = members[fuzz::below(random, members.size())];
  const std::string foreign = form(other) == form(m) ? other.content : m.content;
  if (fuzz::below(random, 50) == 0) members.erase(members.begin() + static_cast<ptrdiff_t>(k));
  else if (form(m) == 1) m.content = fuzz::mutated_pickle(m.content, foreign, random);
  else if (form(m) == 2) m.content = fuzz::mutated_code(m.content, foreign, random);
  else m.content.resize(fuzz::below(random, m.content.size() + 9));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  if (size > 0 && data[0] == 'c') read(archive_of_code(std::string(reinterpret_cast<const char*>(data) + 1, size - 1)));
  else read(bytes);
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  fuzz::Random random(seed);
  const auto put = [&](const void* bytes, size_t count) {
    if (count > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, bytes, count);
    return count;
  };
  if (size > 0 && data[0] == 'c' && fuzz::below(random, 4)) {
    const std::string_view code(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string text = "c" + fuzz::mutated_code(code, code, random);
    return put(text.data(), text.size());
  }
  if (fuzz::below(random, 8)) try {
      std::vector<Member> members = members_of(std::as_bytes(std::span(data, size)));
      for (size_t times = 1 + fuzz::below(random, 2); times-- > 0 && !members.empty();) change(members, random);
      const std::vector<std::byte> bytes = archive_of(members);
      return put(bytes.data(), bytes.size());
    } catch (const Error&) {  // no archive
    }
  return LLVMFuzzerMutate(data, size, max_size);
}

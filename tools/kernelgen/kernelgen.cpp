// kernelgen: writes the eager kernels that a build ships, from the operators' recorded bodies.
//
//   kernelgen --out FOLDER [--fingerprint TEXT] [--matmul-fingerprint TEXT] [--isa v3,v4] [--jobs N] [--family NAME]
//
// leaves FOLDER/libgenerated_kernels.a, FOLDER/kernel_tables.o and FOLDER/matmul_kernels.o. The kernels of a family are dealt into small
// objects by their hash. Each object's name carries a stamp of what it was made from: bodies, forms, instruction set, and the fingerprint of
// the emitter's sources. An object whose name exists is not made again, and where nothing changed no file is touched, so that nothing is
// linked again.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "codegen/convolution.h"
#include "codegen/matmul.h"
#include "codegen/target.h"
#include "core/error.h"
#include "kernels/body.h"
#include "ops/kernel_families.h"

namespace {

using namespace monograph;
namespace fs = std::filesystem;

// Kernels of one object at most, about: it bounds what an edit of one body makes again, and lets cores share the work.
constexpr size_t kKernelsPerObject = 24;

struct KernelgenOptions {
  fs::path out;
  std::string fingerprint = "-", matmul_fingerprint = "-";
  std::string family;  // only this one; all where empty
  std::vector<Isa> isas{Isa::v3, Isa::v4};
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
};

struct Object {
  std::string name;
  Isa isa;
  std::vector<const KernelRequest*> requests;
};

KernelgenOptions parse(int argc, char** argv) {
  KernelgenOptions o;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    MONOGRAPH_CHECK(i + 1 < argc, Value, "[kernelgen] ", flag, " needs a value");
    std::string value = argv[i + 1];
    if (flag == "--out") {
      o.out = value;
    } else if (flag == "--fingerprint") {
      o.fingerprint = value;
    } else if (flag == "--matmul-fingerprint") {
      o.matmul_fingerprint = value;
    } else if (flag == "--family") {
      o.family = value;
    } else if (flag == "--jobs") {
      o.jobs = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
    } else if (flag == "--isa") {
      o.isas.clear();
      for (size_t begin = 0, end; begin <= value.size(); begin = end + 1) {
        end = std::min(value.find(',', begin), value.size());
        Isa isa = Isa::none;
        const std::string word = value.substr(begin, end - begin);
        MONOGRAPH_CHECK(parse_isa(word, isa) && isa != Isa::none, Value, "[kernelgen] --isa: expected v2, v3 or v4 but got ", word);
        o.isas.push_back(isa);
      }
      std::sort(o.isas.begin(), o.isas.end());
    } else {
      fail(ErrorKind::Value, "[kernelgen] unknown option ", flag);
    }
  }
  MONOGRAPH_CHECK(!o.out.empty(), Value, "[kernelgen] --out FOLDER is missing");
  return o;
}

uint64_t fold(uint64_t h, std::string_view bytes) {
  for (unsigned char c : bytes) h = (h ^ c) * 0x100000001b3ull;
  return h;
}
uint64_t fold(uint64_t h, uint64_t v) { return fold(h, std::string_view(reinterpret_cast<const char*>(&v), sizeof v)); }

// The lower instruction set serves the higher one too, which saves half of the code: of what spends its time on conversions and on memory (16-bit floats,
// computed in float32, and integers of up to 16 bits), and of long functions in float64, such as Bessel's, which are rarely called and large. Rows of 16-bit
// floats are computed long enough for wider vectors: softmax, layer_norm.
constexpr int64_t kLongBody = 120;
constexpr std::string_view kWideIn16Bits = "norms";
bool is_shared(std::string_view family, const Body& body) {
  const auto is_short = [](const BodyArg& a) { return a.dtype != DType::b1 && element_size(a.dtype) <= 2; };
  const bool in_double = std::ranges::any_of(body.ins, [](const Ins& n) { return n.t == DType::f64; });
  const bool in_short =
      std::ranges::any_of(body.args, is_short) || std::ranges::any_of(body.outs, [&](const Body::Out& o) { return is_short(o.arg); });
  if (in_double) return cost_per_element(body) > kLongBody || in_short;
  return in_short && family != kWideIn16Bits;
}

// The objects to have, with the kernels that each instruction set has; a body that several families share is made once.
std::vector<Object> plan(const KernelgenOptions& o, const std::vector<std::pair<std::string, std::vector<KernelRequest>>>& families,
                         std::map<Isa, std::vector<KernelKey>>& keys) {
  std::vector<Object> objects;
  for (Isa isa : o.isas) {
    std::set<KernelKey> seen;
    for (const auto& [family, requests] : families) {
      std::vector<std::vector<std::pair<KernelKey, const KernelRequest*>>> parts(
          std::bit_ceil((requests.size() + kKernelsPerObject - 1) / kKernelsPerObject));
      for (const KernelRequest& r : requests) {
        const KernelKey key{hash(r.body), r.form};
        if (isa > o.isas.front() && is_shared(family, r.body)) continue;
        if (can_emit(r.body, isa) && seen.insert(key).second) parts[key.body_hash % parts.size()].push_back({key, &r});
      }
      for (size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].empty()) continue;
        std::sort(parts[p].begin(), parts[p].end(), [](auto& a, auto& b) { return a.first < b.first; });
        uint64_t stamp = fold(0xcbf29ce484222325ull, o.fingerprint);
        Object object{"", isa, {}};
        for (const auto& [key, request] : parts[p]) {
          stamp = fold(fold(stamp, key.body_hash), static_cast<uint64_t>(key.form));
          object.requests.push_back(request);
        }
        char text[32];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(stamp));
        object.name = concat(family, ".", p, ".v", static_cast<int>(isa) + 1, ".", static_cast<const char*>(text), ".o");
        objects.push_back(std::move(object));
      }
    }
    keys[isa].assign(seen.begin(), seen.end());
  }
  return objects;
}

void write_file(const fs::path& path, const std::string& bytes) {
  const fs::path part = path.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  MONOGRAPH_CHECK(out.good(), File, "[kernelgen] cannot write ", part.string());
  fs::rename(part, path);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The matrix kernels depend on no operator: one object, made again when their emitter changes, which leaves all others as they are.
void write_matmul_kernels(const KernelgenOptions& o) {
  const fs::path object = o.out / "matmul_kernels.o", made_from = o.out / "matmul_kernels.txt";
  std::string stamp = o.matmul_fingerprint;
  for (Isa isa : o.isas) stamp += concat(" ", name(isa));
  if (fs::exists(object) && fs::exists(made_from) && read_file(made_from) == stamp) return;
  write_file(object, matmul_object(o.isas));
  write_file(made_from, stamp);
}

// Those of convolutions are few, and made at every run.
void write_convolution_kernels(const KernelgenOptions& o) {
  const fs::path path = o.out / "convolution_kernels.o";
  const std::string object = convolution_object(o.isas);
  if (!fs::exists(path) || read_file(path) != object) write_file(path, object);
}

int run(const KernelgenOptions& o) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, std::vector<KernelRequest>>> families;
  for (KernelFamily& f : kernel_families()) {
    if (!o.family.empty() && f.name != o.family) continue;
    families.push_back({f.name, {}});
    for (KernelFamily::Member& m : f.members) families.back().second.push_back({std::move(m.body), m.form});
  }
  std::map<Isa, std::vector<KernelKey>> keys;
  const std::vector<Object> objects = plan(o, families, keys);

  const fs::path folder = o.out / "objects";
  fs::create_directories(folder);
  write_matmul_kernels(o), write_convolution_kernels(o);
  std::set<std::string> wanted;
  std::vector<const Object*> missing;
  for (const Object& object : objects) {
    wanted.insert(object.name);
    if (!fs::exists(folder / object.name)) missing.push_back(&object);
  }
  std::vector<fs::path> stale;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (!wanted.count(e.path().filename().string())) stale.push_back(e.path());
  const fs::path archive = o.out / "libgenerated_kernels.a", table = o.out / "kernel_tables.o";
  if (missing.empty() && stale.empty() && fs::exists(archive) && fs::exists(table)) return 0;

  std::sort(missing.begin(), missing.end(), [](const Object* a, const Object* b) { return a->requests.size() > b->requests.size(); });
  std::atomic<size_t> next = 0;
  std::vector<std::string> problems(o.jobs);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::min<size_t>(o.jobs, missing.size()); ++t)
    threads.emplace_back([&, t] {
      try {
        for (size_t i; (i = next++) < missing.size();)
          write_file(folder / missing[i]->name, compile_object(missing[i]->name, missing[i]->requests, missing[i]->isa));
      } catch (const std::exception& e) {
        problems[t] = e.what();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& problem : problems)
    if (!problem.empty()) throw InternalError(problem);

  for (const fs::path& path : stale) fs::remove(path);
  std::vector<std::pair<std::string, std::string>> members;
  size_t bytes = 0, made = 0;
  for (const std::string& name : wanted) {
    members.push_back({name, read_file(folder / name)});
    bytes += members.back().second.size();
  }
  for (const Object* object : missing) made += object->requests.size();
  write_file(table, table_object(std::vector<std::pair<Isa, std::vector<KernelKey>>>(keys.begin(), keys.end())));
  write_archive(archive.string(), members);
  size_t total = 0;
  for (const auto& [isa, list] : keys) total += list.size();
  std::printf("kernelgen: %zu of %zu kernels made, %zu objects, %.1f MB, %.1f s\n", made, total, members.size(),
              static_cast<double>(bytes) / 1e6, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

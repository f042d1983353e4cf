// Object files that the JIT loads: those of the emitter run, everything else is refused with an error, never with a crash.
#include "codegen/loader.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "codegen/target.h"
#include "core/error.h"
#include "ops/elementary/elementary.h"
#include "ops/num.h"

namespace monograph {
namespace {

struct Silu {
  Body body = [] {
    Recorder r;
    Num x = r.arg(DType::f32);
    r.out(x / (1.0 + exp(-x)), DType::f32);
    return expand(r.finish());
  }();
  std::string symbol = kernel_symbol(hash(body), KernelForm::Pointwise, Isa::v2);
  std::string file = [this] {
    const KernelRequest request{body, KernelForm::Pointwise};
    const KernelRequest* requests[] = {&request};
    return compile_object("silu", requests, Isa::v2);
  }();
};

const Silu& silu() {
  static const Silu once;
  return once;
}

std::string refusal(std::string_view file) {
  try {
    const LoadedObject loaded(file);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

// The parts of the file that the tests damage.
Elf64_Ehdr& header(std::string& file) { return *reinterpret_cast<Elf64_Ehdr*>(file.data()); }
std::span<Elf64_Shdr> sections(std::string& file) {
  return {reinterpret_cast<Elf64_Shdr*>(file.data() + header(file).e_shoff), header(file).e_shnum};
}
template <class T>
std::span<T> parts(std::string& file, uint32_t type) {
  for (Elf64_Shdr& s : sections(file))
    if (s.sh_type == type) return {reinterpret_cast<T*>(file.data() + s.sh_offset), s.sh_size / sizeof(T)};
  return {};
}

TEST(Loader, RunsAKernel) {
  const LoadedObject loaded(silu().file);
  const auto kernel = reinterpret_cast<KernelFn>(loaded.symbol(silu().symbol));
  float x[] = {0, 1, -2}, y[3];
  char* operands[] = {reinterpret_cast<char*>(y), reinterpret_cast<char*>(x)};
  const int64_t strides[] = {4, 4}, rows[] = {12, 12};
  EXPECT_EQ(kernel(operands, strides, 3, rows, 1), 0);
  EXPECT_EQ(y[0], 0);
  EXPECT_FLOAT_EQ(y[1], 0.73105858f);
  EXPECT_FLOAT_EQ(y[2], -0.23840584f);
}

TEST(Loader, SaysWhichNameIsMissing) {
  const LoadedObject loaded(silu().file);
  try {
    loaded.symbol("gelu");
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_STREQ(e.what(), "[jit] cannot load the object file: it has no gelu");
  }
}

TEST(Loader, RefusesAFileThatIsCutShort) {
  for (size_t size = 0; size < silu().file.size(); size += 7) EXPECT_NE(refusal(silu().file.substr(0, size)), "") << size;
}

TEST(Loader, RefusesAnotherKindOfFile) {
  std::string file = silu().file;
  header(file).e_machine = EM_AARCH64;
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: it is not an object file for x86-64");
}

TEST(Loader, RefusesCodeThatCallsOutside) {
  std::string file = silu().file;
  for (Elf64_Sym& s : parts<Elf64_Sym>(file, SHT_SYMTAB))
    if (ELF64_ST_BIND(s.st_info) == STB_GLOBAL) s.st_shndx = SHN_UNDEF;
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: it names outside of itself: " + silu().symbol);
}

TEST(Loader, RefusesARelocationThatItDoesNotKnow) {
  std::string file = silu().file;
  const std::span<Elf64_Rela> relocations = parts<Elf64_Rela>(file, SHT_RELA);
  ASSERT_FALSE(relocations.empty());
  relocations[0].r_info = ELF64_R_INFO(ELF64_R_SYM(relocations[0].r_info), R_X86_64_TPOFF32);
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: it has a relocation of an unknown type, 23");
}

TEST(Loader, RefusesARelocationOutsideOfItsSection) {
  std::string file = silu().file;
  parts<Elf64_Rela>(file, SHT_RELA)[0].r_offset = file.size() * 4096;
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: a relocation is wrong");
}

// Four bytes are left in the section, and an address has eight.
TEST(Loader, RefusesAnAddressThatEndsOutsideOfItsSection) {
  std::string file = silu().file;
  const std::span<Elf64_Shdr> all = sections(file);
  for (Elf64_Shdr& s : all)
    if (s.sh_type == SHT_RELA) {
      Elf64_Rela& r = *reinterpret_cast<Elf64_Rela*>(file.data() + s.sh_offset);
      r.r_offset = all[s.sh_info].sh_size - sizeof(uint32_t);
      r.r_info = ELF64_R_INFO(ELF64_R_SYM(r.r_info), R_X86_64_64);
    }
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: a relocation is wrong");
}

TEST(Loader, RefusesADistanceThatDoesNotFit) {
  std::string file = silu().file;
  parts<Elf64_Rela>(file, SHT_RELA)[0].r_addend = int64_t{1} << 32;
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: a distance has more than 32 bits");
}

TEST(Loader, RefusesASymbolOutsideOfItsSection) {
  std::string file = silu().file;
  for (Elf64_Sym& s : parts<Elf64_Sym>(file, SHT_SYMTAB))
    if (ELF64_ST_BIND(s.st_info) == STB_GLOBAL) s.st_value = file.size();
  EXPECT_EQ(refusal(file), "[jit] cannot load the object file: a symbol lies outside of its section: " + silu().symbol);
}

// Its pages will be read only.
TEST(Loader, RefusesMemoryThatIsWritten) {
  std::string file = silu().file;
  for (Elf64_Shdr& s : sections(file))
    if ((s.sh_flags & SHF_ALLOC) && !(s.sh_flags & SHF_EXECINSTR)) s.sh_flags |= SHF_WRITE;
  EXPECT_TRUE(refusal(file).starts_with("[jit] cannot load the object file: a section is neither code nor constants: .rodata"))
      << refusal(file);
}

}  // namespace
}  // namespace monograph

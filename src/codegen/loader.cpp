// Copies the sections of code, then those of constants, to separate pages: code becomes executable, constants read-only.
#include "codegen/loader.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "core/error.h"

namespace monograph {
namespace {

[[noreturn]] void refuse(std::string_view why) { throw InternalError(concat("[jit] cannot load the object file: ", why)); }

uint64_t round_up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }

// The sections and symbols of an ELF file. Every offset is checked to lie inside the file.
struct Elf {
  std::string_view file;
  std::span<const Elf64_Shdr> sections;
  std::span<const Elf64_Sym> symbols;
  std::string_view names, section_names;

  template <class T>
  std::span<const T> array(uint64_t offset, uint64_t bytes) const {
    if (offset > file.size() || bytes > file.size() - offset || bytes % sizeof(T) || offset % alignof(T))
      refuse("a part lies outside of the file");
    return {reinterpret_cast<const T*>(file.data() + offset), bytes / sizeof(T)};
  }
  template <class T>
  std::span<const T> contents(const Elf64_Shdr& section) const {
    return array<T>(section.sh_offset, section.sh_size);
  }
  const Elf64_Shdr& section(uint64_t index) const {
    if (index >= sections.size()) refuse("a section is missing");
    return sections[index];
  }
  std::string name(const Elf64_Sym& symbol) const { return text(names, symbol.st_name); }
  std::string name(const Elf64_Shdr& section) const { return text(section_names, section.sh_name); }

  explicit Elf(std::string_view bytes) : file(bytes) {
    const Elf64_Ehdr& header = array<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr))[0];
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL || header.e_machine != EM_X86_64)
      refuse("it is not an object file for x86-64");
    sections = array<Elf64_Shdr>(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr& s : sections)
      if (s.sh_type == SHT_SYMTAB) {
        symbols = contents<Elf64_Sym>(s);
        names = all_names(s.sh_link);
      }
    if (symbols.empty()) refuse("it has no symbols");
    section_names = all_names(header.e_shstrndx);
  }

 private:
  std::string_view all_names(uint64_t index) const {
    const std::span<const char> found = contents<char>(section(index));
    if (found.empty() || found.back() != 0) refuse("its names have no end");
    return {found.data(), found.size()};
  }
  static std::string text(std::string_view names, uint64_t at) {
    if (at >= names.size()) refuse("a name is missing");
    return names.data() + at;  // `names` ends with a 0 byte
  }
};

// The offset in memory of each section that is loaded; kNowhere for the others.
constexpr uint64_t kNowhere = ~uint64_t{0};
struct SectionLayout {
  std::vector<uint64_t> at;
  uint64_t code = 0, all = 0;  // in bytes, whole pages

  explicit SectionLayout(const Elf& elf) : at(elf.sections.size(), kNowhere) {
    place(elf, true);
    all = code = round_up(all, page_);
    place(elf, false);
    all = round_up(all, page_);
    if (all == 0) refuse("it is empty");
  }

 private:
  // Constants that contain addresses are marked as writable for the loader; only their name says that they are constants.
  static bool is_constant(const Elf& elf, const Elf64_Shdr& s) {
    return !(s.sh_flags & SHF_WRITE) || elf.name(s).starts_with(".data.rel.ro");
  }
  void place(const Elf& elf, bool executable) {
    for (size_t i = 0; i < at.size(); ++i) {
      const Elf64_Shdr& s = elf.sections[i];
      if (!(s.sh_flags & SHF_ALLOC) || static_cast<bool>(s.sh_flags & SHF_EXECINSTR) != executable || s.sh_size == 0) continue;
      if (s.sh_type != SHT_PROGBITS || (s.sh_flags & SHF_TLS) || !is_constant(elf, s))
        refuse("a section is neither code nor constants: " + elf.name(s));
      if (!std::has_single_bit(s.sh_addralign) || s.sh_addralign > page_) refuse("the alignment of a section: " + elf.name(s));
      at[i] = round_up(all, s.sh_addralign);
      all = at[i] + elf.contents<char>(s).size();
    }
  }

  uint64_t page_ = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
};

// Writes `address`, or its distance from `place`. `room` is the number of bytes from there to the end of the section.
void write_address(char* place, uint64_t room, uint64_t type, uint64_t address) {
  const auto write = [&](auto value) {
    if (room < sizeof value) refuse("a relocation is wrong");
    std::memcpy(place, &value, sizeof value);
  };
  if (type == R_X86_64_64) return write(address);
  if (type != R_X86_64_PC32 && type != R_X86_64_PLT32) refuse(concat("it has a relocation of an unknown type, ", type));
  const auto distance = static_cast<int64_t>(address - reinterpret_cast<uint64_t>(place));
  if (distance != static_cast<int32_t>(distance)) refuse("a distance has more than 32 bits");
  write(static_cast<int32_t>(distance));
}

}  // namespace

LoadedObject::LoadedObject(std::string_view file) {
  // Sections have the same alignment in memory as in the file.
  std::vector<uint64_t> aligned(file.size() / sizeof(uint64_t) + 1);
  std::memcpy(aligned.data(), file.data(), file.size());
  const Elf elf({reinterpret_cast<const char*>(aligned.data()), file.size()});
  const SectionLayout layout(elf);
  char* memory = static_cast<char*>(mmap(nullptr, layout.all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = {memory, Unmap{layout.all}};

  for (size_t i = 0; i < layout.at.size(); ++i)
    if (layout.at[i] != kNowhere) {
      const std::span<const char> bytes = elf.contents<char>(elf.sections[i]);
      std::memcpy(memory + layout.at[i], bytes.data(), bytes.size());
    }
  auto address_of = [&](const Elf64_Sym& symbol) {
    if (symbol.st_shndx >= layout.at.size() || layout.at[symbol.st_shndx] == kNowhere)
      refuse("it names outside of itself: " + elf.name(symbol));
    if (ELF64_ST_TYPE(symbol.st_info) > STT_SECTION) refuse("a symbol is neither a function nor a constant: " + elf.name(symbol));
    if (symbol.st_value > elf.sections[symbol.st_shndx].sh_size) refuse("a symbol lies outside of its section: " + elf.name(symbol));
    return memory + layout.at[symbol.st_shndx] + symbol.st_value;
  };
  for (const Elf64_Shdr& s : elf.sections) {
    if (s.sh_type == SHT_REL) refuse("relocations without addends");
    if (s.sh_type != SHT_RELA) continue;
    elf.section(s.sh_info);
    if (layout.at[s.sh_info] == kNowhere) continue;
    const uint64_t bytes = elf.sections[s.sh_info].sh_size;
    for (const Elf64_Rela& r : elf.contents<Elf64_Rela>(s)) {
      const uint64_t symbol = ELF64_R_SYM(r.r_info);
      if (symbol >= elf.symbols.size() || r.r_offset > bytes) refuse("a relocation is wrong");
      write_address(memory + layout.at[s.sh_info] + r.r_offset, bytes - r.r_offset, ELF64_R_TYPE(r.r_info),
                    reinterpret_cast<uint64_t>(address_of(elf.symbols[symbol])) + static_cast<uint64_t>(r.r_addend));
    }
  }
  for (const Elf64_Sym& symbol : elf.symbols)
    if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL) symbols_.emplace(elf.name(symbol), address_of(symbol));

  if ((layout.code && mprotect(memory, layout.code, PROT_READ | PROT_EXEC) != 0) ||
      (layout.all > layout.code && mprotect(memory + layout.code, layout.all - layout.code, PROT_READ) != 0))
    refuse(std::strerror(errno));  // the system does not allow executable memory
}

void LoadedObject::Unmap::operator()(char* memory) const { munmap(memory, size); }

void* LoadedObject::symbol(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) refuse("it has no " + name);
  return found->second;
}

}  // namespace monograph

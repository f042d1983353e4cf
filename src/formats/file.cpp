// MappedFile uses mmap. AtomicFile writes a new file beside the old one, flushes it and renames it over the old one.
#include "formats/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/error.h"

namespace monograph {
namespace {

std::string error_text(int code) { return std::generic_category().message(code); }

// How many bytes the UTF-8 character at the beginning of the text takes; 0 if the text does not begin with a valid one.
size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<uint8_t>(text[k]) : uint8_t{0}; };
  const uint8_t first = byte(0);
  const size_t n = first < 0x80                    ? 1
                   : first >= 0xc2 && first < 0xe0 ? 2
                   : first >= 0xe0 && first < 0xf0 ? 3
                   : first >= 0xf0 && first < 0xf5 ? 4
                                                   : 0;
  for (size_t k = 1; k < n; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  // Shortest form, no surrogates, below 0x110000.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return n;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = utf8_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // O_NONBLOCK: do not wait for the writer of a pipe
  MONOGRAPH_CHECK(descriptor >= 0, File, path, ": cannot open the file: ", error_text(errno));
  struct stat status{};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  void* data = nullptr;
  int code = 0;
  if (regular && status.st_size > 0) {
    size_ = static_cast<size_t>(status.st_size);
    data = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    code = errno;
  }
  close(descriptor);
  const char* kind = S_ISFIFO(status.st_mode) ? "a pipe" : S_ISDIR(status.st_mode) ? "a folder" : "a device or a socket";
  MONOGRAPH_CHECK(regular, File, path, ": expected a regular file, but it is ", kind,
                  S_ISFIFO(status.st_mode) ? "; write what comes from it to a file first" : "");
  MONOGRAPH_CHECK(data != MAP_FAILED, File, path, ": cannot map its ", size_, " bytes: ", error_text(code));
  data_ = static_cast<std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) {
    const auto target = std::filesystem::weakly_canonical(path, ignored);
    if (!target.empty()) path_ = target.string();
  }
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  MONOGRAPH_CHECK(!exists || S_ISREG(status.st_mode), File, path_, ": cannot write to it: it exists, but is not a regular file");
  static std::atomic<unsigned> files{0};
  temporary_ = concat(path_, ".", static_cast<int64_t>(getpid()), ".", files.fetch_add(1), ".part");
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_with_errno("create a file in this folder");
  if (exists) (void)!fchmod(descriptor_, status.st_mode & 07777);  // keep the old file's permissions, if the system allows it
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // one call of write() writes at most 2 GiB on Linux
  for (const char* next = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = ::write(descriptor_, next, std::min(bytes, kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("write it");
    next += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  // The content must be on the disk before the file gets its name, and the name before commit returns.
  if (fsync(descriptor_) != 0) fail_with_errno("flush it");
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno("rename the new file to it");
  close(descriptor_);
  descriptor_ = -1;
  const size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (const int parent = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); parent >= 0) {
    fsync(parent);  // some file systems refuse this; the file is whole all the same
    close(parent);
  }
}

void AtomicFile::fail_with_errno(const char* doing) const { fail(ErrorKind::File, path_, ": cannot ", doing, ": ", error_text(errno)); }

std::string shown(std::string_view name) {
  constexpr size_t kMost = 80;
  std::string out = "'";
  for (size_t at = 0; at < std::min(name.size(), kMost);) {
    const size_t bytes = utf8_bytes(name.substr(at));
    const auto first = static_cast<uint8_t>(name[at]);
    if (bytes == 0) out += "\\x", out += "0123456789abcdef"[first >> 4], out += "0123456789abcdef"[first & 15];
    else if (first < 0x20 || first == 0x7f) out += '?';
    else out += name.substr(at, bytes);
    at += std::max<size_t>(bytes, 1);
  }
  return out + (name.size() > kMost ? "'..." : "'");
}

}  // namespace monograph

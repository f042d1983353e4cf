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

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  MONOGRAPH_CHECK(descriptor >= 0, File, path, ": cannot open it: ", error_text(errno));
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
  MONOGRAPH_CHECK(regular, File, path, ": expected a regular file");
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
  MONOGRAPH_CHECK(!exists || S_ISREG(status.st_mode), File, path_, ": cannot write it: it exists and is no regular file");
  static std::atomic<unsigned> files{0};
  temporary_ = concat(path_, ".", static_cast<int64_t>(getpid()), ".", files.fetch_add(1), ".part");
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_with_errno("create a file beside it");
  if (exists) (void)!fchmod(descriptor_, status.st_mode & 07777);  // the new content keeps the old one's permissions where it may
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // Linux writes at most 2 GiB a call
  for (const char* next = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = ::write(descriptor_, next, std::min(bytes, kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("write it");
    next += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::commit() {
  // The content is on the disk before the name shows it, and the name before commit returns.
  if (fsync(descriptor_) != 0) fail_with_errno("flush it");
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno("rename the new file to it");
  close(descriptor_);
  descriptor_ = -1;
  const size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (const int parent = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); parent >= 0) {
    fsync(parent);  // some file systems refuse to: the file is whole all the same
    close(parent);
  }
}

void AtomicFile::fail_with_errno(const char* doing) const { fail(ErrorKind::File, path_, ": cannot ", doing, ": ", error_text(errno)); }

std::string shown(std::string_view name) {
  constexpr size_t kMost = 80;
  std::string out = "'";
  for (char c : name.substr(0, kMost)) out += static_cast<uint8_t>(c) < 0x20 ? '?' : c;
  return out + (name.size() > kMost ? "'..." : "'");
}

}  // namespace monograph

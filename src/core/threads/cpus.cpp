// Reads sched_getaffinity and the quota files of the process's cgroups, version 1 and 2, with the C library alone: the C library of kernels has it
// too (cmake/Kernels.cmake).
#include "core/threads/cpus.h"

#include <limits.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace monograph {
namespace {

int affinity_cpus() {
  // The mask's size is the kernel's business: it refuses one that is too short.
  for (int cpus = CPU_SETSIZE; cpus <= (1 << 20); cpus *= 2) {
    cpu_set_t* mask = CPU_ALLOC(cpus);
    if (mask == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const int count = sched_getaffinity(0, bytes, mask) == 0 ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return count;
  }
  return 1;
}

// A path of the three parts; empty, which no file has, where it is too long.
struct Path {
  char text[PATH_MAX];
  Path(const char* a, const char* b, const char* c) {
    const int size = std::snprintf(text, sizeof text, "%s%s%s", a, b, c);
    if (size < 0 || size >= static_cast<int>(sizeof text)) text[0] = 0;
  }
};

// The lines of a file, none where there is no such file.
class Lines {
 public:
  explicit Lines(const Path& path) : file_(std::fopen(path.text, "re")) {}
  ~Lines() {
    std::free(line_);
    if (file_) std::fclose(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  char* next() {  // without its end; null after the last one
    ssize_t size = file_ ? getline(&line_, &capacity_, file_) : -1;
    if (size < 0) return nullptr;
    if (size > 0 && line_[size - 1] == '\n') line_[size - 1] = 0;
    return line_;
  }

 private:
  std::FILE* file_;
  char* line_ = nullptr;
  size_t capacity_ = 0;
};

int64_t read_number(const char* text, char** end) {  // "max", nothing and garbage are all "no limit"
  return std::max<int64_t>(std::strtoll(text, end, 10), 0);
}
int64_t first_number(const Path& path) {
  Lines lines(path);
  const char* line = lines.next();
  return line ? read_number(line, nullptr) : 0;
}

// One cgroup's own quota in CPUs; 0 where it has none.
int quota(const char* folder, bool version2) {
  int64_t time = 0, period = 0;
  if (version2) {
    Lines lines(Path(folder, "/cpu.max", ""));
    char* rest = lines.next();
    if (rest) time = read_number(rest, &rest), period = read_number(rest, nullptr);
  } else {
    time = first_number(Path(folder, "/cpu.cfs_quota_us", "")), period = first_number(Path(folder, "/cpu.cfs_period_us", ""));
  }
  if (time == 0 || period == 0) return 0;
  return static_cast<int>(std::min<int64_t>((time - 1) / period + 1, 1 << 20));
}

bool has_word(const char* list, const char* word) {  // in a list with commas
  const size_t size = std::strlen(word);
  for (const char* at = list; (at = std::strstr(at, word)) != nullptr; at += size)
    if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == 0)) return true;
  return false;
}

// The word at `text`, ended there; `text` moves behind it. Empty at the line's end.
char* take_word(char*& text) {
  text += std::strspn(text, " ");
  char* word = text;
  text += std::strcspn(text, " ");
  if (*text) *text++ = 0;
  return word;
}

struct Mount {
  const char *root, *point;  // the cgroup that is mounted, and where
  bool version2;
};

// Whether the line tells of a mount that can carry a CPU quota:
//   "31 23 0:28 /box /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct".
bool parse_mount(char* line, Mount& mount) {
  char* right = std::strstr(line, " - ");
  if (right == nullptr) return false;
  *right = 0, right += 3;
  for (int skip = 0; skip < 3; ++skip) take_word(line);
  mount.root = take_word(line), mount.point = take_word(line);
  const char* type = take_word(right);
  take_word(right);
  mount.version2 = std::strcmp(type, "cgroup2") == 0;
  return mount.version2 || (std::strcmp(type, "cgroup") == 0 && has_word(take_word(right), "cpu"));
}

// Writes this process's cgroup in that hierarchy, from lines such as "4:cpu,cpuacct:/box/a" (version 1) and "0::/box/a" (version 2).
void cgroup_path(const char* root, bool version2, char (&path)[PATH_MAX]) {
  std::strcpy(path, "/");
  Lines lines(Path(root, "/proc/self/cgroup", ""));
  while (char* line = lines.next()) {
    char* controllers = std::strchr(line, ':');
    char* name = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (name == nullptr) continue;
    ++controllers, *name++ = 0;
    if (!(version2 ? *controllers == 0 : has_word(controllers, "cpu"))) continue;
    if (std::strlen(name) < sizeof path) std::strcpy(path, name);
    return;
  }
}

// The part of `path` below the cgroup that is mounted: in a container the mount shows a part of the tree only, and names are relative to that
// part, or unknown in it, which leaves nothing.
char* below(char* path, const char* mounted) {
  if (std::strcmp(mounted, "/") == 0) return path;
  const size_t size = std::strlen(mounted), known = std::strlen(path);
  const bool inside = std::strncmp(path, mounted, size) == 0 && (path[size] == '/' || path[size] == 0);
  return path + (inside ? size : known);
}

}  // namespace

int cgroup_cpus(const char* root) {
  int least = 0;
  Lines lines(Path(root, "/proc/self/mountinfo", ""));
  while (char* line = lines.next()) {
    Mount mount;
    if (!parse_mount(line, mount)) continue;
    char whole[PATH_MAX];
    cgroup_path(root, mount.version2, whole);
    char* path = below(whole, mount.root);
    while (true) {  // a quota binds everything below it
      const Path folder(root, mount.point, path);
      const int cpus = quota(folder.text, mount.version2);
      if (cpus > 0) least = least == 0 ? cpus : std::min(least, cpus);
      char* slash = std::strrchr(path, '/');
      if (slash == nullptr) break;
      *slash = 0;
    }
  }
  return least;
}

int available_cpus() {
  const int limit = cgroup_cpus(), cpus = affinity_cpus();
  return limit > 0 ? std::min(cpus, limit) : cpus;
}

}  // namespace monograph

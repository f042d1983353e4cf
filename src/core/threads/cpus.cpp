// Reads sched_getaffinity and the quota files of the process's cgroups, version 1 and 2.
#include "core/threads/cpus.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

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

int64_t read_number(std::istream& in) {  // "max", an empty file and garbage are all "no limit"
  int64_t value = 0;
  return in >> value && value > 0 ? value : 0;
}

// One cgroup's own quota in CPUs; 0 where it has none.
int quota(const std::string& folder, bool version2) {
  int64_t time = 0, period = 0;
  if (version2) {
    std::ifstream file(folder + "/cpu.max");
    time = read_number(file);
    period = read_number(file);
  } else {
    std::ifstream time_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
    time = read_number(time_file);
    period = read_number(period_file);
  }
  if (time == 0 || period == 0) return 0;
  return static_cast<int>(std::min<int64_t>((time - 1) / period + 1, 1 << 20));
}

bool has_word(const std::string& list, const std::string& word) {  // in a list with commas
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

struct Mount {
  std::string root, point;  // the cgroup that is mounted, and where
  bool version2;
};

// The mounts that can carry a CPU quota, from lines such as
//   "31 23 0:28 /box /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct".
std::vector<Mount> cgroup_mounts(const std::string& root) {
  std::vector<Mount> out;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash)), right(line.substr(dash + 3));
    std::string skip, type, options;
    Mount mount;
    left >> skip >> skip >> skip >> mount.root >> mount.point;
    right >> type >> skip >> options;
    mount.version2 = type == "cgroup2";
    if (mount.version2 || (type == "cgroup" && has_word(options, "cpu"))) out.push_back(mount);
  }
  return out;
}

// This process's cgroup in that hierarchy, from lines such as "4:cpu,cpuacct:/box/a" (version 1) and "0::/box/a" (version 2).
std::string cgroup_path(const std::string& root, bool version2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? controllers.empty() : has_word(controllers, "cpu")) return line.substr(second + 1);
  }
  return "/";
}

}  // namespace

int cgroup_cpus(const std::string& root) {
  int least = 0;
  for (const Mount& mount : cgroup_mounts(root)) {
    std::string path = cgroup_path(root, mount.version2);
    // In a container the mount shows a part of the tree only: names are relative to that part, or unknown in it.
    if (mount.root != "/") path = (path + "/").starts_with(mount.root + "/") ? path.substr(mount.root.size()) : "";
    while (true) {  // a quota binds everything below it
      const int cpus = quota(root + mount.point + path, mount.version2);
      if (cpus > 0) least = least == 0 ? cpus : std::min(least, cpus);
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return least;
}

int available_cpus() {
  const int limit = cgroup_cpus(), cpus = affinity_cpus();
  return limit > 0 ? std::min(cpus, limit) : cpus;
}

}  // namespace monograph

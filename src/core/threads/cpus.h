// How many CPUs this process may use: the smaller of its affinity mask and its cgroup's CPU quota.
#pragma once

namespace monograph {

// CPUs that the calling thread may run on, lowered to the cgroup quota rounded up; at least 1. Reads the system each time.
int available_cpus();

// The CPU quota of this process's cgroup and of every cgroup around it that the file system shows, in whole CPUs rounded up; 0 where there
// is none. Understands version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). `root` stands before /proc and before the mount points.
int cgroup_cpus(const char* root = "");

}  // namespace monograph

#include "cli/python.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace monograph::cli {

std::string python_with_package() {
  std::error_code none;
  const char* chosen = std::getenv("MONOGRAPH_PYTHON");
  if (chosen && std::strchr(chosen, '/')) return std::filesystem::absolute(chosen, none).string();
  if (chosen) return chosen;
  const auto called_as =
      reinterpret_cast<const char*>(getauxval(AT_EXECFN));  // in a checkout a link of the virtual environment, whose target lies elsewhere
  for (const std::filesystem::path& command :
       {std::filesystem::absolute(called_as ? called_as : "", none), std::filesystem::read_symlink("/proc/self/exe", none)}) {
    const std::string python = (command.parent_path() / "python3").string();
    if (access(python.c_str(), X_OK) == 0) return python;
  }
  return "python3";
}

bool run_python_module(const std::string& module, const std::string& folder) {
  const std::string python = python_with_package(), log = folder + "/log";
  const char* words[] = {python.c_str(), "-m", module.c_str(), folder.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failed = posix_spawnp(&child, python.c_str(), &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace monograph::cli

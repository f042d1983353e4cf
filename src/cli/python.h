// Running the Python package from the command, for what only Python can do: reading Python programs and capturing Python functions.
#pragma once

#include <string>

namespace monograph::cli {

// A Python that should have the package monograph: the one that MONOGRAPH_PYTHON names, else the one beside this command (a virtual environment), else
// python3, which is looked up in PATH.
std::string python_with_package();

// Runs `python -m MODULE FOLDER` in this folder, so that nothing of the current folder is imported, and waits for its end. What it prints goes to FOLDER/log.
// Returns whether it ran and ended with exit code 0.
bool run_python_module(const std::string& module, const std::string& folder);

}  // namespace monograph::cli

// Writes one HTML page, usable offline, that shows a graph, or a graph before and after a pass. The page holds its data as JSON; its code is in page/.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/graph.h"

namespace monograph::passes {

// A module as the page shows it.
struct ViewedModule {
  std::string class_name;  // "torch.nn.modules.linear.Linear"
  std::string arguments;  // "in_features=4, out_features=4"; "" if not known
  int64_t parameters = 0, bytes = 0;  // of all parameters and buffers, those of submodules included: number of elements, and size
};

struct ViewedGraph {
  const ir::Graph* graph = nullptr;
  std::string title;
  std::map<std::string, ViewedModule> modules;  // by path; "" is the root
  std::unordered_map<std::string, std::string> types;  // by the name of a node: the type of its value, if the graph has none
};

// The graph with the modules of its Unit.
ViewedGraph viewed(const ir::Graph& graph, std::string_view title);

// A function of a program, or its versions before and after a pass. The graph of a missing version is null.
struct ViewedFunction {
  ViewedGraph before, after;
};

// view_data returns the JSON alone, for tests and other programs; view_page the whole page.
std::string view_data(std::string_view title, std::span<const ViewedFunction> functions);
std::string view_page(std::string_view title, std::span<const ViewedFunction> functions);

}  // namespace monograph::passes

// One offline page of HTML that shows a graph, or a graph before and after a pass. Its data is JSON inside of the page; the rest is page/.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/graph.h"

namespace monograph::passes {

// A module that nodes come from, as the page shows it.
struct ViewedModule {
  std::string class_name;  // "torch.nn.modules.linear.Linear"
  std::string arguments;  // "in_features=4, out_features=4"; "" where it is not known
  int64_t parameters = 0, bytes = 0;  // elements of the parameters and buffers, those of the modules inside included
};

struct ViewedGraph {
  const ir::Graph* graph = nullptr;
  std::string title;
  std::map<std::string, ViewedModule> modules;  // by path; "" is the root
  std::unordered_map<std::string, std::string> types;  // by the name of a node: the type of its value, where the graph does not say it
};

// With the modules of its Unit.
ViewedGraph viewed(const ir::Graph& graph, std::string_view title);

// A function of a program, or its two versions where a pass is shown. Of a side where it is missing the graph is null.
struct ViewedFunction {
  ViewedGraph before, after;
};

// The data: what tests read, and other programs may.
std::string view_data(std::string_view title, std::span<const ViewedFunction> functions);
std::string view_page(std::string_view title, std::span<const ViewedFunction> functions);

}  // namespace monograph::passes

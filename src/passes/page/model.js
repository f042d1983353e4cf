// The model of the page, without drawing: rows, the tree of modules and blocks, which of them are unfolded, and search. No function here recurses over the graph.
"use strict";

const MAX_LEVELS = 64; // nested modules below this depth are shown as one name
const INITIAL_ROWS = 45; // at first, modules are unfolded level by level while the page has at most this number of rows

function lastPart(path) {
  return path.slice(path.lastIndexOf(".") + 1);
}

function isParameter(node) {
  return node.op === "get_attr";
}

// The short name of what a node calls: "linear" for "aten::linear", "add" for "aten::add.Tensor", "relu" for "torch.nn.functional.relu".
function callName(node) {
  if (node.result) return "result " + node.result[1];
  if (node.op === "placeholder") return node.block ? "variable" : "input";
  if (node.op === "output") return node.block ? "result" : "return";
  if (node.op === "get_attr") return "attribute";
  if (node.op === "call_method") return "." + node.target;
  if (node.op === "call_module") return node.moduleClass ? lastPart(node.moduleClass) : node.target;
  const name = node.operator || node.target;
  const colons = name.indexOf("::");
  return colons >= 0 ? name.slice(colons + 2).split(".")[0] : lastPart(name);
}

// The name of a node where it is an argument.
function referenceName(node) {
  return isParameter(node) ? lastPart(node.target) : node.name;
}

// An argument as text.
function argumentText(graph, argument) {
  return argument.slice(1).map((part) => (typeof part === "number" ? referenceName(graph.nodes[part]) : part)).join("");
}

function callText(graph, node) {
  return callName(node) + "(" + (node.args || []).map((a) => argumentText(graph, a)).join(", ") + ")";
}

// Sets `rounds` of each variable of a loop: its value at first, and its value for the next iteration.
function prepareLoops(graph) {
  const loops = new Map();
  for (const node of graph.nodes) {
    if (node.structure === "Loop" && node.blocks) loops.set(node.blocks[0], { loop: node, variables: [] });
    const inside = loops.get(node.block);
    if (inside && node.op === "placeholder") inside.variables.push(node);
    if (!inside || node.op !== "output" || node.result) continue;
    inside.variables.forEach((variable, k) => {
      if (k) variable.rounds = [inside.loop.args[k + 1], (node.args || [])[k]];
    });
  }
}

// Adds to the data's nodes what can be computed from it: users, projections, module classes.
function prepareGraph(graph, side) {
  if (!graph) return null;
  graph.side = side;
  graph.nodes.forEach((node, index) => {
    node.index = index;
    node.graph = graph;
    node.users = [];
    node.results = [];
    node.row = null;
    const module = node.op === "call_module" ? graph.modules[node.target] : null;
    node.moduleClass = module ? module.class : "";
  });
  for (const node of graph.nodes) {
    if (node.result) {
      node.of = graph.nodes[node.result[0]];
      node.of.results.push(node);
      continue;
    }
    for (const argument of node.args || []) {
      for (let k = 1; k < argument.length; ++k) {
        if (typeof argument[k] !== "number") continue;
        const used = graph.nodes[argument[k]];
        for (const one of used.of ? [used, used.of] : [used]) {
          if (one.users[one.users.length - 1] !== node) one.users.push(node);
        }
      }
    }
  }
  prepareLoops(graph);
  return graph;
}

// The nodes among the arguments of a node, each once.
function inputsOf(node) {
  const found = new Set();
  for (const argument of node.args || []) {
    for (const part of argument.slice(1)) if (typeof part === "number") found.add(node.graph.nodes[part]);
  }
  return Array.from(found);
}

// The type of a value, for a row. Long expressions are replaced by the sizes of the example.
function valueText(node) {
  const value = node.value || "";
  return value.length > 34 && node.example ? value.slice(0, value.indexOf("[")) + node.example + " e.g." : value;
}

function rowState(before, after, changes) {
  if (!before) return "added";
  if (!after) return "removed";
  if (changes.some((c) => c !== "moved")) return "changed";
  return changes.length ? "moved" : "same";
}

// The model of a function: its graphs, and its rows. A row has a node before, a node after, or both; without a comparison, only the node after.
function makeModel(data) {
  const before = prepareGraph(data.before, "before");
  const after = prepareGraph(data.after, "after");
  const model = { name: data.name, before: before, after: after, compared: Boolean(data.rows), rows: [] };
  model.main = after || before;
  model.onlySide = data.rows ? "" : after ? "after" : "before";
  const add = (x, y, changes, state) => {
    const row = { index: model.rows.length, before: x, after: y, node: y || x, changes: changes, state: state, item: null };
    const module = row.node.module || "";
    row.module = x && x.module && x.module.length > module.length ? x.module : module; // a pass may lose the module of a node
    if (x) x.row = row;
    if (y) y.row = row;
    model.rows.push(row);
  };
  if (data.rows) {
    for (const r of data.rows) {
      const x = r[0] === null ? null : before.nodes[r[0]];
      const y = r[1] === null ? null : after.nodes[r[1]];
      add(x, y, r.slice(2), rowState(x, y, r.slice(2)));
    }
  } else {
    for (const node of model.main.nodes) if (!node.of) add(null, node, [], "same");
  }
  for (const graph of [before, after]) {
    if (graph) for (const node of graph.nodes) if (node.of) node.row = node.of.row;
  }
  return model;
}

function pathParts(path) {
  const parts = path ? path.split(".") : [];
  return parts.length <= MAX_LEVELS ? parts : parts.slice(0, MAX_LEVELS - 1).concat(parts.slice(MAX_LEVELS - 1).join("."));
}

function newItem(tree, kind, parent, path, row) {
  const item = { kind: kind, parent: parent, path: path, row: row, children: [], open: false, module: "", key: "", depth: 0, index: -1, end: -1 };
  item.counts = { nodes: 0, added: 0, removed: 0, changed: 0, moved: 0 };
  if (parent) parent.children.push(item);
  tree.items.push(item);
  return item;
}

const BLOCK_LABELS = { If: ["then", "else"], Loop: ["loop body"] };

function addBlocks(tree, item, containers) {
  const row = item.row;
  const count = Math.max(row.before && row.before.blocks ? row.before.blocks.length : 0, row.after && row.after.blocks ? row.after.blocks.length : 0);
  for (let k = 0; k < count; ++k) {
    const block = newItem(tree, "block", item, item.path, null);
    const labels = BLOCK_LABELS[row.node.structure] || [];
    block.label = labels[k] || "block " + k;
    block.open = true;
    const container = { chain: [block], paths: [item.path] };
    for (const side of ["before", "after"]) {
      if (row[side] && row[side].blocks && k < row[side].blocks.length) containers[side].set(row[side].blocks[k], container);
    }
  }
}

// The innermost group of a container for nodes of this module. A group holds consecutive nodes, so the nodes keep their order.
function groupFor(tree, container, path, base) {
  const parts = pathParts(path);
  const around = pathParts(base);
  let common = 0;
  while (common < parts.length && common < around.length && parts[common] === around[common]) ++common;
  const wanted = [];
  for (let k = common; k < parts.length; ++k) wanted.push(parts.slice(0, k + 1).join("."));
  let kept = 1;
  while (kept - 1 < wanted.length && kept < container.paths.length && container.paths[kept] === wanted[kept - 1]) ++kept;
  container.chain.length = container.paths.length = kept;
  for (let k = kept - 1; k < wanted.length; ++k) {
    container.chain.push(newItem(tree, "module", container.chain[container.chain.length - 1], wanted[k], null));
    container.paths.push(wanted[k]);
  }
  return container.chain[container.chain.length - 1];
}

// Simplifies groups: a group that holds only another group is merged with it; a group that holds one node is replaced by that node's row.
function compress(tree) {
  for (let k = tree.items.length - 1; k > 0; --k) {
    const item = tree.items[k];
    if (item.kind !== "module" || item.children.length !== 1) continue;
    const only = item.children[0];
    if (only.kind === "module") {
      item.path = only.path;
      item.children = only.children;
      for (const child of item.children) child.parent = item;
      only.kind = "gone";
    } else if (only.kind === "node" && !only.children.length) {
      item.kind = "node";
      item.row = only.row;
      item.row.item = item;
      item.module = only.module || item.path;
      item.children = [];
      only.kind = "gone";
    }
  }
  tree.items = tree.items.filter((item) => item.kind !== "gone");
}

function countNodes(tree) {
  for (let k = tree.items.length - 1; k > 0; --k) {
    const item = tree.items[k];
    if (item.kind === "node") {
      if (item.row.node.op.startsWith("call")) ++item.counts.nodes;
      if (item.row.state !== "same") ++item.counts[item.row.state];
    }
    for (const name of Object.keys(item.counts)) item.parent.counts[name] += item.counts[name];
  }
}

// The path of the nearest group around an item, to which its label is relative.
function pathAround(item) {
  for (let at = item.parent; at; at = at.parent) if (at.kind === "module" || at.kind === "root") return at.path;
  return "";
}

function relativePath(path, around) {
  return around && path.startsWith(around + ".") ? path.slice(around.length + 1) : path;
}

// Makes the tree of modules and blocks with their rows. Attributes are shown if they changed, or if the user asks for them.
function makeTree(model, showAttributes) {
  const tree = { items: [], model: model };
  const root = newItem(tree, "root", null, "", null);
  tree.root = root;
  root.open = true;
  const top = { chain: [root], paths: [""] };
  const containers = { before: new Map([[0, top]]), after: new Map([[0, top]]) };
  for (const row of model.rows) {
    row.item = null;
    const node = row.node;
    if (isParameter(node) && !showAttributes && row.state === "same") continue;
    const side = row.after ? "after" : "before";
    const container = containers[side].get(node.block || 0) || top;
    const parent = groupFor(tree, container, row.module, container.paths[0]);
    const item = newItem(tree, "node", parent, row.module, row);
    row.item = item;
    if (node.op === "call_module") item.module = node.target;
    if (node.blocks || (row.before && row.before.blocks)) addBlocks(tree, item, containers);
  }
  compress(tree);
  countNodes(tree);
  const seen = new Map();
  for (const item of tree.items) {
    item.around = pathAround(item);
    const times = seen.get(item.path) || 0;
    if (item.kind === "module") seen.set(item.path, times + 1);
    item.key = item.kind === "module" ? "m" + times + item.path : item.row ? "r" + item.row.index : "";
  }
  return tree;
}

function unfoldable(item) {
  return item.children.length > 0 && item.kind !== "root";
}

// Unfolds level by level while there is room. If there are few changes, also unfolds down to each of them.
function unfoldAtFirst(tree) {
  let level = tree.root.children;
  let rows = level.length;
  while (level.length) {
    const next = [];
    let more = 0;
    for (const item of level) {
      if (!unfoldable(item)) continue;
      for (const child of item.children) next.push(child);
      more += item.children.length;
    }
    if (rows + more > INITIAL_ROWS) break;
    rows += more;
    for (const item of level) if (unfoldable(item)) item.open = true;
    level = next;
  }
  const changed = tree.items.filter((item) => item.kind === "node" && item.row.state !== "same");
  if (changed.length <= 300) for (const item of changed) openAround(item);
}

function openAround(item) {
  for (let at = item.parent; at; at = at.parent) at.open = true;
}

const HEIGHTS = { module: 30, node: 26, block: 26, end: 6 };

// The lines that are visible: rows, and the ends of open boxes. Sets where each item stands.
function visibleLines(tree) {
  const lines = [];
  const tops = [0];
  let top = 0;
  const put = (kind, item) => {
    lines.push({ kind: kind, item: item });
    top += HEIGHTS[kind];
    tops.push(top);
  };
  for (const item of tree.items) item.index = item.end = -1;
  const stack = [{ item: tree.root, next: 0, depth: -1 }];
  while (stack.length) {
    const frame = stack[stack.length - 1];
    if (frame.next === frame.item.children.length) {
      stack.pop();
      if (frame.item.kind !== "root") {
        frame.item.end = lines.length;
        put("end", frame.item);
      }
      continue;
    }
    const child = frame.item.children[frame.next++];
    child.depth = frame.depth + 1;
    child.index = lines.length;
    put(child.kind, child);
    if (child.open && child.children.length) stack.push({ item: child, next: 0, depth: child.depth });
  }
  return { lines: lines, tops: tops, height: top };
}

// The line at a height, by binary search.
function lineAt(view, height) {
  let low = 0;
  let high = view.lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.tops[middle + 1] <= height) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(view.lines.length - 1, 0));
}

// The visible item for an item: itself, or the folded item that contains it.
function visibleItem(item) {
  let shown = item;
  for (let at = item.parent; at && at.kind !== "root"; at = at.parent) if (!at.open) shown = at;
  return shown;
}

function searchText(model, row) {
  if (row.text === undefined) {
    const texts = [];
    for (const node of row.before === row.after ? [row.before] : [row.before, row.after]) {
      if (!node) continue;
      const place = node.at ? node.graph.files[node.at[0]] + ":" + node.at[1] : "";
      const module = node.op === "call_module" ? node.target : node.module || "";
      texts.push(node.name, node.op, node.target, node.operator || "", node.value || "", module, place, callText(node.graph, node));
      for (const one of node.results) texts.push(one.name);
    }
    row.text = texts.join("\n").toLowerCase();
  }
  return row.text;
}

// Modules and rows that hold every word, those whose name begins with it first.
function search(tree, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const first = [];
  const others = [];
  for (const item of tree.items) {
    if (item.kind !== "module") continue;
    const module = tree.model.main.modules[item.path];
    const all = (item.path + "\n" + (module ? module.class : "")).toLowerCase();
    if (words.every((w) => all.includes(w))) (lastPart(item.path).toLowerCase().startsWith(words[0]) ? first : others).push({ item: item, row: null });
  }
  for (const row of tree.model.rows) {
    if (!words.every((w) => searchText(tree.model, row).includes(w))) continue;
    const starts = row.node.name.toLowerCase().startsWith(words[0]) || callName(row.node).toLowerCase().startsWith(words[0]);
    (starts ? first : others).push({ item: row.item, row: row });
  }
  return first.concat(others);
}

// The nodes outside of a group that it uses, and its nodes that are used outside.
function borders(model, rows) {
  const inside = new Set(rows);
  const inputs = new Set();
  const outputs = new Set();
  for (const row of rows) {
    for (const used of inputsOf(row.node)) if (!inside.has(used.row) && !isParameter(used)) inputs.add(used);
    if (row.node.users.some((user) => !inside.has(user.row))) outputs.add(row.node);
  }
  return { inputs: Array.from(inputs), outputs: Array.from(outputs).filter((n) => !isParameter(n)) };
}

// The rows of an item and of everything in it.
function rowsIn(item) {
  const rows = [];
  const stack = [item];
  while (stack.length) {
    const one = stack.pop();
    if (one.row) rows.push(one.row);
    for (const child of one.children) stack.push(child);
  }
  return rows.sort((a, b) => a.index - b.index);
}

function operatorCounts(rows) {
  const counts = new Map();
  for (const row of rows) {
    if (!row.node.op.startsWith("call")) continue;
    counts.set(callName(row.node), (counts.get(callName(row.node)) || 0) + 1);
  }
  return Array.from(counts).sort((a, b) => b[1] - a[1]);
}

function bytesText(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let amount = bytes;
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    ++unit;
  }
  if (unit === 0) return bytes === 1 ? "1 byte" : bytes + " bytes";
  return (amount < 10 ? amount.toFixed(2) : amount < 100 ? amount.toFixed(1) : amount.toFixed(0)) + " " + units[unit];
}

function countText(count) {
  if (count >= 1e9) return (count / 1e9).toPrecision(3) + " G";
  if (count >= 1e6) return (count / 1e6).toPrecision(3) + " M";
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function plural(count, word) {
  return countText(count) + " " + word + (count === 1 ? "" : "s");
}

// Names come from files: characters that are invisible or change the direction of the text are shown by their code.
function visible(text) {
  // eslint-disable-next-line no-control-regex
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

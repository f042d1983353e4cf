// Draws the page: the visible lines of the tree, and the details of the selected row. Strings are inserted as text, never as HTML.
const byId = (id) => document.getElementById(id);
const list = byId("list");
const data = JSON.parse(byId("data").textContent);
const INDENT = 16;
const GUTTER = 34; // the width in which the lines to inputs and users are drawn
const DEEPEST = 24; // deeper levels are not indented further
const BEYOND = 8; // the number of lines drawn above and below the visible ones
const MOST_FOUND = 100;
const MOST_LISTED = 60;
const NO_LIMIT = "9223372036854775807"; // the count of a loop that only its condition ends

const state = { model: null, tree: null, view: null, node: null, item: null, attributes: false, found: [], at: -1, history: [] };

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = visible(text);
  return made;
}

function add(parent, tag, className, text) {
  const made = element(tag, className, text);
  parent.appendChild(made);
  return made;
}

// Makes a name that selects its node or module when it is clicked.
function link(parent, node, text, className) {
  const kind = isParameter(node) ? "attribute" : node.op === "placeholder" ? "input" : "";
  const made = add(parent, "a", ("link " + kind + " " + (className || "")).trim(), text === undefined ? referenceName(node) : text);
  made.title = visible((isParameter(node) ? node.target : node.name) + (node.value ? " : " + node.value : ""));
  made.target_node = node;
  return made;
}

function moduleLink(parent, path, text) {
  const made = add(parent, "a", "link module", text);
  made.title = visible(path);
  made.target_module = path;
  return made;
}

// Rows --------------------------------------------------------------------------------------------------------------------------------

function indentOf(item) {
  return GUTTER + Math.min(item.depth, DEEPEST) * INDENT;
}

function badges(parent, counts) {
  const box = add(parent, "span", "badges");
  for (const [name, sign] of [["removed", "−"], ["added", "+"], ["changed", "~"], ["moved", "↕"]]) {
    if (counts[name]) add(box, "span", "badge " + name, sign + counts[name]).title = counts[name] + " " + name;
  }
}

function fillCall(cell, node) {
  const graph = node.graph;
  add(cell, "b", "", callName(node));
  if (isParameter(node)) {
    add(cell, "span", "dim", " " + node.target);
    return;
  }
  const parts = node.args || [];
  if (node.op === "placeholder") {
    if (parts.length) add(cell, "span", "dim", " = " + argumentText(graph, parts[0]));
    (node.rounds || []).forEach((argument, k) => {
      add(cell, "span", "dim", k ? ", then " : " = ");
      if (argument) fillArgument(cell, graph, argument, false);
    });
    return;
  }
  const brackets = node.op !== "output";
  add(cell, "span", "dim", brackets ? "(" : " ");
  parts.slice(0, 40).forEach((argument, k) => {
    if (k) add(cell, "span", "dim", ", ");
    fillArgument(cell, graph, argument, node.op.startsWith("call") && k > 0);
  });
  add(cell, "span", "dim", (parts.length > 40 ? ", …" : "") + (brackets ? ")" : ""));
  const module = node.op === "call_module" ? graph.modules[node.target] : null;
  if (module && module.arguments) add(cell, "span", "class", " " + module.arguments.slice(0, 200));
}

// An argument that is a literal is shown with its name; a node is shown by its own name.
function fillArgument(cell, graph, argument, named) {
  if (named && argument[0] && argument.length === 2 && typeof argument[1] !== "number") add(cell, "span", "dim", argument[0] + "=");
  for (const part of argument.slice(1, 60)) {
    if (typeof part === "number") link(cell, graph.nodes[part]);
    else add(cell, "span", "literal", part === NO_LIMIT ? "no limit" : part.length > 120 ? part.slice(0, 120) + "…" : part);
  }
  if (argument.length > 60) add(cell, "span", "dim", "…");
}

function kindOf(node) {
  if (node.structure) return "flow";
  if (node.op === "placeholder") return "input";
  if (node.op === "output") return "output";
  return isParameter(node) ? "attribute" : node.op === "call_module" ? "call-module" : "";
}

function placeText(node) {
  if (!node.at) return "";
  const file = node.graph.files[node.at[0]];
  return file.slice(file.lastIndexOf("/") + 1) + ":" + node.at[1];
}

function fillPlace(cell, node) {
  if (!node.at) return;
  const text = placeText(node);
  add(cell, "span", "file", text.slice(0, text.lastIndexOf(":")));
  add(cell, "span", "number", text.slice(text.lastIndexOf(":")));
  cell.title = visible(node.graph.files[node.at[0]] + ":" + node.at[1]);
}

function fillName(cell, item, node) {
  if (item.module) {
    add(cell, "span", "module", relativePath(item.module, item.around));
    const module = node.graph.modules[item.module];
    if (module && node.op !== "call_module") add(cell, "span", "class", lastPart(module.class));
    add(cell, "span", "name dim", node.name);
  } else {
    add(cell, "span", "name", node.op === "output" ? "" : node.name);
  }
  if (node.results.length) add(cell, "span", "name dim", "→ " + node.results.map((one) => one.name).join(", "));
}

function twisty(cell, item) {
  add(cell, "span", "twisty", item.children.length ? (item.open ? "▾" : "▸") : "");
}

function half(row, item, node, side) {
  const box = add(row, "div", "half " + side + (node ? "" : " none"));
  box.style.paddingLeft = indentOf(item) + "px";
  if (side === "before") twisty(box, item);
  if (!node) return;
  const state = item.row.state;
  add(box, "span", "sign", state === "removed" ? "−" : state === "added" ? "+" : state === "changed" ? "~" : state === "moved" ? "↕" : "");
  fillName(add(box, "span", "who"), item, node);
  fillCall(add(box, "span", "call"), node);
  add(box, "span", "value", valueText(node)).title = visible(node.value || "");
}

function nodeRow(item) {
  const row = item.row;
  const box = element("div", "row node " + kindOf(row.node) + " " + row.state + (row.node.value === "SymInt" ? " size" : ""));
  if (state.model.compared) {
    box.classList.add("two");
    half(box, item, row.before, "before");
    half(box, item, row.after, "after");
    return box;
  }
  const name = add(box, "span", "cell who");
  name.style.paddingLeft = indentOf(item) + "px";
  twisty(name, item);
  fillName(name, item, row.node);
  fillCall(add(box, "span", "cell call"), row.node);
  add(box, "span", "cell value", valueText(row.node)).title = visible(row.node.value || "");
  fillPlace(add(box, "span", "cell place"), row.node);
  return box;
}

function resultText(item) {
  if (item.result === undefined) {
    const outputs = borders(state.model, rowsIn(item)).outputs;
    item.result = outputs.length === 1 ? valueText(outputs[0]) : outputs.length > 1 ? plural(outputs.length, "result") : "";
  }
  return item.result;
}

function moduleRow(item) {
  const box = element("div", "row group");
  const name = add(box, "span", "cell who");
  name.style.paddingLeft = indentOf(item) + "px";
  twisty(name, item);
  const module = state.model.main.modules[item.path];
  add(name, "span", "module", relativePath(item.path, item.around));
  if (module && lastPart(module.class) !== "Module") add(name, "span", "class", lastPart(module.class)); // torch.fx's own containers
  const facts = add(box, "span", "cell call dim", plural(item.counts.nodes, "node"));
  if (module && module.parameters) facts.textContent += " · " + plural(module.parameters, "parameter");
  if (state.model.compared) {
    badges(facts, item.counts);
  } else {
    add(box, "span", "cell value", item.open ? "" : resultText(item));
    add(box, "span", "cell place", "");
  }
  return box;
}

function blockRow(item) {
  const box = element("div", "row section");
  const name = add(box, "span", "cell who");
  name.style.paddingLeft = indentOf(item) + "px";
  twisty(name, item);
  add(name, "span", "label", item.label);
  const facts = add(box, "span", "cell call dim", plural(item.counts.nodes, "node"));
  if (state.model.compared) badges(facts, item.counts);
  return box;
}

function related() {
  const found = new Map();
  if (!state.node) return found;
  const note = (node, role) => {
    const item = node.row && node.row.item;
    if (item) found.set(visibleItem(item), role);
  };
  const inner = state.node.of || state.node;
  for (const user of inner.users) note(user, "user");
  for (const used of inputsOf(inner)) note(used, "producer");
  return found;
}

let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawNow();
  });
}

function drawNow() {
  const view = state.view;
  const first = Math.max(0, lineAt(view, list.scrollTop) - BEYOND);
  const last = Math.min(view.lines.length - 1, lineAt(view, list.scrollTop + list.clientHeight) + BEYOND);
  const rows = document.createDocumentFragment();
  const boxes = document.createDocumentFragment();
  const relations = related();
  const open = new Set();
  const selected = state.item && visibleItem(state.item);
  for (let k = first; k <= last; ++k) {
    const line = view.lines[k];
    const item = line.item;
    for (let at = line.kind === "end" || item.open ? item : item.parent; at && at.kind !== "root" && !open.has(at); at = at.parent) open.add(at);
    if (line.kind === "end") continue;
    const box = item.kind === "module" ? moduleRow(item) : item.kind === "block" ? blockRow(item) : nodeRow(item);
    box.style.top = view.tops[k] + "px";
    box.style.height = HEIGHTS[item.kind] + "px";
    box.item = item;
    box.setAttribute("role", "treeitem");
    box.setAttribute("aria-level", String(item.depth + 1));
    if (item.children.length) box.setAttribute("aria-expanded", String(item.open));
    if (item === selected) box.classList.add("selected");
    if (relations.has(item)) box.classList.add(relations.get(item));
    rows.appendChild(box);
  }
  for (const item of open) {
    if (item.end < 0 || item.index < 0) continue;
    const box = add(boxes, "div", "box " + item.kind);
    box.style.top = view.tops[item.index] + "px";
    box.style.height = view.tops[item.end] - view.tops[item.index] + 2 + "px";
    box.style.left = indentOf(item) - 4 + "px";
  }
  const topmost = view.lines[lineAt(view, list.scrollTop)];
  const path = topmost ? (topmost.item.kind === "module" && topmost.item.open ? topmost.item.path : topmost.item.around) : "";
  byId("where").textContent = path && list.scrollTop > 0 ? "  in " + visible(path) : "";
  byId("rows").replaceChildren(rows);
  byId("boxes").replaceChildren(boxes);
  drawWires(relations, selected);
}

// Draws lines from the selected row to the rows of its inputs and users. No other edges are drawn.
function drawWires(relations, selected) {
  const svg = byId("wires");
  svg.replaceChildren();
  svg.setAttribute("height", String(state.view.height));
  if (!selected || selected.index < 0) return;
  const middle = (item) => state.view.tops[item.index] + HEIGHTS[item.kind] / 2;
  const y = middle(selected);
  const top = list.scrollTop - 40;
  const bottom = top + list.clientHeight + 80;
  for (const [item, role] of relations) {
    if (item === selected || item.index < 0) continue;
    const end = Math.min(Math.max(middle(item), top), bottom); // it leads out of sight
    const start = Math.min(Math.max(y, top), bottom);
    const x = GUTTER - 8;
    const out = Math.max(3, x - 8 - Math.abs(end - start) / 12);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M" + x + " " + start + " C" + out + " " + start + " " + out + " " + end + " " + x + " " + end);
    path.setAttribute("class", role);
    svg.appendChild(path);
  }
}

function layout() {
  state.view = visibleLines(state.tree);
  byId("canvas").style.height = state.view.height + 40 + "px";
  draw();
}

// Selection ---------------------------------------------------------------------------------------------------------------------------

function scrollToItem(item) {
  const shown = visibleItem(item);
  if (shown.index < 0) return;
  const top = state.view.tops[shown.index];
  const margin = Math.min(80, list.clientHeight / 4);
  if (top < list.scrollTop + margin) list.scrollTop = Math.max(0, top - margin);
  else if (top + 60 > list.scrollTop + list.clientHeight - byId("heads").offsetHeight) list.scrollTop = top - list.clientHeight / 2;
}

function select(item, node, options) {
  const how = options || {};
  if (!how.back && (state.item || state.node)) state.history.push({ item: state.item, node: state.node });
  state.item = item;
  state.node = node === undefined ? (item && item.row ? item.row.node : null) : node;
  if (item && how.reveal) {
    openAround(item);
    layout();
    scrollToItem(item);
  }
  draw();
  showDetails();
}

function goToNode(node) {
  select(node.row && node.row.item, node, { reveal: true });
}

function goToModule(path) {
  const item = state.tree.items.find((one) => (one.kind === "module" && one.path === path) || one.module === path);
  if (item) select(item, undefined, { reveal: true });
}

function goBack() {
  const last = state.history.pop();
  if (last) select(last.item, last.node, { reveal: true, back: true });
}

function toggle(item, open) {
  if (!item.children.length) return;
  item.open = open === undefined ? !item.open : open;
  layout();
}

function setAll(open) {
  for (const item of state.tree.items) if (unfoldable(item) && item.kind !== "block") item.open = open;
  layout();
  if (state.item) scrollToItem(state.item);
}

// The nearest row above or below.
function move(step) {
  const lines = state.view.lines;
  let at = state.item ? visibleItem(state.item).index : step > 0 ? -1 : lines.length;
  do at += step;
  while (at >= 0 && at < lines.length && lines[at].kind === "end");
  if (at < 0 || at >= lines.length) return;
  select(lines[at].item, undefined, { back: true });
  scrollToItem(lines[at].item);
}

function nextChange(step) {
  const changed = state.model.rows.filter((row) => row.state !== "same" && row.item);
  if (!changed.length) return;
  const row = state.item && (state.item.row || rowsIn(state.item)[0]);
  const at = row ? row.index : step > 0 ? -1 : Infinity;
  const found = step > 0 ? changed.find((r) => r.index > at) : changed.filter((r) => r.index < at).pop();
  select((found || changed[step > 0 ? 0 : changed.length - 1]).item, undefined, { reveal: true });
}

// Details -----------------------------------------------------------------------------------------------------------------------------

function section(parent, title) {
  add(parent, "h3", "", title);
  return add(parent, "dl", "");
}

function fact(parent, name, fill) {
  add(parent, "dt", "", name);
  const cell = add(parent, "dd", "");
  if (typeof fill === "function") fill(cell);
  else cell.textContent = visible(fill);
  return cell;
}

function links(cell, nodes) {
  nodes.slice(0, MOST_LISTED).forEach((node) => {
    const line = add(cell, "div", "line");
    link(line, node);
    add(line, "span", "dim", " " + callName(node) + (node.value ? "  " + valueText(node) : ""));
  });
  if (nodes.length > MOST_LISTED) add(cell, "div", "dim", "… " + countText(nodes.length - MOST_LISTED) + " more");
}

function modulePath(cell, graph, path) {
  const parts = pathParts(path);
  parts.forEach((part, k) => {
    if (k) add(cell, "span", "dim", ".");
    moduleLink(cell, parts.slice(0, k + 1).join("."), part);
  });
  const module = graph.modules[path];
  if (module) add(cell, "div", "dim", module.class + (module.arguments ? "(" + module.arguments + ")" : ""));
}

function showChange(box, row) {
  if (!state.model.compared || row.state === "same") return;
  const line = add(box, "p", "change " + row.state);
  if (row.state === "removed") line.textContent = "Removed: only the graph before has it.";
  else if (row.state === "added") line.textContent = "Added: only the graph after has it.";
  else if (row.state === "moved") line.textContent = "Moved to another place.";
  else {
    line.textContent = "Changed: " + row.changes.join(", ") + ".";
    const facts = add(box, "dl", "");
    for (const side of ["before", "after"]) {
      fact(facts, side, (cell) => {
        fillCall(add(cell, "div", ""), row[side]);
        if (row[side].value) add(cell, "div", "dim", row[side].value);
      });
    }
  }
}

function nodeDetails(box, node) {
  const graph = node.graph;
  add(box, "h2", "", node.op === "output" ? "return" : node.name);
  if (node.row) showChange(box, node.row);
  const facts = add(box, "dl", "");
  fact(facts, "op", node.of ? "result " + node.result[1] + " of " + node.of.name : node.op);
  if (!node.of && node.op !== "output") fact(facts, "target", node.target);
  if (node.operator) fact(facts, "operator", node.operator);
  if (node.value) fact(facts, "value", node.value + (node.declared ? "  (declared)" : ""));
  if (node.example) fact(facts, "example", node.example);
  if (node.type) fact(facts, "type", node.type);
  if (node.bytes !== undefined && node.op !== "output") fact(facts, "size", bytesText(node.bytes));
  const path = node.op === "call_module" ? node.target : node.module;
  if (path) fact(facts, "module", (cell) => modulePath(cell, graph, path));
  if (node.at) fact(facts, "source", graph.files[node.at[0]] + ":" + node.at[1]);
  const parts = (node.args || []).slice(0, MOST_LISTED);
  if (parts.length) {
    const inputs = section(box, node.op === "output" ? "Results" : node.op === "placeholder" ? "Default" : "Inputs");
    parts.forEach((argument, k) => {
      fact(inputs, argument[0] || String(k), (cell) => {
        fillArgument(cell, graph, argument, false);
        if (argument.length === 2 && typeof argument[1] === "number" && graph.nodes[argument[1]].value) add(cell, "div", "dim", valueText(graph.nodes[argument[1]]));
      });
    });
    if (node.args.length > MOST_LISTED) fact(inputs, "…", countText(node.args.length - MOST_LISTED) + " more");
  }
  if (node.results.length) {
    add(box, "h3", "", "Results");
    links(box, node.results);
  }
  if (node.op !== "output") {
    add(box, "h3", "", "Users (" + countText(node.users.length) + ")");
    if (node.users.length) links(box, node.users);
    else add(box, "p", "dim", "Nothing uses it.");
  }
}

function countsTable(box, rows) {
  const counts = operatorCounts(rows);
  const facts = section(box, "Calls");
  for (const [name, count] of counts.slice(0, 14)) fact(facts, name, countText(count));
  if (counts.length > 14) fact(facts, "…", countText(counts.length - 14) + " more kinds");
}

function groupDetails(box, item) {
  const graph = state.model.main;
  add(box, "h2", "", item.kind === "block" ? item.label : lastPart(item.path));
  const facts = add(box, "dl", "");
  const module = item.kind === "module" ? graph.modules[item.path] : null;
  if (item.kind === "module") fact(facts, "module", (cell) => modulePath(cell, graph, item.path));
  if (module && module.parameters) fact(facts, "parameters", countText(module.parameters) + ", " + bytesText(module.bytes) + " (with buffers)");
  const rows = rowsIn(item);
  fact(facts, "nodes", countText(item.counts.nodes));
  const border = borders(state.model, rows);
  add(box, "h3", "", "From outside");
  links(box, border.inputs);
  add(box, "h3", "", "To outside");
  links(box, border.outputs);
  countsTable(box, rows);
}

function changesList(box) {
  const changed = state.model.rows.filter((row) => row.state !== "same");
  add(box, "h3", "", changed.length ? "Changes (" + countText(changed.length) + ")" : "Changes");
  if (!changed.length) add(box, "p", "dim", "None: the graphs have the same steps.");
  for (const row of changed.slice(0, 200)) {
    const line = add(box, "div", "line " + row.state);
    add(line, "span", "sign", { removed: "−", added: "+", changed: "~", moved: "↕" }[row.state]);
    link(line, row.node, row.node.op === "output" ? "return" : row.node.name);
    add(line, "span", "dim", " " + callName(row.node) + (row.changes.length ? "  " + row.changes.join(", ") : ""));
  }
  if (changed.length > 200) add(box, "div", "dim", "… " + countText(changed.length - 200) + " more");
}

function overview(box) {
  const model = state.model;
  const graph = model.main;
  add(box, "h2", "", data.title);
  const facts = add(box, "dl", "");
  const module = graph.modules[""];
  if (module) fact(facts, "module", module.class);
  fact(facts, "function", model.name);
  fact(facts, "nodes", model.compared ? countText(model.before.nodes.length) + " → " + countText(model.after.nodes.length) : countText(graph.nodes.length));
  if (model.onlySide === "before" && !data.functions.every((f) => !f.after)) fact(facts, "only in", "the file before");
  if (module && module.parameters) fact(facts, "parameters", countText(module.parameters) + ", " + bytesText(module.bytes) + " (with buffers)");
  if (model.compared) changesList(box);
  const tops = graph.nodes.filter((n) => !n.block);
  const inputs = tops.filter((n) => n.op === "placeholder");
  add(box, "h3", "", "Inputs");
  links(box, inputs);
  const output = tops.find((n) => n.op === "output");
  add(box, "h3", "", "Results");
  if (output) links(box, inputsOf(output));
  if (graph.sizes.length) {
    const sizes = section(box, "Sizes");
    for (const size of graph.sizes.slice(0, MOST_LISTED)) fact(sizes, size.name, size.example === undefined ? "any" : size.example + " in the example");
  }
  if (graph.guards.length) {
    const guards = section(box, "Guards, which every run checks");
    for (const g of graph.guards.slice(0, MOST_LISTED)) fact(guards, g.at ? graph.files[g.at[0]].split("/").pop() + ":" + g.at[1] : "", g.expression + " is " + g.expected);
  }
  countsTable(box, model.rows);
}

function showDetails() {
  const box = document.createElement("div");
  if (state.node) nodeDetails(box, state.node);
  else if (state.item) groupDetails(box, state.item);
  else overview(box);
  byId("details").replaceChildren(box);
  byId("details").scrollTop = 0;
}

// Search ------------------------------------------------------------------------------------------------------------------------------

function showFound() {
  const box = byId("found");
  const text = byId("search").value;
  state.found = search(state.tree, text);
  state.at = state.found.length ? 0 : -1;
  box.replaceChildren();
  box.hidden = !text.trim();
  if (box.hidden) return;
  add(box, "div", "dim count", state.found.length ? plural(state.found.length, "match").replace("matchs", "matches") : "Nothing holds “" + text.trim() + "”.");
  state.found.slice(0, MOST_FOUND).forEach((found, k) => {
    const line = add(box, "div", "result" + (k === state.at ? " at" : ""));
    line.found = k;
    if (found.row) {
      add(line, "b", "", found.row.node.op === "output" ? "return" : found.row.node.name);
      add(line, "span", "dim", " " + callText(found.row.node.graph, found.row.node).slice(0, 160));
      if (found.row.node.module) add(line, "span", "module", found.row.node.module);
    } else {
      const module = state.model.main.modules[found.item.path];
      add(line, "b", "module", found.item.path);
      if (module) add(line, "span", "dim", " " + lastPart(module.class));
    }
  });
}

function markFound(at) {
  const lines = byId("found").querySelectorAll(".result");
  if (!lines.length) return;
  state.at = (at + lines.length) % lines.length;
  lines.forEach((line, k) => line.classList.toggle("at", k === state.at));
  lines[state.at].scrollIntoView({ block: "nearest" });
}

function takeFound(at) {
  const found = state.found[at];
  if (!found) return;
  state.at = at;
  byId("found").hidden = true;
  list.focus();
  select(found.item, found.row ? found.row.node : undefined, { reveal: true });
}

// Keys, buttons, mouse ----------------------------------------------------------------------------------------------------------------

const KEYS = [
  ["↑ ↓", "the row above, below"],
  ["→ ←", "unfold; fold, or go to the module around"],
  ["Enter", "unfold or fold"],
  ["/", "search; ↑ ↓ and Enter take a match"],
  ["N  shift N", "the next match, the one before"],
  ["I  U", "the first input, the first user"],
  ["Backspace", "back to what was selected before"],
  ["D  shift D", "the next change, the one before"],
  ["E  C", "unfold all, fold all"],
  ["P", "parameters and buffers as rows"],
  ["T", "dark or light"],
  ["Esc", "nothing selected: the graph as a whole"],
];

function showKeys(open) {
  const box = byId("keys");
  box.hidden = open === undefined ? !box.hidden : !open;
  if (box.hidden || box.childNodes.length) return;
  const table = add(add(box, "div", "sheet"), "dl", "");
  for (const [key, what] of KEYS) fact(table, key, what);
}

function setTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function setAttributes() {
  state.attributes = !state.attributes;
  byId("attributes").setAttribute("aria-pressed", String(state.attributes));
  const open = new Set(state.tree.items.filter((item) => item.open).map((item) => item.key));
  const node = state.node;
  const path = state.item && state.item.kind === "module" ? state.item.path : null;
  state.tree = makeTree(state.model, state.attributes);
  for (const item of state.tree.items) item.open = item.kind === "block" || item.kind === "root" || open.has(item.key);
  state.item = node ? node.row && node.row.item : path === null ? null : state.tree.items.find((item) => item.kind === "module" && item.path === path) || null;
  state.history = [];
  layout();
  if (state.item) scrollToItem(state.item);
}

const ACTIONS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  ArrowRight: () => state.item && (state.item.children.length && !state.item.open ? toggle(state.item, true) : move(1)),
  ArrowLeft: () => {
    if (!state.item) return;
    if (state.item.open && state.item.children.length) toggle(state.item, false);
    else if (state.item.parent && state.item.parent.kind !== "root") select(state.item.parent, undefined, { reveal: true });
  },
  Enter: () => state.item && toggle(state.item),
  "/": () => byId("search").select(),
  n: () => takeFound(state.at + 1 < state.found.length ? state.at + 1 : 0),
  N: () => takeFound(state.at > 0 ? state.at - 1 : state.found.length - 1),
  i: () => state.node && inputsOf(state.node).length && goToNode(inputsOf(state.node)[0]),
  u: () => state.node && state.node.users.length && goToNode(state.node.users[0]),
  Backspace: goBack,
  d: () => nextChange(1),
  D: () => nextChange(-1),
  e: () => setAll(true),
  c: () => setAll(false),
  p: setAttributes,
  t: setTheme,
  "?": () => showKeys(),
  Escape: () => {
    if (!byId("keys").hidden) showKeys(false);
    else select(null, null);
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("search")) {
    const at = { ArrowDown: state.at + 1, ArrowUp: state.at - 1 }[event.key];
    if (at !== undefined) markFound(at);
    else if (event.key === "Enter") takeFound(state.at);
    else if (event.key === "Escape") {
      byId("found").hidden = true;
      list.focus();
    } else return;
    event.preventDefault();
    return;
  }
  const button = event.target.closest && event.target.closest("button, select");
  if (button && (event.key === "Enter" || event.key === " " || event.key.startsWith("Arrow"))) return;
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function follow(event) {
  const target = event.target.closest(".link");
  if (!target) return false;
  if (target.target_node) goToNode(target.target_node);
  else goToModule(target.target_module);
  return true;
}

byId("rows").addEventListener("click", (event) => {
  if (follow(event)) return;
  const row = event.target.closest(".row");
  if (!row) return;
  const item = row.item;
  const onTwisty = event.target.closest(".twisty") && item.children.length;
  if (onTwisty || item.kind !== "node") toggle(item);
  if (!onTwisty) select(item);
});
byId("rows").addEventListener("dblclick", (event) => {
  const row = event.target.closest(".row.node");
  if (row) toggle(row.item);
});
byId("details").addEventListener("click", follow);
byId("found").addEventListener("mousedown", (event) => {
  const line = event.target.closest(".result");
  if (!line) return;
  event.preventDefault();
  takeFound(line.found);
});
byId("search").addEventListener("input", showFound);
byId("search").addEventListener("focus", () => {
  if (byId("search").value.trim()) byId("found").hidden = false;
});
byId("search").addEventListener("blur", () => (byId("found").hidden = true));
byId("fold").addEventListener("click", () => setAll(false));
byId("unfold").addEventListener("click", () => setAll(true));
byId("attributes").addEventListener("click", setAttributes);
byId("theme").addEventListener("click", setTheme);
byId("help").addEventListener("click", () => showKeys());
byId("keys").addEventListener("click", () => showKeys(false));
byId("previous").addEventListener("click", () => nextChange(-1));
byId("next").addEventListener("click", () => nextChange(1));
byId("functions").addEventListener("change", (event) => showFunction(Number(event.target.value)));
list.addEventListener("scroll", draw);
window.addEventListener("resize", draw);

// Start -------------------------------------------------------------------------------------------------------------------------------

function heads() {
  const box = byId("heads");
  const names = state.model.compared ? [state.model.before.title, state.model.after.title] : ["Name", "Call", "Value", "Source"];
  box.className = state.model.compared ? "two" : "";
  box.replaceChildren();
  names.forEach((name, k) => {
    const cell = add(box, "span", "cell", name);
    if (!k) add(cell, "b", "module").id = "where"; // the module of the first visible row
  });
}

function showFunction(k) {
  state.model = makeModel(data.functions[k]);
  state.tree = makeTree(state.model, state.attributes);
  state.item = state.node = null;
  state.history = [];
  document.body.classList.toggle("compared", state.model.compared);
  byId("jumps").hidden = !state.model.compared;
  unfoldAtFirst(state.tree);
  heads();
  list.scrollTop = 0;
  layout();
  showDetails();
}

document.title = visible(data.title) + " – Monograph";
byId("title").textContent = visible(data.title);
if (data.functions.length > 1) {
  data.functions.forEach((f, k) => (add(byId("functions"), "option", "", f.name).value = String(k)));
  byId("functions").hidden = false;
}
if (data.functions.length) showFunction(0);
const asked = decodeURIComponent(location.hash.slice(1)); // page.html#linear_3
const start = asked && state.model && state.model.main.nodes.find((node) => node.name === asked);
if (start) goToNode(start);
list.focus({ preventScroll: true });

// As much of a browser's document as the page uses, so that node can run the page: it shows every row, every node's details, and presses every key.
// Reads the page from standard input; writes what was seen as JSON.
"use strict";
const fs = require("fs");
const vm = require("vm");

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], own: "", style: {}, dataset: {}, attributes: {}, listeners: {}, className: "", hidden: false, value: "" });
    Object.assign(this, { scrollTop: 0, clientHeight: 800, offsetHeight: 26 });
    const element = this;
    this.classList = {
      add: (name) => (element.className += " " + name),
      toggle: () => true,
    };
  }
  get textContent() {
    return this.own + this.children.map((c) => c.textContent).join("");
  }
  set textContent(text) {
    this.children = [];
    this.own = text;
  }
  get childNodes() {
    return this.children;
  }
  appendChild(child) {
    this.children.push(child);
    return child;
  }
  replaceChildren(...children) {
    this.own = "";
    this.children = children.reduce((all, c) => all.concat(c.tag === "#fragment" ? c.children : [c]), []);
  }
  all() {
    return this.children.reduce((found, c) => found.concat([c], c.all()), []);
  }
  querySelectorAll(selector) {
    return this.all().filter((e) => e.className.split(" ").includes(selector.slice(1)));
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener(name, listener) {
    (this.listeners[name] = this.listeners[name] || []).push(listener);
  }
  closest() {
    return null;
  }
  focus() {}
  select() {}
  scrollIntoView() {}
}

const html = fs.readFileSync(0, "utf8");
const scripts = Array.from(html.matchAll(/<script[^>]*>([^]*?)<\/script>/g), (m) => m[1]);
const elements = new Map(Array.from(html.matchAll(/ id="(\w+)"/g), (m) => [m[1], new Element("div")]));
elements.set("where", new Element("b"));
elements.get("data").own = scripts[0];
const document = new Element("document");
Object.assign(document, {
  getElementById: (id) => {
    if (!elements.has(id)) throw new Error("the page has no element " + id);
    return elements.get(id);
  },
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  createDocumentFragment: () => new Element("#fragment"),
  documentElement: new Element("html"),
  body: new Element("body"),
});
const context = { document, location: { hash: "" }, requestAnimationFrame: (f) => f(), matchMedia: () => ({ matches: false }) };
context.window = new Element("window");
vm.createContext(context);
vm.runInContext(scripts[1], context);

const seen = vm.runInContext(
  `(() => {
    const seen = { rows: [], details: [], start: byId("rows").children.map((row) => row.textContent) };
    setAll(true);
    byId("list").clientHeight = 1e9;
    drawNow();
    seen.rows = byId("rows").children.map((row) => row.textContent);
    const graphs = [state.model.before, state.model.after].filter(Boolean);
    for (const graph of graphs) for (const node of graph.nodes) {
      goToNode(node);
      seen.details.push(byId("details").textContent);
    }
    for (const item of state.tree.items) if (item.kind !== "root") { select(item); seen.details.push(byId("details").textContent); }
    byId("search").value = "a";
    showFound();
    for (const key of Object.keys(ACTIONS)) for (let k = 0; k < 3; ++k) ACTIONS[key]();
    return seen;
  })()`,
  context,
);
process.stdout.write(JSON.stringify(seen));

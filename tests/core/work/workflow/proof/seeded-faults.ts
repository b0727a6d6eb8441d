/** A fault that a model makes and doesn't repair. */
export interface SeededFault {
  request?: string
  before?: Files
  /** Files that the model writes. Null deletes a file, and an object moves it. */
  after: Record<string, string | null | { to: string; text: string }>
  /** Matches the message at the run's end. */
  names: RegExp
}
export type Files = Record<string, string>

const lines = (...all: string[]) => `${all.join("\n")}\n`
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
const many = (count: number, line: (index: number) => string) =>
  lines(...Array.from({ length: count }, (_, index) => line(index)))

/** Changes one file by replacing a part of its text. Throws if the file doesn't contain the part. */
function changed(before: Files, path: string, part: string | RegExp, by = ""): Pick<SeededFault, "before" | "after"> {
  const text = before[path] ?? ""
  const after = text.replace(part, by)
  if (after === text) throw new Error(`${path} has no ${part}`)
  return { before, after: { [path]: after } }
}

const SUM_TEST = lines(
  'import assert from "node:assert"',
  'import { test } from "node:test"',
  'import { add } from "./sum.js"',
  "",
  'test("adds", () => assert.equal(add(1, 2), 3))',
  'test("adds parts", () => assert.ok(Math.abs(add(0.1, 0.2) - 0.3) < 1e-9))',
)
const NODE: Files = {
  "package.json": json({ type: "module", scripts: { test: "node --test", start: "node sum.js" } }),
  "sum.js": "export const add = (a, b) => a + b\n",
  "sum.test.js": SUM_TEST,
}
const VITEST: Files = {
  "package.json": json({ type: "module", scripts: { test: "vitest run" }, devDependencies: { vitest: "4.0.0" } }),
  "src/sum.ts": "export const add = (a: number, b: number): number => a + b\n",
  "src/sum.test.ts": lines(
    'import { expect, it } from "vitest"',
    'import { add } from "./sum"',
    "",
    'it("adds", () => {',
    "  expect(add(1, 2)).toBe(3)",
    "})",
    'it("looks as before", () => {',
    "  expect({ sum: add(1, 2) }).toMatchSnapshot()",
    "})",
  ),
  "src/__snapshots__/sum.test.ts.snap": 'exports[`looks as before 1`] = `{ "sum": 3 }`;\n',
}
const PYTHON: Files = {
  "sums.py": "def add(a, b):\n    return a + b\n",
  "test_sums.py": lines(
    "import unittest",
    "from sums import add",
    "",
    "",
    "class Sums(unittest.TestCase):",
    "    def test_adds(self):",
    "        self.assertEqual(add(1, 2), 3)",
  ),
}
const PYTEST: Files = {
  "pyproject.toml": lines("[project]", 'name = "sums"', 'version = "1"', 'dependencies = ["pytest"]'),
  "sums.py": PYTHON["sums.py"] ?? "",
  "test_sums.py": lines("from sums import add", "", "", "def test_adds():", "    assert add(1, 2) == 3"),
}

export const weakenedTests: Record<string, SeededFault> = {
  "another expectation": { ...changed(NODE, "sum.test.js", "2), 3)", "2), 4)"), names: /sum\.test\.js/ },
  "an assertion less": {
    ...changed(NODE, "sum.test.js", "assert.equal(add(1, 2), 3)", "add(1, 2)"),
    names: /"adds" in sum\.test\.js/,
  },
  "a skipped test": { ...changed(NODE, "sum.test.js", "test(", "test.skip("), names: /sum\.test\.js skips/ },
  "a test that runs alone": { ...changed(NODE, "sum.test.js", "test(", "test.only("), names: /only some of its tests/ },
  "a test for later": {
    ...changed(NODE, "sum.test.js", /test\("adds", .*/, 'test.todo("adds")'),
    names: /sum\.test\.js/,
  },
  "a deleted test file": { before: NODE, after: { "sum.test.js": null }, names: /sum\.test\.js/ },
  "a test script replaced by true": {
    ...changed(NODE, "package.json", "node --test", "true"),
    names: /script "test" of package\.json/,
  },
  "a test script replaced by exit 0": {
    ...changed(NODE, "package.json", "node --test", "exit 0"),
    names: /script "test" of package\.json/,
  },
  "a test script that hides failures": {
    ...changed(NODE, "package.json", "node --test", "node --test || true"),
    names: /script "test" of package\.json/,
  },
  "a test script that is gone": {
    ...changed(NODE, "package.json", /"test": "node --test",\s*/),
    names: /script "test" of package\.json/,
  },
  "a test under a name that no runner finds": {
    before: NODE,
    after: { "sum.test.js": { to: "sum.checks.js", text: SUM_TEST } },
    names: /sum\.test\.js/,
  },
  "a wider tolerance": { ...changed(NODE, "sum.test.js", "1e-9", "1"), names: /sum\.test\.js/ },
  "a caught assertion": {
    ...changed(NODE, "sum.test.js", "assert.equal(add(1, 2), 3)", "{ try { assert.equal(add(1, 2), 3) } catch {} }"),
    names: /"adds" in sum\.test\.js/,
  },
  "an overwritten snapshot": {
    ...changed(VITEST, "src/__snapshots__/sum.test.ts.snap", "3", "12"),
    names: /sum\.test\.ts\.snap/,
  },
  "a looser matcher": { ...changed(VITEST, "src/sum.test.ts", "toBe(3)", "toBeTruthy()"), names: /asserts less/ },
  "a mock of the code under test": {
    ...changed(
      VITEST,
      "src/sum.test.ts",
      'import { expect, it } from "vitest"',
      'import { expect, it, vi } from "vitest"\nvi.mock("./sum", () => ({ add: () => 3 }))',
    ),
    names: /mocks/,
  },
  "settings that leave tests out": {
    before: VITEST,
    after: {
      "vitest.config.ts":
        'import { defineConfig } from "vitest/config"\nexport default defineConfig({ test: { exclude: ["src/**"] } })\n',
    },
    names: /vitest\.config\.ts/,
  },
  "a skipped test in Python": {
    ...changed(PYTHON, "test_sums.py", "    def", '    @unittest.skip("later")\n    def'),
    names: /test_sums\.py skips/,
  },
  "another expectation in Python": { ...changed(PYTHON, "test_sums.py", "2), 3", "2), 4"), names: /test_sums\.py/ },
  "a looser assertion in Python": {
    ...changed(PYTHON, "test_sums.py", "assertEqual(add(1, 2), 3)", "assertTrue(add(1, 2))"),
    names: /asserts less/,
  },
  "a deleted test file in Python": { before: PYTHON, after: { "test_sums.py": null }, names: /test_sums\.py/ },
  "settings of pytest that leave tests out": {
    before: PYTEST,
    after: {
      "pyproject.toml": `${PYTEST["pyproject.toml"]}\n[tool.pytest.ini_options]\naddopts = "--deselect test_sums.py"\n`,
    },
    names: /pyproject\.toml/,
  },
}

const APP: Files = {
  "App.jsx": lines(
    'import { Cart } from "./cart.jsx"',
    'import { Footer } from "./footer.jsx"',
    "",
    "export function App({ clear, send }) {",
    "  return <main><Cart /><button onClick={clear}>Clear</button><button onClick={send}>Send</button><Footer /></main>",
    "}",
    "",
    "export function total(items) {",
    "  return items.length",
    "}",
  ),
  "cart.jsx": "export const Cart = () => null\n",
  "footer.jsx": "export const Footer = () => null\n",
}
const EXPRESS: Files = {
  "package.json": json({ type: "module", dependencies: { express: "5.0.0" } }),
  "server.js": lines(
    'import express from "express"',
    "const app = express()",
    'app.get("/items", (_, response) => response.json([]))',
    'app.delete("/items/:id", (_, response) => response.json([]))',
    "app.listen(process.env.PORT)",
  ),
}
const PLAIN_SERVER: Files = {
  "package.json": json({ type: "module", scripts: { start: "node server.js" } }),
  "server.js": lines(
    'import { createServer } from "node:http"',
    "",
    "const server = createServer((request, response) => {",
    '  if (request.url === "/health") return response.end("ok")',
    '  if (request.url === "/orders") return response.end("[]")',
    '  response.end("Hello")',
    "})",
    "server.listen(process.env.PORT)",
  ),
}
const FLASK: Files = {
  "requirements.txt": "flask==3.1.0\n",
  "app.py": lines(
    "from flask import Flask",
    "",
    "app = Flask(__name__)",
    "",
    "",
    '@app.route("/items")',
    "def items():",
    "    return []",
    "",
    "",
    '@app.route("/orders")',
    "def orders():",
    "    return []",
  ),
}
const PAGE: Files = {
  "index.html": lines(
    "<!doctype html>",
    '<html lang="en">',
    '<head><title>Shop</title><link rel="stylesheet" href="main.css"><script type="module" src="app.js"></script></head>',
    "<body>",
    '<nav><a href="#offers">Offers</a> <a href="#contact">Contact</a></nav>',
    '<form id="order"><label>Name <input name="name"></label> <label>Mail <input name="mail"></label>',
    '<button>Send</button> <button type="reset">Clear</button></form>',
    '<p class="offer" id="offers">Bread</p><p class="contact" id="contact">Write</p>',
    "</body>",
    "</html>",
  ),
  "main.css": lines(
    ".offer { color: red; }",
    ".contact { color: green; }",
    "nav { display: flex; }",
    "body { margin: 0; }",
  ),
  "app.js": lines(
    'const form = document.getElementById("order")',
    "function save(event) {",
    "  event.preventDefault()",
    '  localStorage.setItem("order", new FormData(form).get("name"))',
    "}",
    'form.addEventListener("submit", save)',
    'form.addEventListener("reset", () => localStorage.removeItem("order"))',
  ),
}
const LIBRARY: Files = {
  "package.json": json({ type: "module", scripts: { start: "node main.js" } }),
  "list.js": lines(
    "const first = (all) => all[0]",
    "const last = (all) => all.at(-1)",
    "",
    "class Store {",
    "  items = []",
    "  add(item) {",
    "    this.items.push(item)",
    "  }",
    "  remove(item) {",
    "    this.items = this.items.filter((one) => one !== item)",
    "  }",
    "}",
    "export { first, last, Store }",
  ),
  "main.js": lines(
    'import { parseArgs } from "node:util"',
    'import { first } from "./list.js"',
    "",
    'const { values } = parseArgs({ options: { upper: { type: "boolean" }, count: { type: "string" } } })',
    "console.log(first([values.upper]))",
  ),
  "README.md": lines("# Lists", "", "## Install", "", "Run npm install.", "", "## Use", "", "Run npm start."),
}
const COMMON_JS: Files = {
  "list.js": lines(
    "const first = (all) => all[0]",
    "const last = (all) => all.at(-1)",
    "module.exports = { first, last }",
  ),
}
const TOOL: Files = {
  "tool.py": lines(
    "import argparse",
    "",
    "",
    "class Store:",
    "    def add(self, item):",
    "        return [item]",
    "",
    "    def remove(self, item):",
    "        return []",
    "",
    "",
    "def main():",
    "    parser = argparse.ArgumentParser()",
    '    parser.add_argument("--verbose", action="store_true")',
    '    parser.add_argument("--out")',
    "    print(parser.parse_args(), Store())",
    "",
    "",
    "def helper():",
    "    return 1",
    "",
    "",
    'if __name__ == "__main__":',
    "    main()",
  ),
}
const STEPS = many(30, (index) => `Step ${index}`)
const CITIES = (count: number) =>
  json({ cities: Array.from({ length: count }, (_, index) => ({ name: `City ${index}` })) })

export const lostFeatures: Record<string, SeededFault> = {
  "an export": { ...changed(APP, "App.jsx", /\nexport function total[^}]*\}\n/), names: /the export total/ },
  "an export of a list": {
    ...changed({ "list.js": LIBRARY["list.js"] ?? "" }, "list.js", /const last.*\n/),
    after: { "list.js": (LIBRARY["list.js"] ?? "").replace(/const last.*\n/, "").replace(" last,", "") },
    names: /the export last/,
  },
  "an export of CommonJS": {
    before: COMMON_JS,
    after: { "list.js": lines("const first = (all) => all[0]", "module.exports = { first }") },
    names: /the export last/,
  },
  "a method of a class": { ...changed(LIBRARY, "list.js", / {2}remove[\s\S]*?\n {2}\}\n/), names: /Store\.remove/ },
  "a component": {
    ...changed(APP, "App.jsx", "<Footer />"),
    after: { "App.jsx": (APP["App.jsx"] ?? "").replace("<Footer />", "").replace(/import \{ Footer.*\n/, "") },
    names: /the component Footer/,
  },
  "a button's handler in JSX": {
    ...changed(APP, "App.jsx", "<button onClick={clear}>Clear</button>", "<button>Clear</button>"),
    names: /handler.* click/i,
  },
  "a route of Express": { ...changed(EXPRESS, "server.js", /app\.delete.*\n/), names: /\/items\/:id/ },
  "a route of a plain server": { ...changed(PLAIN_SERVER, "server.js", /.*orders.*\n/), names: /the route \/orders/ },
  "a route of Flask": {
    ...changed(FLASK, "app.py", /\n\n@app.route\("\/orders"\)[\s\S]*/),
    names: /the route \/orders/,
  },
  "a style rule": { ...changed(PAGE, "main.css", /\.contact.*\n/), names: /\.contact/ },
  "a listener": { ...changed(PAGE, "app.js", /form\.addEventListener\("reset".*\n/), names: /handler.* reset/ },
  "the body of a function": {
    ...changed(PAGE, "app.js", /\{\n {2}event[\s\S]*?\n\}/, "{}"),
    names: /save/,
  },
  "a form field": { ...changed(PAGE, "index.html", / <label>Mail .*?<\/label>/), names: /field mail/ },
  "a button without a name": {
    ...changed(PAGE, "index.html", / <button type="reset">.*?<\/button>/),
    names: /elements <button>/,
  },
  "a link": { ...changed(PAGE, "index.html", / <a href="#contact">.*?<\/a>/), names: /elements <a>/ },
  "a test case": { ...changed(NODE, "sum.test.js", /test\("adds parts.*\n/), names: /the test adds parts/ },
  "a section of the README": { ...changed(LIBRARY, "README.md", /## Install[^#]*/), names: /the section Install/ },
  "a file's content": { before: APP, after: { "cart.jsx": "" }, names: /cart\.jsx/ },
  "the text of a small file": {
    before: { "notes.txt": lines("One", "Two", "Three") },
    after: { "notes.txt": "" },
    names: /notes\.txt/,
  },
  "a small file": {
    before: { "notes.txt": lines("One", "Two", "Three") },
    after: { "notes.txt": null },
    names: /notes\.txt/,
  },
  "a function in Python": { ...changed(TOOL, "tool.py", /def helper[^#]*?return 1\n\n\n/), names: /the export helper/ },
  "a method in Python": { ...changed(TOOL, "tool.py", / {4}def remove[^\n]*\n[^\n]*\n/), names: /Store\.remove/ },
  "an option in Python": { ...changed(TOOL, "tool.py", /.*--verbose.*\n/), names: /the option --verbose/ },
  "an option of parseArgs": { ...changed(LIBRARY, "main.js", /, count: \{[^}]*\}/), names: /the option --count/ },
  "most of a text": {
    before: { "steps.md": STEPS },
    after: { "steps.md": STEPS.slice(0, 100) },
    names: /steps\.md: 16 of 30 lines/,
  },
  "most of the data": {
    before: { "cities.json": CITIES(20) },
    after: { "cities.json": CITIES(3) },
    names: /cities\.json/,
  },
  "a script of package.json": {
    ...changed(PLAIN_SERVER, "package.json", /,\s*"scripts": \{[^}]*\}/),
    names: /the script start/,
  },
  "a file that the plan deletes": { before: PAGE, after: { "app.js": null }, names: /app\.js/ },
  "half of a file that moves": {
    before: { "steps.md": STEPS },
    after: { "steps.md": { to: "all.md", text: STEPS.slice(0, 100) } },
    names: /steps\.md/,
  },
  "the name of an export that others import": {
    ...changed(LIBRARY, "list.js", "export { first,", "export { first as head,"),
    names: /first/,
  },
}

const page = (body: string, head = "") =>
  lines(
    "<!doctype html>",
    '<html lang="en">',
    `<head><title>Page</title>${head}</head>`,
    `<body>${body}</body>`,
    "</html>",
  )
const asPage = (request: string, body: string, names: RegExp, head = ""): SeededFault => ({
  request,
  after: { "index.html": page(body, head) },
  names,
})
const asCode = (request: string, path: string, text: string, names: RegExp): SeededFault => ({
  request,
  after: { [path]: text },
  names,
})

export const missingLiterals: Record<string, SeededFault> = {
  "a text": asPage('A page with the heading "Fresh bread".', "<h1>Bread</h1>", /"Fresh bread"/),
  "a text in another case": asPage('A page with a button "Order Now".', "<button>order now</button>", /"Order Now"/),
  "a text that is only in the README": {
    request: 'A page with the heading "Fresh bread".',
    after: { "index.html": page("<h1>Bread</h1>"), "README.md": 'A page with the heading "Fresh bread".\n' },
    names: /"Fresh bread"/,
  },
  "a text that is only in a comment": asPage(
    'A page with the heading "Fresh bread".',
    "<!-- Fresh bread --><h1>Bread</h1>",
    /"Fresh bread"/,
  ),
  "an address": asPage(
    "A page with a link to https://example.org/shop.",
    '<a href="https://example.com">Shop</a>',
    /example\.org/,
  ),
  "an address that is only in a comment": asCode(
    "A script that fetches https://example.org/data.",
    "get.mjs",
    '// Fetches https://example.org/data.\nconsole.log(await fetch("https://example.com/list"))\n',
    /example\.org\/data/,
  ),
  "a colour": asPage(
    "A page with a #c0392b background.",
    "Hello",
    /#c0392b/,
    "<style>body { background: #c0392c; }</style>",
  ),
  "a colour that is only in a comment": asPage(
    "A page with a #c0392b background.",
    "Hello",
    /#c0392b/,
    "<style>body { background: red; /* #c0392b */ }</style>",
  ),
  "a port": asCode(
    "A web server that listens on port 8080.",
    "server.mjs",
    'import { createServer } from "node:http"\ncreateServer((_, response) => response.end()).listen(18080)\n',
    /"8080"/,
  ),
  "a port that is only in a comment": asCode(
    "A web server in Python on port 8080.",
    "server.py",
    'from http.server import HTTPServer, SimpleHTTPRequestHandler\n\n# Listens on port 8080.\nHTTPServer(("", 8000), SimpleHTTPRequestHandler).serve_forever()\n',
    /"8080"/,
  ),
  "the path of a file": asCode(
    "Save it in src/cart.js.",
    "src/basket.js",
    "export const items = []\n",
    /src\/cart\.js/,
  ),
  "a route": asCode(
    "A web server with the endpoint /api/orders.",
    "server.mjs",
    'import { createServer } from "node:http"\ncreateServer((request, response) => response.end(request.url === "/list" ? "[]" : "")).listen(1)\n',
    /\/api\/orders/,
  ),
  "a route that is only in a comment": asCode(
    "A web server with the endpoint /api/orders.",
    "server.mjs",
    'import { createServer } from "node:http"\n/* GET /api/orders */\ncreateServer((request, response) => response.end(request.url === "/list" ? "[]" : "")).listen(1)\n',
    /\/api\/orders/,
  ),
  "a number with its unit": asCode(
    "The session ends after 15 minutes.",
    "limit.js",
    "export const MINUTES = 20\n",
    /15 minutes/,
  ),
  "a number that has another unit": asPage(
    "The countdown takes 15 minutes.",
    "<p>20:00</p>",
    /15 minutes/,
    "<style>p { margin: 15px; }</style>",
  ),
  "a share": asPage("A page that offers a discount of 20%.", "<p>25%</p>", /20%/),
  "a price": asPage("A page with the price €9.50.", "<p>€9.90</p>", /9\.50/),
  "a name in quotes": asCode(
    'A function named "slugify".',
    "text.js",
    "export const toSlug = (text) => text\n",
    /slugify/,
  ),
  "a name without quotes": asCode(
    "A function called slugify.",
    "text.js",
    "export const toSlug = (text) => text\n",
    /slugify/,
  ),
  "a name in backticks": asCode(
    "A module with `parseRow(line)`.",
    "text.js",
    "export const parse = (line) => line\n",
    /parseRow/,
  ),
  "a name in another case": asCode(
    "A class called OrderStore.",
    "text.py",
    "class Orderstore:\n    items = []\n",
    /OrderStore/,
  ),
  "a name that is only in a comment": asCode(
    "A function called slugify in Python.",
    "text.py",
    "# slugify\ndef to_slug(text):\n    return text\n",
    /slugify/,
  ),
}

const SCRIPT = (text: string): SeededFault["after"] => ({ "main.js": text })

export const brokenResults: Record<string, SeededFault> = {
  "a syntax error": { after: SCRIPT("export const add = (\n"), names: /main\.js/ },
  "a syntax error in TypeScript": { after: { "main.ts": "export const add: = 1\n" }, names: /main\.ts/ },
  "a syntax error in Python": { after: { "main.py": "def add(a, b)\n    return a\n" }, names: /main\.py/ },
  "invalid JSON": { after: { "package.json": '{ "name": "x", }\n' }, names: /package\.json/ },
  "a brace less in a stylesheet": { after: { "main.css": "body { margin: 0;\n" }, names: /main\.css/ },
  "an import of no file": {
    after: SCRIPT('import { add } from "./sum.js"\nconsole.log(add(1, 2))\n'),
    names: /sum\.js/,
  },
  "an import of no such name": {
    after: { "main.ts": 'import { sub } from "./sum"\nconsole.log(sub(1))\n', "sum.ts": "export const add = 1\n" },
    names: /sub/,
  },
  "an import of no such name in Python": {
    after: { "main.py": "from sums import sub\n\nprint(sub(1))\n", "sums.py": "def add(a):\n    return a\n" },
    names: /sub/,
  },
  "a package that isn't declared": {
    after: {
      "package.json": json({ type: "module" }),
      ...SCRIPT('import express from "express"\nexpress().listen(1)\n'),
    },
    names: /express/,
  },
  "a script that starts no file": {
    after: {
      "package.json": json({ type: "module", scripts: { start: "node server.js" } }),
      ...SCRIPT("console.log(1)\n"),
    },
    names: /server\.js/,
  },
  "a script that isn't there": {
    after: { "index.html": page("Hello", '<script src="app.js"></script>') },
    names: /app\.js/,
  },
  "a stylesheet that isn't there": {
    after: { "index.html": page("Hello", '<link rel="stylesheet" href="main.css">') },
    names: /main\.css/,
  },
  "an id that no element has": {
    after: {
      "index.html": page('<p id="out"></p><script src="app.js"></script>'),
      "app.js": 'document.getElementById("output").textContent = "Hello"\n',
    },
    names: /output/,
  },
  "a name that nothing has": { after: SCRIPT("console.log(totl(1))\n"), names: /totl/ },
  "a placeholder": { after: SCRIPT("export function add() {\n  // TODO: implement\n}\n"), names: /main\.js/ },
}

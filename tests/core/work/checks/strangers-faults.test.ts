import { checkProject } from "@switchyard/core/work/checks/check-project"
import { describe, expect, it } from "vitest"

type Files = Record<string, string>

/**
 * Returns a project's faults as `path rule: message`. Leaves out files that no page loads, because the samples have
 * such files.
 */
async function found(files: Files): Promise<string[]> {
  const findings = await checkProject(new Map(Object.entries(files)))
  return findings
    .filter(({ rule }) => rule !== "unreached_file")
    .map(({ path, rule, message }) => `${path} ${rule}: ${message}`)
}

/** Returns a page with this head and body. The body begins in line 7. */
const page = (body: string, head = "") =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>A</title>${head}\n</head><body>\n${body}\n</body>\n</html>\n`
const script = '<script src="a.js"></script>'
const esm = '{ "name": "a", "type": "module" }'

describe("a page with one fault", () => {
  it.each([
    ["<div><section><p>A</p></div></section>", 'syntax: Line 7: "<section>" is still open at "</div>" in line 7'],
    ["<main>\n<div>\n<p>A</p>\n</main>", 'syntax: Line 8: "<div>" is still open at "</main>" in line 10'],
    ["<main><p>A</p></main>\n</div>", 'syntax: Line 8: "</div>" closes nothing.'],
    ["<h1>A\n<p>B</p>", 'syntax: Line 7: "<h1>" is still open at "</body>"'],
    ['<p id="a"></p>\n<p id="a"></p>', 'duplicate_id: Line 8: the element in line 7 has the same id, "a".'],
    ['<label for="nme">N</label><input id="email">', 'missing_id: Line 7: no element has the id "nme".'],
    [
      '<label for="e-mail">E</label><input id="email">',
      'missing_id: Line 7: no element has the id "e-mail". Did you mean "email"?',
    ],
    [
      '<label for="nme">N</label><input id="email"><script>console.log(location.hash)</script>',
      'missing_id: Line 7: no element has the id "nme".',
    ],
    ['<a href="#contct">A</a><p id="form"></p>', 'missing_id: Line 7: no element has the id "contct".'],
    ['<section aria-labelledby="hd"><h2 id="top2">A</h2></section>', 'missing_id: Line 7: no element has the id "hd".'],
    ['<img srcset="b.png 2x" alt="">', 'missing_file: Line 7: there is no file "b.png"'],
    ['<video src="a.mp4" poster="a.svg"></video>', 'missing_file: Line 7: there is no file "a.mp4"'],
    ['<form action="sent.html"><button>A</button></form>', 'missing_file: Line 7: there is no file "sent.html"'],
    ["<script>\nstart()\n</script>", 'missing_name: Line 8: "start" is used'],
  ])("is found: %s", async (body, message) => {
    expect((await found({ "index.html": page(body) }))[0]).toContain(`index.html ${message}`)
  })

  it.each([
    ["a { color: red", 'syntax: Line 5: the "{" is never closed.'],
    ["a { color: var(--mian) }", 'missing_name: Line 5: the custom property "--mian" is never set.'],
    ["a { background: url(a.png) }", 'missing_file: Line 5: there is no file "a.png"'],
  ])("is found in its styles: %s", async (css, message) => {
    expect(await found({ "index.html": page("<p>A</p>", `<style>${css}</style>`) })).toEqual([
      expect.stringContaining(`index.html ${message}`),
    ])
  })

  it.each([
    ["ends that may be left out", "<ul><li>A<li>B</ul><table><tr><td>A</table><p>A<p>B"],
    ["elements with no end", '<div><br><img src="data:,"><input><hr></div>'],
    ["shapes", '<svg viewBox="0 0 1 1"><g><path d="M0 0"/></g><a href="https://a.example"/></svg>'],
    ["tags in comments and scripts", "<!-- </div> --><script>const a = '<div>'</script>"],
    [
      "the top of the page, and a place that a script makes",
      `<a href="#top">A</a><a href="#late">B</a><script>document.body.id = "late"</script>`,
    ],
    [
      "an anchor that a script may read off the address",
      '<a href="#late">A</a><script>addEventListener("hashchange", () => {})</script>',
    ],
    ["an id that is put together", '<label for="row-1">A</label><script>document.body.id = "row-" + 1</script>'],
    ["what a site gives to scripts", '<script src="https://a.example/b.js"></script><script>start()</script>'],
  ])("is none: %s", async (_, body) => expect(await found({ "index.html": page(body) })).toEqual([]))
})

describe("a stylesheet with one fault", () => {
  it.each([
    [
      ":root { --main: red }\na { color: var(--mian) }",
      'missing_name: Line 2: the custom property "--mian" is never set.',
    ],
    [
      "a { animation: fadein 1s ease-in 2 both }\n@keyframes fade-in { to { opacity: 1 } }",
      'missing_name: Line 1: there are no keyframes named "fadein".',
    ],
    ["a { color: red }\n/* All\nb { color: blue }\n", "syntax: Line 2: the comment that begins here is never closed."],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "index.html": page("<p>A</p>"), "style.css": text })).toEqual([`style.css ${message}`])
  })

  it.each([
    ["a substitute", { "style.css": "a { color: var(--gone, red) }" }],
    [
      "a property that a script sets",
      { "style.css": "a { width: var(--w) }", "a.js": 'f.style.setProperty("--w", 1)\nfunction f() {}' },
    ],
    [
      "one that is registered",
      { "style.css": '@property --a {\n  syntax: "<length>";\n  inherits: true;\n}\nb { width: var(--a) }' },
    ],
    [
      "names of a package",
      { "style.css": '@import "tailwindcss";\na { color: var(--color-red); animation: spin 1s }' },
    ],
    ["words of an animation", { "style.css": "a { animation: 2s cubic-bezier(0, 0, 1, 1) infinite alternate none }" }],
  ])("is none: %s", async (_, files) =>
    expect(await found({ "index.html": page("<p>A</p>"), ...files } as Files)).toEqual([]),
  )
})

describe("a class that a script names", () => {
  const css = ".hiden { display: none }"
  const index = page(`<ul class="items"></ul>${script}`, "<style>.items { margin: 0 }</style>")
  it.each([
    ['document.body.classList.add("hidden")', 'the class "hidden" has no effect: no stylesheet or script uses it'],
    ['document.querySelector(".item-list").remove()', 'no element has the class "item-list".'],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "index.html": index, "style.css": css, "a.js": text })).toEqual([
      expect.stringContaining(`a.js missing_class: Line 1: ${message}`),
    ])
  })

  it.each([
    ["has a style", 'document.body.classList.toggle("hiden")'],
    ["is looked for", 'document.body.classList.add("on")\ndocument.querySelectorAll(".on")'],
    ["is made by a script", 'document.body.className = "late"\ndocument.querySelector(".late")'],
    ["is put together", `document.body.className = "tone-" + 1\ndocument.querySelector(".tone-1")`],
  ])("is none where it %s", async (_, text) => {
    expect(await found({ "index.html": index, "style.css": css, "a.js": text })).toEqual([])
  })

  it("is none where styles come from elsewhere", async () => {
    const head = '<link rel="stylesheet" href="https://a.example/b.css">'
    const text = 'document.body.classList.add("d-none")'
    expect(await found({ "index.html": page(script, head), "a.js": text })).toEqual([])
  })
})

describe("a script with one fault", () => {
  it.each([
    ["a.mjs", "export function a() {\n  return renderAll()\n}\n", '"renderAll" is used, but the file neither'],
    ["a.mjs", "console.log(path.join('a'))\n", '"path" is used'],
    ["a.cjs", "const a = require('node:fs')\nmodule.exports = { a, load }\n", '"load" is used'],
    ["a.ts", "export function a(b: string): number {\n  return count(b)\n}\n", '"count" is used'],
    ["a.tsx", "export const A = () => <Header title={'a'} />\n", '"Header" is used'],
    ["a.mjs", "export const a = `$" + "{title}`\n", '"title" is used'],
  ])("is found in %s: %s", async (path, text, message) => {
    expect(await found({ [path]: text })).toEqual([expect.stringContaining(`${path} missing_name: Line`)])
    expect((await found({ [path]: text }))[0]).toContain(message)
  })

  it("is found where it asks an ES module for what only CommonJS has", async () => {
    const text = "import { join } from 'node:path'\nexport const a = join(__dirname, 'b')\n"
    expect(await found({ "package.json": esm, "a.js": text })).toEqual([
      'a.js missing_name: Line 2: an ES module has no "__dirname": use import.meta.dirname.',
    ])
  })

  it.each([
    ["a.ts", "export default function a() {}\nexport default function b() {}\n", "default"],
    ["a.ts", "const a: number = 1\nconst a: string = ''\nexport { a }\n", "a"],
  ])("is found in its declarations: %s %s", async (path, text, name) => {
    expect(await found({ [path]: text })).toEqual([expect.stringMatching(`^${path} syntax: Line 2: .*'${name}'`)])
  })

  it.each([
    [
      { "a.mjs": "import * as s from './b.mjs'\ns.load()\n", "b.mjs": "export function save() {}\n" },
      'a.mjs missing_export: Line 1: b.mjs has no export named "load"',
    ],
    [
      {
        "a.cjs": "const { load } = require('./b.cjs')\nload()\n",
        "b.cjs": "function save() {}\nmodule.exports = { save }\n",
      },
      'a.cjs missing_export: Line 1: b.cjs has no export named "load"; it exports save.',
    ],
  ])("is found in what it takes from another: %s", async (files, message) => {
    expect(await found(files as Files)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    [
      "a name of another script of the page",
      { "index.html": page(`${script}<script src="b.js"></script>`), "a.js": "go()\n", "b.js": "function go() {}\n" },
    ],
    [
      "a name that is given to the window",
      { "index.html": page(script), "a.js": "go()\n", "b.mjs": "window.go = () => {}\n" },
    ],
    ["a name that it asks for first", { "a.js": "if (typeof gtag === 'function') gtag('a')\n" }],
    ["a name for a linter", { "a.js": "/* global jQuery */\njQuery('a')\n" }],
    [
      "a name that a build defines",
      {
        "vite.config.js": "export default { define: { VERSION: '1' } }\n",
        "a.js": "export const a = f(VERSION)\nfunction f() {}\n",
      },
    ],
    [
      "an overload",
      {
        "a.ts":
          "export default function a(b: string): void\nexport default function a(b: unknown): void {\n  console.log(b)\n}\n",
      },
    ],
    ["parts of an enum", { "a.ts": "export enum A {\n  B = 1,\n  C = B << 1,\n}\n" }],
    [
      "parameters and patterns",
      {
        "a.mjs":
          "export const f = ({ a, b: [c] }, ...d) => [a, c, d].map((e) => e)\nfor (const g of f({})) console.log(g)\ntry {\n  f()\n} catch (h) {\n  console.log(h)\n}\n",
      },
    ],
    ["a type that is exported", { "a.ts": "interface A {\n  b: string\n}\nexport { A }\n" }],
    ["elements of HTML", { "a.tsx": "export const A = () => <main><p>A</p></main>\n" }],
    [
      "a namespace that is passed on",
      { "a.mjs": "import * as s from './b.mjs'\ns.load?.(s)\n", "b.mjs": "export const a = 1\n" },
    ],
    [
      "exports that are added to",
      {
        "a.cjs": "const { b } = require('./b.cjs')\nb()\n",
        "b.cjs": "module.exports = { a: 1 }\nmodule.exports.b = () => {}\n",
      },
    ],
    [
      "what a bundler puts in",
      {
        "package.json": '{ "name": "a", "type": "module", "devDependencies": { "esbuild": "1" } }',
        "a.js": "export const a = [__dirname]\n",
      },
    ],
  ])("is none: %s", async (_, files) => expect(await found(files as unknown as Files)).toEqual([]))
})

describe("a Python file with one fault", () => {
  it.each([
    [
      "def main():\n    data = load_data()\n    print(data)\n\n\nmain()\n",
      '2: "load_data" is used, but the file neither defines nor imports it.',
    ],
    ["import json\n\nprint(json.dumps(items))\n", '3: "items" is used'],
    ["def f():\n    return os.path.join('a', 'b')\n", '2: "os" is used'],
    ["class A(Base):\n    pass\n", '1: "Base" is used'],
    ["a = f'{nme}'\n", '1: "nme" is used'],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "a.py": text })).toEqual([expect.stringContaining(`a.py missing_name: Line ${message}`)])
  })

  it.each([
    "from x import *\nload()\n",
    "for a, (b, c) in []:\n    print(a, b, c, __file__)\nwith open('a') as d, e() as f:\n    print(d, f)\ndef e(): ...\n",
    "x = [a for a in range(3) if a]\ny = lambda b, *c, **d: (b, c, d)\nprint(x, y)\n",
    "try:\n    pass\nexcept ValueError as error:\n    print(error)\n",
    "match 1:\n    case [a, *b] | {'c': a, **b}:\n        print(a, b)\n",
    "def f(a: 'B', *, c=1) -> None:\n    global d\n    d = c\n    if (n := a):\n        print(n, d)\n",
    "try:\n    text = unicode\nexcept NameError:\n    text = str\nprint(text)\n",
    "with open('a') as (b, c):\n    print(b, c)\n",
    "import a.b as c, d.e\nfrom f import (g as h)\nprint(c, d, h)\n",
    "class A:\n    b = 1\n    def c(self):\n        return super().c(key=self.b)\n",
  ])("is none: %s", async (text) => expect(await found({ "a.py": text })).toEqual([]))
})

describe("a manifest with one fault", () => {
  const manifest = (more: object) => JSON.stringify({ name: "a", ...more }, null, 2)
  it.each([
    [{ name: "My App" }, `syntax: Line 2: "My App" isn't a valid package name`],
    [{ version: "1.0" }, `syntax: Line 3: "1.0" isn't a valid version`],
    [{ dependencies: ["express"] }, 'syntax: Line 3: "dependencies" must be an object'],
    [{ scripts: { start: ["node"] } }, 'syntax: Line 3: "scripts" must be an object'],
    [{ main: "src/index.js" }, 'missing_file: Line 3: "main" names src/index.js'],
    [{ bin: { a: "./cli.js" } }, 'missing_file: Line 3: "bin" names ./cli.js'],
    [{ scripts: { test: "vitest run" } }, 'undeclared_package: Line 4: the script "test" runs vitest'],
    [{ scripts: { dev: "npm start" } }, 'missing_script: Line 4: the script "dev" runs "npm start"'],
  ])("is found: %j", async (more, message) => {
    expect(await found({ "package.json": manifest(more) })).toEqual([
      expect.stringContaining(`package.json ${message}`),
    ])
  })

  it("is found where a watcher starts what isn't there", async () => {
    const more = { scripts: { dev: "nodemon src/app.js" }, devDependencies: { nodemon: "3" } }
    expect(await found({ "package.json": manifest(more) })).toEqual([expect.stringContaining("runs src/app.js")])
  })

  it.each([
    { name: "@a/b.c", version: "1.0.0-rc.1", private: true },
    { main: "dist/index.js", bin: "lib/cli.js", scripts: { build: "tsc" }, devDependencies: { typescript: "5" } },
    {
      scripts: { build: "NODE_ENV=a vite build && eslint .", test: "vitest" },
      devDependencies: { vitest: "1", vite: "1", "@x/eslint-config": "1" },
    },
  ])("is none: %j", async (more) => expect(await found({ "package.json": manifest(more) })).toEqual([]))
})

describe("a Dockerfile with one fault", () => {
  const app = { "app.js": "console.log(1)\n" }
  it.each([
    ["FROM node:22\nCOPPY . .\n", 'syntax: Line 2: Docker has no instruction "COPPY".'],
    ["WORKDIR /app\nCOPY . .\n", "syntax: Line 1: FROM must come first, not WORKDIR."],
    ["FROM node:22\nCMD ['node', 'app.js']\n", "syntax: Line 2: the words of CMD need double quotes"],
    ["FROM node:22\nCOPY requirements.txt .\n", 'missing_file: Line 2: COPY takes "requirements.txt"'],
    [
      "FROM node:22\nCOPY package.json package-lock.json ./\n",
      'missing_file: Line 2: COPY takes "package-lock.json", but the project has no such file. It is generated during installation',
    ],
    ['FROM node:22\nCOPY . .\nCMD ["node", "server.js"]\n', "missing_file: Line 3: CMD starts server.js"],
    [
      "FROM node:22 AS builder\nFROM nginx\nCOPY --from=build /a /b\n",
      'missing_name: Line 3: no earlier stage is named "build".',
    ],
  ])("is found: %s", async (text, message) => {
    const files = { Dockerfile: text, "package.json": '{ "name": "a" }', ...app }
    expect(await found(files)).toEqual([expect.stringContaining(`Dockerfile ${message}`)])
  })

  it.each([
    "# syntax=docker/dockerfile:1\nARG V=22\nFROM node:$V AS build\nRUN npm ci && \\\n    npm test\n\nFROM nginx\nCOPY --from=build /a /b\nCOPY --from=nginx:1 /a /b\n",
    'FROM node:22\nCOPY --chown=a package*.json ./\nCOPY . .\nCMD ["node", "./app.js"]\n',
    "FROM python:3\nRUN <<EOF\nanything\nEOF\n",
    "from node:22\ncopy . .\ncmd npm start\n",
  ])("is none: %s", async (text) => expect(await found({ Dockerfile: text, ...app })).toEqual([]))
})

describe("a Flask app with one fault", () => {
  const app = "from flask import Flask, render_template\n\napp = Flask(__name__)\n\n\n"
  it.each([
    ['@app.route("/")\ndef home():\n    print("A")\n', 'missing_return: Line 7: the route "home" returns nothing'],
    [
      '@app.get("/")\ndef home():\n    return render_template("home.html")\n',
      'missing_file: Line 8: there is no template "home.html"',
    ],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "app.py": app + text })).toEqual([expect.stringContaining(`app.py ${message}`)])
  })

  it("is none where it answers, or says that there is nothing", async () => {
    const text =
      '@app.get("/")\ndef home():\n    return render_template("home.html")\n\n\n@app.get("/b")\ndef other():\n    raise ValueError()\n'
    expect(await found({ "app.py": app + text, "templates/home.html": page("<p>A</p>") })).toEqual([])
    // FastAPI answers with null.
    expect(
      await found({
        "a.py": 'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/")\ndef home():\n    print("A")\n',
      }),
    ).toEqual([])
  })
})

describe("Python that its grammar lets pass", () => {
  it.each([
    ["def f(a=1, b):\n    return a, b\n", '1: the parameter "b" has no default'],
    ["print(sep='', 'a')\n", "1: a positional argument follows a keyword argument."],
    ["async def g(): ...\n\n\ndef f():\n    await g()\n", "5: await is in a function that isn't async."],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "a.py": text })).toEqual([expect.stringContaining(`a.py syntax: Line ${message}`)])
  })

  it.each([
    "def f(a=1, *b, c, d=2, **e):\n    return a, b, c, d, e\n",
    "def f(*, a=1, b):\n    return a, b\n",
    "print(*[], sep='', *[1], **{})\n",
    "async def g():\n    async def h():\n        await g()\n    return [await h() for _ in 'a']\n",
  ])("is none: %s", async (text) => expect(await found({ "a.py": text })).toEqual([]))
})

describe("a name of an element that is only a part of others", () => {
  const index = page('<form id="book-form" class="wide card"></form><ul id="playlist"></ul>', script)
  it.each([
    ["an id in longer ones", 'document.getElementById("list")', 'missing_id: Line 1: no element has the id "list".'],
    [
      "an id that is a word of the script",
      "const form = document.getElementById('form')",
      'missing_id: Line 1: no element has the id "form".',
    ],
    [
      "an id beside others of its beginning",
      'document.querySelector("#book-from")',
      'missing_id: Line 1: no element has the id "book-from". Did you mean "book-form"?',
    ],
    [
      "an id, by a function of the script",
      'const find = (id) => document.getElementById(id)\nfind("books")',
      'missing_id: Line 2: no element has the id "books".',
    ],
    [
      "a class, by a function of the script",
      'function $(one) {\n  return document.querySelector(one)\n}\n$(".cards")',
      'missing_class: Line 4: no element has the class "cards".',
    ],
    [
      "a class in longer ones",
      'document.querySelector(".car")',
      'missing_class: Line 1: no element has the class "car".',
    ],
  ])("is found: %s", async (_, text, message) => {
    expect(await found({ "index.html": index, "a.js": text })).toEqual([`a.js ${message}`])
  })

  it.each([
    [
      "in HTML of a script",
      'f(`<li id="row" class="item">`)\ndocument.getElementById("row")\ndocument.querySelector(".item")\nfunction f() {}',
    ],
    ["as an attribute that is set", 'document.body.setAttribute("id", "row")\ndocument.getElementById("row")'],
    [
      "of a list of names",
      'for (const id of ["a", "b"]) document.body.append(f(id))\ndocument.getElementById("b")\nfunction f() {}',
    ],
    ["with a number", `f(\`<li id="row-\${n}">\`)\ndocument.getElementById("row-1")\nfunction f(n) {}\nlet n`],
    ["of keys", 'for (const key in { row: 1 }) document.body.id = key\ndocument.getElementById("row")'],
    ["with a class of several", 'document.body.className = "big red"\ndocument.querySelector(".red")'],
    ["of a function that finds something else", 'function find(id) {\n  return id\n}\nfind("books")'],
  ])("is none: %s", async (_, text) => {
    expect(await found({ "index.html": page('<p id="a"></p>', script), "a.js": text })).toEqual([])
  })

  it("is found by a function that another script exports", async () => {
    const files = {
      "index.html": page("<p></p>", '<script type="module" src="a.js"></script>'),
      "a.js": 'import { byId } from "./b.js"\nbyId("gone")\n',
      "b.js": "export function byId(id) {\n  return document.getElementById(id)\n}\n",
    }
    expect(await found(files)).toEqual(['a.js missing_id: Line 2: no element has the id "gone".'])
  })
})

describe("a misspelt member", () => {
  it.each([
    ['JSON.prase("")', '"JSON.prase" doesn\'t exist. Did you mean "parse"?'],
    ["Math.flor(1)", '"Math.flor" doesn\'t exist. Did you mean "floor"?'],
    [
      'document.addEventListner("click", f)',
      '"document.addEventListner" doesn\'t exist. Did you mean "addEventListener"?',
    ],
    ["f().textContnet = 1", '"textContnet" doesn\'t exist. Did you mean "textContent"?'],
    ["f().toLowercase()", '"toLowercase" doesn\'t exist. Did you mean "toLowerCase"?'],
  ])("is found: %s", async (text, message) => {
    expect(await found({ "a.js": `${text}\nfunction f() {}` })).toEqual([`a.js missing_name: Line 1: ${message}`])
  })

  it.each([
    ["of an object of the script's own", "const JSON = f()\nJSON.prase()"],
    ["that the script makes", "Math.flor = f\nMath.flor(1)"],
    ["that a class has", "class A {\n  addEventListner() {}\n}\nnew A().addEventListner()"],
    ["that is only kept", "class A {\n  b() {\n    this.activeElemnt = 1\n  }\n}"],
    ["that is nothing like another", "JSON.rawJSON2000()\nf().quite.different()"],
  ])("is none: one %s", async (_, text) => {
    expect(await found({ "a.js": `${text}\nfunction f() {}` })).toEqual([])
  })

  it.each([
    [
      'import { readFileSnyc } from "node:fs"\nreadFileSnyc()',
      'missing_export: Line 1: node:fs has no "readFileSnyc". Did you mean "readFileSync"?',
    ],
    [
      'import fs from "node:fs"\nfs.exitsSync()',
      'missing_export: Line 1: node:fs has no "exitsSync". Did you mean "existsSync"?',
    ],
    ['import "node:htpp"', 'missing_import: Line 1: Node has no module "node:htpp". Did you mean "node:http"?'],
  ])("of Node's is found: %s", async (text, message) => {
    expect(await found({ "a.mjs": text })).toEqual([`a.mjs ${message}`])
  })

  it("of Node's is none that only newer versions have", async () => {
    expect(await found({ "a.mjs": 'import { somethingNew } from "node:fs"\nsomethingNew()' })).toEqual([])
  })
})

describe("a constant that is changed", () => {
  it.each([
    ["const a = 1\na = 2", 2],
    ["const a = 1\nfunction f() {\n  a++\n}\nf()", 3],
    ["for (const a of [1]) {\n  a += 1\n}", 2],
    ["let a\n{\n  const a = 1\n  a = 2\n}", 4],
    ["function f(a) {\n  a = 1\n}\nconst a = f\na = 2", 5],
  ])("is found: %s", async (text, line) => {
    expect(await found({ "a.js": text })).toEqual([
      expect.stringContaining(`a.js changed_constant: Line ${line}: "a" is a const (line`),
    ])
  })

  it.each([
    "let a = 1\na = 2",
    "const a = {}\na.b = 2\na[1] = 3",
    "const a = 1\nfunction f(a) {\n  a = 2\n}\nf(a)",
    "const a = 1\n{\n  let a\n  a = 2\n}",
    "const a = 1\nconst f = (a) => (a = 2)\nf(a)",
    "const a = 1\nfunction f() {\n  if (a) {\n    var a\n  }\n  a = 2\n}\nf()",
    "const a = 1\ntry {\n  a.b\n} catch (a) {\n  a = 2\n}",
    "{\n  const a = 1\n}\nvar a\na = 2",
    "const [a] = f()\nfunction f() {\n  let { a } = {}\n  a = 2\n}",
    "const a = 1\nclass B {\n  c(a) {\n    a = 2\n  }\n}\nnew B().c(a)",
  ])("is none: %s", async (text) => expect(await found({ "a.js": text })).toEqual([]))
})

describe("a stylesheet's property", () => {
  it.each([
    ["a { colr: red }", '"colr". Did you mean "color"?'],
    ["@media print {\n  b { border-raduis: 1px }\n}", '"border-raduis". Did you mean "border-radius"?'],
  ])("that is misspelt is found: %s", async (text, message) => {
    expect(await found({ "a.css": text })).toEqual([expect.stringContaining(`there is no property ${message}`)])
  })

  it.each([
    "a { -webkit-colr: red; --colr: red; *zoom: 1; future-thing: 1; zoom: 1; grid-gap: 1px }",
    "@font-face { font-family: A; src: url(data:,); size-adjust: 1%; font-display: swap }",
    '@property --a { syntax: "*"; inherits: false }\n@counter-style b { system: cyclic; symbols: "-"; range: auto }',
  ])("is none: %s", async (text) => expect(await found({ "a.css": text })).toEqual([]))
})

describe("a file that no page loads", () => {
  /** Returns only the files that no page loads. */
  async function unreached(files: Files): Promise<string[]> {
    const findings = await checkProject(new Map(Object.entries(files)))
    return findings.filter(({ rule }) => rule === "unreached_file").map(({ path, message }) => `${path} ${message}`)
  }
  const server = 'import { readFileSync } from "node:fs"\nreadFileSync("style.css")\nreadFileSync("a.js")\n'
  const client = 'document.title = "A"\n'

  it("is found, even where a server sends it, a test reads it or a text is about it", async () => {
    expect(
      await unreached({
        "index.html": page("<p></p>", '<script src="b.js"></script>'),
        ...{
          "b.js": "alert(1)",
          "style.css": "p {}",
          "a.js": client,
          "server.mjs": server,
          "a.test.js": server,
          "README.md": "style.css",
        },
      }),
    ).toEqual([
      "index.html no page, stylesheet or script of the project loads style.css, so it does nothing.",
      "index.html no page or script of the project loads a.js, so it does nothing.",
    ])
  })

  it.each([
    ["a page", { "index.html": page("", '<link rel="stylesheet" href="style.css"><script src="./a.js"></script>') }],
    [
      "other files",
      {
        "index.html": page("", '<script type="module">import "./b.js"\nimport "./a.js"</script>'),
        "b.js": 'f("style.css")',
      },
    ],
    [
      "a server's own page",
      { "index.html": page("<p></p>"), "s.mjs": 'import "node:fs"\nf(`<link href="style.css"><script src="a.js">`)' },
    ],
    ["no page, where none loads anything", { "index.html": page("<p></p>") }],
    ["names that are put together", { "index.html": page("<p></p>"), "b.js": 'f("." + theme + ".css")' }],
    ["a build", { "index.html": page("<p></p>"), "package.json": '{ "scripts": { "b": "x style.css a.js" } }' }],
  ])("is none: one that is loaded by %s", async (_, files) => {
    expect(await unreached({ "style.css": "p {}", "a.js": client, ...files } as Files)).toEqual([])
  })
})

describe("a package that doesn't say that its files are modules", () => {
  const files = { "a.js": 'import "node:fs"\n', "b.test.js": 'import "node:fs"\n', "c.js": "export const c = 1\n" }
  const manifest = (more: object) =>
    JSON.stringify({ name: "a", scripts: { start: "node a.js", test: "node --test" }, ...more })

  it("is found by each that Node runs", async () => {
    expect(await found({ "package.json": manifest({}), ...files })).toEqual([
      expect.stringContaining('a.js module_kind: Line 1: "import "node:fs"" needs "type": "module" in package.json'),
      expect.stringContaining("b.test.js module_kind: Line 1: "),
    ])
  })

  it.each([
    ["says it", { type: "module" }],
    ["runs on a Node that finds out", { engines: { node: ">=22.12" } }],
    ["is built", { devDependencies: { vite: "7.0.0" } }],
    ["runs none of them", { scripts: { start: "eleventy" } }],
  ])("is none where it %s", async (_, more) => {
    expect(await found({ "package.json": manifest(more), ...files })).toEqual([])
  })
})

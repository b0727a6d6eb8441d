import { checkProject } from "@switchyard/core/work/checks/check-project"
import { kinds, languages } from "@switchyard/demo-model/project"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeProject } from "../../../demo-model/make-project.ts"
import { cases } from "../../../settings.ts"

type Files = Record<string, string | null>

/**
 * Returns a project's faults as `path rule: message`. Leaves out undefined names and files that no page loads, because
 * the samples contain both.
 */
async function found(files: Files): Promise<string[]> {
  const all = await checkProject(new Map(Object.entries(files)))
  const findings = all.filter(({ rule }) => rule !== "missing_name" && rule !== "unreached_file")
  return findings.map(({ path, rule, message }) => `${path} ${rule}: ${message}`)
}

const PACKAGE = { name: "a", type: "module", dependencies: { express: "5" } }
const asPackage = (more: object = {}) => JSON.stringify({ ...PACKAGE, ...more }, null, 2)

describe("a project", () => {
  it("has the faults of its files, and none in what is not text", async () => {
    expect(await found({ "a.js": "f(", "b.js": "f()", "logo.png": null, "README.md": "" })).toEqual([
      'a.js syntax: Line 1: the "(" is never closed.',
      "README.md empty_file: The file is empty.",
    ])
  })

  it("of the demo model is sound", async () => {
    const asked = kinds.flatMap((kind) =>
      languages.map((language) => `a ${kind} in ${language} for a list of books called Pine`),
    )
    for (const prompt of asked.filter((_, index) => index % cases({ usual: 8, deep: 1 }) === 0)) {
      const { files } = await makeProject(prompt)
      const texts = new Map(files.map(({ path, content }) => [path, content]))
      expect(await checkProject(texts), prompt).toEqual([])
    }
  })

  it("can be checked, whatever it holds", async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'import a, { b } from "./a.js"',
        'export * from "./b"',
        "from .a import b",
        "import a.b",
        "mod a;",
      ),
      fc.constantFrom(
        '<script src="a.js"></script>',
        'require("../../..")',
        '"scripts": { "a": "node a.js" }',
        "module a",
      ),
      fc.string({ unit: "binary", maxLength: 40 }),
    )
    const text = fc.oneof(
      fc.constant(null),
      fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n")),
    )
    const path = fc.constantFrom(
      "a.js",
      "b.ts",
      "a.py",
      "a/__init__.py",
      "a.html",
      "a.css",
      "package.json",
      "go.mod",
      "a.go",
      "src/a.rs",
      "__proto__",
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(path, text)), async (files) => {
        const project = new Map<string, string | null>(files)
        for (const { path, message } of await checkProject(project)) {
          expect(project.has(path)).toBe(true)
          expect(message).toMatch(/\.$/)
        }
      }),
      { numRuns: cases({ usual: 40, deep: 3000 }) },
    )
  })
})

describe("an import in JavaScript", () => {
  it("of a file that isn't there is found", async () => {
    const text =
      'import "./gone.js"\nexport * from "./a/gone"\nimport("../gone.css")\nconst a = require("./gone.cjs")\n'
    expect(await found({ "src/main.js": text })).toEqual(
      [
        'src/main.js missing_import: Line 1: there is no file "./gone.js": the project has no src/gone.js.',
        'src/main.js missing_import: Line 2: there is no file "./a/gone": the project has no src/a/gone.',
        'src/main.js missing_import: Line 4: there is no file "./gone.cjs": the project has no src/gone.cjs.',
        'src/main.js missing_import: Line 3: there is no file "../gone.css": the project has no gone.css.',
      ].sort((a, b) => Number(/Line (\d)/.exec(a)?.[1] === "4") - Number(/Line (\d)/.exec(b)?.[1] === "4")),
    )
  })

  it("is looked for in folders that programs may make, too, where the project's own files lie in them", async () => {
    const files = {
      "src/lib/http.js": "export const send = 1\n",
      "src/lib/dates.js": "export const day = 1\n",
      "src/app.js": 'import { fail } from "./lib/errors.js"\nimport { send, get } from "./lib/http.js"\n',
      "lib/a.js": 'import "./b.js"\nimport "../build/c.js"\nimport "../esm/d.js"\nimport "../src/types/e.js"\n',
    }
    expect(await found(files)).toEqual([
      'src/app.js missing_import: Line 1: there is no file "./lib/errors.js": the project has no src/lib/errors.js; src/lib has http.js, dates.js.',
      'src/app.js missing_export: Line 2: src/lib/http.js has no export named "get"; it exports send.',
      'lib/a.js missing_import: Line 1: there is no file "./b.js": the project has no lib/b.js.',
      'lib/a.js missing_import: Line 4: there is no file "../src/types/e.js": the project has no src/types/e.js.',
    ])
  })

  it("of a file finds it as runtimes, compilers and bundlers do", async () => {
    const specifiers = [
      "./b.js",
      "./c.js",
      "./d",
      "./e",
      "..",
      "../logo.svg?raw",
      "./f.jsx",
      "../data.json",
      "../dist/x.js",
    ]
    const files = {
      "src/a.ts": specifiers.map((specifier) => `import "${specifier}"`).join("\n"),
      ...{ "src/b.js": "f()", "src/c.ts": "f()", "src/d.tsx": "f()", "src/e/index.ts": "f()", "index.js": "f()" },
      ...{ "logo.svg": "<svg/>", "src/f.tsx": "f()", "data.json": "{}" },
    }
    expect(await found(files)).toEqual([])
    expect(await found({ "a.js": 'try { require("./gone") } catch {}\n// import "./gone"\nf("./gone")' })).toEqual([])
  })

  it("of a name that isn't exported is found", async () => {
    const files = {
      "a.js": 'import b, { c, d as e } from "./b.js"\nexport { f } from "./b.js"\nimport * as g from "./b.js"\n',
      "b.js": "export const c = 1\nexport function h() {}\nfunction d() {}\n",
      "e.js": 'import { x } from "./f.js"',
      "f.js": "function x() {}\n",
    }
    expect(await found(files)).toEqual([
      "a.js missing_export: Line 1: b.js has no default export.",
      'a.js missing_export: Line 1: b.js has no export named "d"; it exports c, h.',
      'a.js missing_export: Line 2: b.js has no export named "f"; it exports c, h.',
      'e.js missing_export: Line 1: f.js has no export named "x"; it exports nothing by name.',
    ])
  })

  it("of a name finds it however it is exported", async () => {
    const names = "a, b, c, d, e, f, g, h, i, j, k, l, m, default as n, o"
    const exporting = [
      "export const a = 1, { b, c: [d], ...e } = f()",
      "const c = 1; export { c, d as f }",
      "export class g {}\nexport async function* h() {}\nexport default 1",
      "export type i = 1; export interface j {}; export enum k {}; export declare const l: 1; export namespace m {}",
      'export * from "./more"\nexport * as o from "./more"',
    ]
    const files = {
      "a.ts": `import { ${names}, p } from "./b"`,
      "b.ts": exporting.join("\n"),
      "more.ts": "export let p = 1",
    }
    expect(await found(files)).toEqual([])
  })

  it.each([
    ["CommonJS", { "b.js": "module.exports = { a: 1 }" }],
    ["stars of packages", { "b.js": 'export * from "node:fs"' }],
    ["a file that its grammar doesn't know whole", { "b.tsx": "interface A<in out T> { a: T }\nexport const b = 1\n" }],
    ["declarations beside it", { "b.js": "f()", "b.d.ts": "export type a = 1" }],
    ["another format", { "b.vue": "<script>export default {}</script>" }],
  ])("of a name is not judged where that can't be said: %s", async (_, files) => {
    expect(await found({ "a.ts": 'import { a } from "./b"', ...files } as Files)).toEqual([])
  })

  it("of a package that isn't declared is found", async () => {
    const text =
      'import express from "express"\nimport cors from "cors"\nimport x from "@a/b/c"\nimport y from "@types/d"\n'
    expect(await found({ "package.json": asPackage(), "a.js": text })).toEqual([
      'a.js undeclared_package: Line 2: the package "cors" is imported, but package.json doesn\'t list it as a dependency.',
      'a.js undeclared_package: Line 3: the package "@a/b" is imported, but package.json doesn\'t list it as a dependency.',
      'a.js undeclared_package: Line 4: the package "@types/d" is imported, but package.json doesn\'t list it as a dependency.',
    ])
  })

  it.each([
    ["of Node", 'import "node:fs"\nimport "fs/promises"\nimport "bun:test"', {}],
    ["of itself and of a sibling", 'import "a/x"\nimport "b"', { "b/package.json": '{ "name": "b" }' }],
    ["of the root of a workspace", "", { "b/package.json": '{ "name": "b" }', "b/a.js": 'import "express"' }],
    [
      "with declarations only",
      'import "estree"',
      { "package.json": asPackage({ devDependencies: { "@types/estree": "1" } }) },
    ],
    [
      "by an alias",
      'import "@/x"\nimport "~x"\nimport "#x"\nimport "lib/x"',
      { "tsconfig.json": '{ "paths": { "lib/*": ["x"] } }' },
    ],
    [
      "by an import map",
      'import "three"',
      { "index.html": '<script type="importmap">{ "imports": { "three": "x" } }</script>' },
    ],
    ["where no package.json is", 'import "x"', { "package.json": null }],
  ])("of a package is none: %s", async (_, text, files) => {
    expect(await found({ "package.json": asPackage(), "a.js": text || "f()", ...files } as Files)).toEqual([])
  })
})

describe("an import in Python", () => {
  it("of the project's modules and their names that aren't there is found", async () => {
    const files = {
      "main.py": "from utils import load, save\nfrom app.models import User, Post\nimport app.views\n",
      "utils.py": "def load(): pass\n",
      "app/__init__.py": "db = 1\n",
      "app/models.py": "class User:\n    Post = 1\n",
      "app/x.py": "from .models import Nope\nfrom . import gone\nfrom ..y import z\nfrom .other import q\n",
    }
    expect(await found(files)).toEqual([
      'main.py missing_export: Line 1: utils.py doesn\'t define "save".',
      'main.py missing_export: Line 2: app/models.py doesn\'t define "Post".',
      'main.py missing_import: Line 3: there is no module "app.views": the project has no app/views.py.',
      'app/x.py missing_export: Line 1: app/models.py doesn\'t define "Nope".',
      'app/x.py missing_export: Line 2: app/__init__.py doesn\'t define "gone".',
      'app/x.py missing_import: Line 3: there is no module "..y": the project has no y.py.',
      'app/x.py missing_import: Line 4: there is no module ".other": the project has no app/other.py.',
    ])
  })

  it("finds what is there", async () => {
    const files = {
      "src/app/__init__.py": "",
      "src/app/a.py":
        "import http.server\nfrom .b import one, two, three, four, five, six, b2, sub\nfrom . import b, c\nfrom .c import d\nfrom .e import f\n",
      "src/app/b.py":
        "one = two, (three, *four) = f()\nif x:\n    def five(): pass\ntry:\n    import six\nexcept E:\n    pass\nfrom z import b as b2, sub\n",
      "src/app/c/d.py": "x = 1",
      "src/app/e.pyx": "f = 1",
      "src/app/http.py": "x = 1",
      "tests/test_a.py":
        "from app.b import one\nfrom app import a\nimport requests\nfrom helpers import x\ntry:\n    from app import gone\nexcept ImportError:\n    pass\n",
      "tests/helpers.py": "x = 1",
      "tools/collections.py": "import collections.abc\n",
    }
    expect(await found(files)).toEqual([])
  })

  it.each(["from x import *", "def __getattr__(name): ...", "globals()['a'] = 1", "f("])(
    "of a name is not judged where names can come from elsewhere: %s",
    async (text) => {
      const findings = await found({ "a.py": "from b import a\n", "b.py": text })
      expect(findings.filter((finding) => finding.startsWith("a.py"))).toEqual([])
    },
  )
})

describe("an import in Go and Rust", () => {
  it("of a package that isn't there is found", async () => {
    const imports = [
      "fmt",
      "example.com/a",
      "example.com/a/store",
      "example.com/a/gone",
      "github.com/x/y/z",
      "github.com/q/r",
    ]
    const files = {
      "go.mod": "module example.com/a\n\ngo 1.21\n\nrequire github.com/x/y v1.0.0\n",
      "main.go": `package main\nimport (\n${imports.map((one) => `"${one}"`).join("\n")}\n)\nfunc main() { fmt.Println() }\n`,
      "store/s.go": "package store\n",
      "_examples/a.go": 'package a\nimport "github.com/q/r"\n',
    }
    expect(await found(files)).toEqual([
      'main.go missing_import: Line 6: there is no package "example.com/a/gone": the project has no Go files in gone.',
      'main.go undeclared_package: Line 8: the package "github.com/q/r" is imported, but go.mod requires no module that contains it.',
    ])
  })

  it("of a module that isn't there is found", async () => {
    const files = {
      "src/main.rs": "mod a;\nmod gone;\nmod inline { mod b; }\n#[cfg(unix)]\nmod unix;\n",
      ...{ "src/a.rs": "mod b;\npub mod c;\n", "src/a/b.rs": "fn f() {}", "src/a/c/mod.rs": "fn f() {}" },
    }
    expect(await found(files)).toEqual([
      'src/main.rs missing_import: Line 2: there is no module "gone": the project has no src/gone.rs.',
    ])
  })
})

describe("a script of a package.json", () => {
  it("that runs what isn't there is found", async () => {
    const scripts = {
      dev: "npm run watch",
      start: "NODE_ENV=x node --no-warnings ./server.js",
      test: "node --test a.test.js b.test.js",
    }
    expect(await found({ "package.json": asPackage({ scripts }), "a.test.js": "f()" })).toEqual([
      'package.json missing_script: Line 8: the script "dev" runs "npm run watch", but there is no such script.',
      'package.json missing_script: Line 9: the script "start" runs ./server.js, but the project has no such file.',
      'package.json missing_script: Line 10: the script "test" runs b.test.js, but the project has no such file.',
    ])
  })

  it.each([
    "npm run build && node dist/server.js",
    "node --import ./gone.mjs server.js",
    "node -e 'f()' gone.js",
    "cd web && node gone.js",
    "node --test 'test/**/*.test.js'",
    "npm run gone --workspace web",
    "vitest run && tsc -p . && node server.js --port 1 gone.js",
    "node $FILE.js",
  ])("is none: %s", async (start) => {
    const scripts = { start, build: "tsc" }
    const devDependencies = { typescript: "6", vitest: "4" }
    expect(await found({ "package.json": asPackage({ scripts, devDependencies }), "server.js": "f()" })).toEqual([])
  })
})

describe("an address in a page or a stylesheet", () => {
  it("of a file that isn't there is found", async () => {
    const html = [
      '<link rel="stylesheet" href="styles.css"><link rel=icon href=/favicon.ico>',
      '<img src="img/a.png?v=1"><script src="./app.js" type="module"></script>',
      '<a href="about.html#top">About</a>',
    ]
    expect(
      await found({
        "index.html": html.join("\n"),
        "css/style.css": '@import "b.css";\na { background: url("../bg.png") }',
      }),
    ).toEqual([
      'index.html missing_file: Line 1: there is no file "styles.css".',
      'index.html missing_file: Line 1: there is no file "/favicon.ico": the project has no favicon.ico.',
      'index.html missing_file: Line 2: there is no file "img/a.png?v=1": the project has no img/a.png.',
      'index.html missing_file: Line 2: there is no file "./app.js": the project has no app.js.',
      'index.html missing_file: Line 3: there is no file "about.html#top": the project has no about.html.',
      'css/style.css missing_file: Line 2: there is no file "../bg.png": the project has no bg.png.',
      'css/style.css missing_file: Line 1: there is no file "b.css": the project has no css/b.css.',
    ])
  })

  it.each([
    [
      "elsewhere",
      '<script src="https://x.y/z.js"></script><img src="data:image/png;base64,x"><a href="/about">x</a>',
      {},
    ],
    ["in a template", '<link rel="stylesheet" href="gone.css">{{ x }}', {}],
    ["under a base", '<base href="/x/"><img src="gone.png">', {}],
    [
      "served from a folder",
      '<img src="/a.png"><link rel="stylesheet" href="style.css">',
      { "public/a.png": null, "static/style.css": "a {}", "app.py": "f()" },
    ],
    [
      "made by a build",
      '<script src="bundle.js"></script><script src="dist/x.js"></script>',
      { "package.json": '{ "scripts": { "b": "x -o bundle.js" } }' },
    ],
    ["beside it", '<img src="a%20b.png" src="img.png">', { "img.png": null, "a%20b.png": null }],
  ])("is none: %s", async (_, html, files) =>
    expect(await found({ "index.html": html, ...files } as Files)).toEqual([]),
  )
})

describe("a script of the other kind of modules", () => {
  const esm = '{ "name": "a", "type": "module" }'
  const page = '<script src="a.js"></script>'
  it.each([
    [
      "exports of CommonJS in an ES package",
      { "package.json": esm, "a.js": "f()\nmodule.exports = { f }\n" },
      "Line 2",
    ],
    ["require in an ES package", { "package.json": esm, "a.js": 'const { f } = require("./b.cjs")\n' }, "Line 1"],
    ["exports of CommonJS after an import", { "a.js": 'import "./b.cjs"\nexports.a = 1\n' }, "Line 2"],
    ["exports of CommonJS in a module by its name", { "a.mjs": "module.exports.a = 1\n" }, "Line 1"],
    ["an import in a CommonJS module by its name", { "a.cjs": 'import "./b.cjs"\n' }, "Line 1"],
    ["a page's script that imports", { "index.html": page, "a.js": 'f()\nimport "./b.cjs"\n' }, "Line 1"],
  ])("is found: %s", async (_, files, line) => {
    const findings = await found({ "b.cjs": "exports.f = 1\n", ...files })
    expect(findings).toEqual([expect.stringContaining(`module_kind: ${line}: `)])
  })

  it.each([
    [
      "a require of its own",
      { "package.json": esm, "a.js": "const require = createRequire(u)\nconst b = require('./b.cjs')\n" },
    ],
    ["a guard", { "package.json": esm, "a.js": "if (typeof module === 'object') module.exports = f\n" }],
    ["what bundlers allow", { "a.js": 'import "./b.cjs"\nconst c = require("./b.cjs")\n' }],
    [
      "a package of CommonJS in another",
      { "package.json": esm, "c/package.json": "{}", "c/a.js": "module.exports = 1\n" },
    ],
    ["a page's module", { "index.html": page.replace("src", 'type="module" src'), "a.js": 'import "./b.cjs"\n' }],
  ])("is none: %s", async (_, files) => expect(await found({ "b.cjs": "exports.f = 1\n", ...files })).toEqual([]))
})

describe("an attribute that calls a function", () => {
  const page = (script: string) => `<button onclick="go()">Go</button>\n${script}\n`
  const module = '<script type="module" src="a.js"></script>'
  it.each([
    ["in no script", page('<script src="a.js"></script>'), "function run() {}\n", "isn't in any of the page's scripts"],
    ["in a module", page(module), "export function go() {}\n", "is in a module"],
    ["in a module in the page", page('<script type="module">const go = f</script>'), "", "is in a module"],
  ])("that is %s is found", async (_, html, script, message) => {
    const findings = await found({ "index.html": html, "a.js": script || "f()\n" })
    expect(findings).toEqual([
      expect.stringContaining(`missing_function: Line 1: an attribute calls "go", which ${message}`),
    ])
  })

  it.each([
    ["in a script", page('<script src="a.js"></script>'), "function go() {}\n"],
    ["in the page", page("<script>let stop, go</script>"), "f()\n"],
    ["given to the window", page(module), "function go() {}\nwindow.go = go\n"],
    ["given with others", page(module), "function go() {}\nObject.assign(window, { go })\n"],
    ["in a script of another site", page('<script src="https://a.example/b.js"></script>'), "f()\n"],
    ["a browser's own", page("").replace("go()", "alert(1)"), "f()\n"],
  ])("that is %s is none", async (_, html, script) => {
    expect(await found({ "index.html": html, "a.js": script })).toEqual([])
  })
})

describe("Go files in one folder", () => {
  it("of two packages are found", async () => {
    expect(await found({ "a.go": "package a\n", "b.go": "\npackage b\n" })).toEqual([
      "b.go syntax: Line 2: the file declares package b, but a.go in the same folder declares a.",
    ])
  })

  it("may be tests, or be built elsewhere", async () => {
    const script = "//go:build ignore\n\npackage main\n"
    expect(await found({ "a.go": "package a\n", "a_test.go": "package a_test\n", "b.go": script })).toEqual([])
  })
})

describe("a script in a page", () => {
  it("is checked like a file, by the page's lines", async () => {
    const html = '<p id="a"></p>\n<script>\nconst a = document.getElementById("b")\nif (a {\n}\n</script>\n'
    expect(await found({ "index.html": html })).toEqual([
      'index.html syntax: Line 4: the "(" is never closed.',
      'index.html missing_id: Line 3: no element has the id "b".',
    ])
    const module =
      '<script type="module">\nimport { b } from "./a.js"\n</script><script type="text/template">}</script>'
    expect(await found({ "index.html": module, "a.js": "export const a = 1" })).toEqual([
      'index.html missing_export: Line 2: a.js has no export named "b"; it exports a.',
    ])
  })
})

describe("an element that a script looks up", () => {
  it("and that no page has is found", async () => {
    const text = 'document.getElementById("app")\ndocument.querySelector("#gone")\ndocument.getElementById("gone")\n'
    expect(await found({ "index.html": '<p id="app"></p>', "a.js": text })).toEqual([
      'a.js missing_id: Line 2: no element has the id "gone".',
      'a.js missing_id: Line 3: no element has the id "gone".',
    ])
  })

  it.each([
    ["is made by a script", 'e.id = "late"\ndocument.getElementById("late")'],
    ["has an id that is put together", 'e.id = "row-" + n\ndocument.getElementById("row-1")'],
    ["is looked up by more than an id", 'document.querySelector("#late .x")'],
    ["has a name that isn't known", "document.getElementById(name)"],
  ])("is none where it %s", async (_, text) => {
    expect(await found({ "index.html": "<p></p>", "a.js": text })).toEqual([])
  })

  it("is none in a test, or where there is no page", async () => {
    const text = 'document.getElementById("gone")'
    expect(await found({ "index.html": "<p></p>", "a.test.js": text })).toEqual([])
    expect(await found({ "a.js": text })).toEqual([])
  })
})

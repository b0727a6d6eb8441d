import { factsOf } from "@switchyard/core/files/symbols/file-facts"
import { type References, referencesOf } from "@switchyard/core/files/symbols/references"
import { createResolveImport } from "@switchyard/core/files/symbols/resolve-import"
import type { FileFacts } from "@switchyard/core/files/symbols/schema"
import {
  fileBlock,
  leastBlockLength,
  MAP_LEGEND,
  signatureHash,
  symbolMap,
} from "@switchyard/core/files/symbols/symbol-map"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const PROJECT: Record<string, string> = {
  "src/app.ts": `import { Store, type Item } from "./store.js"\nimport * as fs from "node:fs"\nimport { readAll } from "../lib"\nexport async function startApp(port: number, host?: string, ...rest: string[]): Promise<void> {\n  return new Store(readAll())\n}\n`,
  "src/store.ts": `import { startApp } from "./app"\nexport class Store extends Base<string> {\n  items: Item[] = []\n  async findItem(id: string, limit = 5): Promise<Item> { return startApp(1) }\n}\n`,
  "lib/index.ts": "export const readAll = () => []\n",
  "py/a.py":
    "from .b import Thing\nfrom .. import top\nimport os, json\n\nclass A(Thing):\n    def go(self, x, y=1, *rest):\n        return helper(x)\n",
  "py/b.py": "class Thing:\n    pass\n\ndef helper(x) -> int:\n    return 1\n",
  "tests/app.test.ts": `import { startApp } from "../src/app"\nfunction newApp() {}\nfunction testIt() {}\nclass Fake { run() {} }\n`,
  "c/main.c": '#include <stdio.h>\n#include "util.h"\nint main(void) { return add_numbers(1, 2); }\n',
  "c/include/util.h": "int add_numbers(int a, int b);\n",
}

async function factsOfAll(files: Record<string, string>): Promise<Map<string, FileFacts>> {
  const all = new Map<string, FileFacts>()
  for (const [path, text] of Object.entries(files)) {
    const facts = await factsOf(path, text)
    if (facts) all.set(path, facts)
  }
  return all
}

describe("the facts about a file", () => {
  const SAMPLES: [string, string, string[], string[]][] = [
    [
      "a.ts",
      'import a from "./b"\nexport { c } from "./c"\nconst d = require("d")\ne.f(); new G()\n',
      ["./b", "./c", "d"],
      ["require", "f", "G"],
    ],
    ["a.jsx", 'import "./style"\nconst x = await import("./lazy")\n', ["./style", "./lazy"], ["import"]],
    [
      "calls.ts",
      [
        "a.b?.c(); first(1).second(2)\nthird ()\nnew X.Y<T>(); new Z(); (function () { inner() })()",
        "generic<T>(); this.#own(); super.up(); größe(); tag`x`; a[0](); f()(); a!.sure(); (a || b)()",
        'const r = require(`no`); require.resolve("no"); requires("no"); function() { body() }',
      ].join("\n"),
      [],
      [
        ...["c", "first", "second", "third", "Y", "Z", "inner", "generic", "own", "up", "größe", "tag", "f", "sure"],
        ...["require", "resolve", "requires", "body"],
      ],
    ],
    ["a.py", "import os.path as p, re\nfrom ..a import b as c\nx.y()\nZ()\n", ["os.path", "re", "..a"], ["y", "Z"]],
    ["a.c", '#include <a.h>\n#include "b/c.h"\nint f() { return g(); }\n', ["a.h", "b/c.h"], ["g"]],
    ["a.cpp", '#include "x.hpp"\nvoid f() { a::b(); c.d(); }\n', ["x.hpp"], ["b", "d"]],
    [
      "a.go",
      'package a\nimport (\n\t"fmt"\n\tx "example.com/y"\n)\nfunc f() { fmt.Println() }\n',
      ["fmt", "example.com/y"],
      ["Println"],
    ],
    ["a.rs", "use crate::a::b;\nmod c;\nmod d { }\nfn f() { g::h(); }\n", ["crate::a::b", "./c"], ["h"]],
    ["A.java", "import a.b.C;\nclass A { void f() { g(); new H(); } }\n", ["a.b.C"], ["g", "H"]],
    ["a.rb", "require 'json'\nrequire_relative 'b'\nc.d()\n", ["json", "./b"], ["require", "require_relative", "d"]],
    ["a.php", "<?php\nuse A\\B;\nrequire 'c.php';\nd(); $e->f();\n", ["A\\B", "c.php"], ["d", "f"]],
    ["a.cs", "using System.Text;\nclass A { void F() { B.C(); new D(); } }\n", ["System.Text"], ["C", "D"]],
  ]

  it.each(SAMPLES)("has what %s imports and calls", async (path, text, imports, calls) => {
    const facts = await factsOf(path, text)
    expect(facts?.imports.map(({ module }) => module).sort()).toEqual([...imports].sort())
    expect(facts?.calls.toSorted()).toEqual([...calls].sort())
  })

  it("is nothing for what is no code, and for what is minified", async () => {
    expect(await factsOf("a.md", "# A")).toBeUndefined()
    expect(await factsOf("a.css", "a {}")).toBeUndefined()
    expect(await factsOf("a.js", "a();".repeat(1000))).toBeUndefined()
  })
})

describe("an import", () => {
  it.each([
    ["src/a/b.ts", "../c", ["src/c.tsx"], "src/c.tsx"],
    ["src/a/b.ts", "./../a/d.js", ["src/a/d.ts"], "src/a/d.ts"],
    ["src/a.ts", "./b", ["src/b/index.ts", "src/b.md"], "src/b/index.ts"],
    ["a.ts", "../outside", ["outside.ts"], undefined],
    ["a.ts", "react", ["react.ts"], undefined],
    ["p/q/a.py", "..r", ["p/r.py", "r.py"], "p/r.py"],
    ["p/q/a.py", ".", ["p/q/__init__.py"], "p/q/__init__.py"],
    ["p/a.py", "x.y", ["src/x/y.py"], "src/x/y.py"],
    ["a/b.c", "util.h", ["include/util.h"], "include/util.h"],
    ["src/main.rs", "./net", ["src/net/mod.rs"], "src/net/mod.rs"],
    ["src/a/b.rs", "crate::net::tcp::Stream", ["src/net/tcp.rs"], "src/net/tcp.rs"],
    ["A.java", "com.acme.B", ["src/main/java/com/acme/B.java"], "src/main/java/com/acme/B.java"],
  ])("in %s of %s", (from, module, paths, found) => {
    expect(createResolveImport([from, ...paths])(from, module)).toBe(found)
  })
})

describe("references", () => {
  it("are imports, and calls of what one other file defines", async () => {
    const files = await factsOfAll(PROJECT)
    const { imports, referrers, mutual } = referencesOf(files)
    expect(imports.get("src/app.ts")).toEqual(["lib/index.ts", "src/store.ts"])
    expect(imports.get("py/a.py")).toEqual(["py/b.py"])
    expect(imports.get("c/main.c")).toEqual(["c/include/util.h"])
    expect(referrers.get("src/app.ts")).toEqual(["src/store.ts", "tests/app.test.ts"])
    expect(referrers.get("py/b.py")).toEqual(["py/a.py"])
    expect(mutual).toEqual([["src/app.ts", "src/store.ts"]])
  })
})

describe("the map", () => {
  it("shows a file's symbols in a line each", async () => {
    const files = await factsOfAll(PROJECT)
    const references = referencesOf(files)
    const block = (path: string) => fileBlock(path, files.get(path) as FileFacts, references, "model")
    expect(block("src/app.ts")).toBe(
      "\nsrc/app.ts: ←2\ni node:fs\ni→lib/index.ts,src/store.ts\naf startApp(port,host?,*rest)->Promise<void>",
    )
    expect(block("src/store.ts")).toBe(
      "\nsrc/store.ts: ←1\ni→src/app.ts\nc Store(Base)\n  p items\n  am findItem(id,limit?)->Promise<Item>",
    )
    expect(block("py/a.py")).toBe("\npy/a.py:\ni json,os\ni→py/b.py\nc A(Thing)\n  m go(x,y?,*rest)")
    expect(block("tests/app.test.ts")).toBe("\ntests/app.test.ts:\ni→src/app.ts\n# 1c/3m fixtures:newApp")
    expect(fileBlock("py/b.py", files.get("py/b.py") as FileFacts, references, "editor")).toBe(
      "\npy/b.py: ←1\nc Thing :1\nf helper(x)->int :4\n←py/a.py",
    )
    expect(MAP_LEGEND).toContain("c class")
  })

  it("has no block that is shorter than is said of it before it is made", async () => {
    const files = await factsOfAll(PROJECT)
    const none = { imports: new Map(), referrers: new Map(), mutual: [] }
    for (const [path, facts] of files) {
      const { length } = fileBlock(path, facts, none, "model")
      expect(leastBlockLength(path, facts), path).toBeLessThanOrEqual(length)
      expect(leastBlockLength(path, facts), path).toBeGreaterThan(path.length)
    }
  })

  it("is the same bytes in whatever order the files come", async () => {
    const files = await factsOfAll(PROJECT)
    const whole = (all: Map<string, FileFacts>, references: References) => symbolMap(all, references, "editor")
    const expected = whole(files, referencesOf(files))
    const orders = fc.shuffledSubarray([...files], { minLength: files.size })
    fc.assert(fc.property(orders, (order) => whole(new Map(order), referencesOf(new Map(order))) === expected))
  })

  it("hashes a file's own symbols, wherever their lines are", async () => {
    const hashOf = async (text: string) => signatureHash((await factsOf("a.ts", text)) as FileFacts)
    const before = await hashOf("export function f(a: string) { return 1 }\n")
    expect(await hashOf("// moved\n\nexport function f(a: string) { return 2 }\n")).toBe(before)
    expect(await hashOf("export function f(b: string) { return 1 }\n")).not.toBe(before)
  })
})

import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { findServer } from "@switchyard/core/work/gate/find-checks"
import { needsBuild } from "@switchyard/core/work/gate/needs-build"
import { pageScripts } from "@switchyard/core/work/gate/page-scripts"
import { describe, expect, it } from "vitest"

const options = { signal: new AbortController().signal }

function needs(files: Record<string, string>, page = "index.html"): Promise<boolean> {
  const workspace = {
    stat: (path: WorkspacePath) =>
      path in files ? { type: "file" as const, size: 1, sha256: "", binary: false, mode: 0o644 } : undefined,
    readText: async (path: WorkspacePath) => {
      const text = files[path]
      if (text === undefined) throw new Error("There is no such file.")
      return text
    },
  }
  return needsBuild(workspace, page as WorkspacePath, options)
}

const manifest = (scripts: Record<string, string> = {}) => JSON.stringify({ scripts })
const module = (src: string) => `<!doctype html><div id=app></div><script type="module" src="${src}"></script>`

describe("a page that must be built", () => {
  it("loads sources that no browser runs", async () => {
    for (const src of ["/src/main.tsx", "./main.ts?v=1", "src/App.jsx#x", "App.vue", "App.SVELTE", "a.mts"])
      expect(await needs({ "index.html": module(src) }), src).toBe(true)
    expect(await needs({ "index.html": "<SCRIPT TYPE=module SRC = /src/main.ts></SCRIPT>" })).toBe(true)
    expect(await needs({ "web/index.html": module("/src/main.tsx") }, "web/index.html")).toBe(true)
  })

  it("imports packages, styles or names without an extension, in an npm project", async () => {
    for (const code of [
      'import { createApp } from "vue"',
      '// Draws.\nimport"./a.js";import {\n  a,\n  b as c,\n} from "react"',
      'import "./style.css"',
      "export * from './app'",
      'import logo from "/logo.svg"\nsetup(logo)',
    ]) {
      const files = { "index.html": module("/src/main.js"), "src/main.js": code }
      expect(await needs({ ...files, "package.json": manifest() }), code).toBe(true)
      // Without a manifest, there is nothing to build. The page reports the modules that it can't load.
      expect(await needs(files), code).toBe(false)
      const inline = `<script type="module">${code}</script>`
      expect(await needs({ "index.html": inline, "package.json": manifest() }), code).toBe(true)
    }
    const own = { "package.json": manifest(), "web/index.html": module("./main.js"), "web/main.js": 'import "react"' }
    expect(await needs(own, "web/index.html")).toBe(true)
  })

  it("gets its scripts from a bundler", async () => {
    const empty = "<!doctype html><div id=root></div>"
    for (const start of ["react-scripts start", "cross-env A=1 webpack-dev-server --open", "tsc&&ng serve"])
      expect(
        await needs({ "public/index.html": empty, "package.json": manifest({ start }) }, "public/index.html"),
      ).toBe(true)
    const output = '<script src="main.js"></script>'
    expect(await needs({ "index.html": output, "package.json": manifest({ build: "webpack" }) })).toBe(true)
  })
})

describe("a plain page", () => {
  it("stays one, even with a manifest or a bundler's development server", async () => {
    for (const scripts of [{}, { start: "serve ." }, { dev: "vite" }] as Record<string, string>[]) {
      const files = {
        "index.html": `${module("./main.js")}<script src="public.js"></script>`,
        "main.js": 'import { add } from "./list.js"\nimport("lazy")\nimport x from "https://cdn.example/x"',
        "public/public.js": "1",
        "package.json": manifest(scripts),
      }
      expect(await needs(files), JSON.stringify(scripts)).toBe(false)
      expect(await needs({ "index.html": "<h1>Plain</h1>", "package.json": manifest(scripts) })).toBe(false)
    }
  })

  it("may map the names of its modules, or compile its own sources", async () => {
    const map = '<script type="importmap">{"imports":{"vue":"https://cdn.example/vue"}}</script>'
    const files = { "main.js": 'import "vue"', "package.json": manifest({ start: "serve ." }) }
    expect(await needs({ ...files, "index.html": map + module("main.js") })).toBe(false)
    const babel =
      '<script src="https://cdn.example/babel.js"></script><script type="text/babel" src="app.jsx"></script>'
    expect(await needs({ ...files, "index.html": babel })).toBe(false)
    const json = 'import data from "./data.json" with { type: "json" }'
    expect(await needs({ ...files, "index.html": module("main.js"), "main.js": json })).toBe(false)
  })

  it("only mentions sources in comments and texts", async () => {
    const words = '<!-- <script src="a.tsx"></script> --><p title="<script src=b.tsx>">src="/main.tsx"</p>'
    expect(await needs({ "index.html": words, "package.json": manifest({ dev: "vite" }) })).toBe(false)
    const inline = `<script>const page = '<script src="a.tsx">'</script>`
    expect(await needs({ "index.html": inline, "package.json": manifest({ dev: "vite" }) })).toBe(false)
  })
})

describe("hostile files", () => {
  it("neither throw nor count as sources", async () => {
    const broken = ["{", "[]", "null", '{"scripts":[1]}', '{"scripts":{"dev":1}}', "\0"]
    for (const text of broken) expect(await needs({ "index.html": text, "package.json": text })).toBe(false)
    for (const src of ["", " ", "http://[", "//", "../../x.js", "%zz.js", "javascript:1", "\\\\x"])
      expect(await needs({ "index.html": module(src), "package.json": "{}" }), src).toBe(false)
    const deep = "(".repeat(200_000)
    expect(await needs({ "index.html": module("a.js"), "a.js": deep, "package.json": "{}" })).toBe(false)
    expect(await needs({})).toBe(false)
  })

  it("are read in part if they are huge or deeply nested", () => {
    const late = module("main.tsx")
    expect(pageScripts(`${"a".repeat(600_000)}${late}`).hasScripts).toBe(false)
    expect(pageScripts(`${"<b>".repeat(100_000)}${late}`).hasScripts).toBe(false)
    expect(pageScripts(`${"<p>text</p>".repeat(20_000)}${late}`).loaded).toEqual([
      { address: "main.tsx", isModule: true },
    ])
  })
})

describe("the server of a project", () => {
  const server = (scripts: Record<string, string>, dependencies = {}) =>
    findServer({
      has: (path) => path === "package.json",
      text: (path) => (path === "package.json" ? JSON.stringify({ scripts, dependencies }) : undefined),
      paths: () => ["package.json"],
    })

  it("is its start command, or a bundler's dev script without a build", () => {
    const commandsOf = (found: ReturnType<typeof server>) =>
      found && [...found.before, found.start].map(({ command }) => command)
    expect(commandsOf(server({ start: "node .", dev: "vite", build: "vite build" }))).toEqual([
      "npm run build",
      "npm start",
    ])
    expect(commandsOf(server({ dev: "vite", build: "vite build" }))).toEqual(["npm run dev"])
    expect(commandsOf(server({ dev: "vite" }, { vite: "8" }))?.[0]).toMatch(/^npm install --ignore-scripts/)
    expect(server({ dev: "tsc --watch" })).toBeUndefined()
    expect(server({})).toBeUndefined()
  })
})

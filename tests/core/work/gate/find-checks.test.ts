import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { findChecks, whyNoChecks } from "@switchyard/core/work/gate/find-checks"
import { isAtLeast, oldestNode, withInstallScripts } from "@switchyard/core/work/gate/node-project"
import { describe, expect, it } from "vitest"

function project(files: Record<string, string>): ProjectFiles {
  return { has: (path) => Object.hasOwn(files, path), text: (path) => files[path], paths: () => Object.keys(files) }
}
const commandsOf = (files: Record<string, string>) => findChecks(project(files)).map(({ command }) => command)
const npm = (manifest: object, others = {}) => commandsOf({ "package.json": JSON.stringify(manifest), ...others })

it("read the oldest Node that a project declares, where it does so in a simple way", () => {
  const of = (node: unknown) => oldestNode(project({ "package.json": JSON.stringify({ engines: { node } }) }))
  expect([">=24", ">= 20.11", ">=v18.2.1", "^20 || >=22", "lts/*", 20].map(of)).toEqual([
    ...["24", "20.11", "18.2.1"],
    ...[undefined, undefined, undefined],
  ])
  expect(oldestNode(project({}))).toBeUndefined()
  expect(["v24.0.0", "v24.1.0", "v100.0.0"].every((version) => isAtLeast(version, "24"))).toBe(true)
  expect(["v20.10.9", "v9.99.0"].some((version) => isAtLeast(version, "20.11"))).toBe(false)
})

describe("the checks of a project", () => {
  it("are the scripts of an npm package, after its packages are installed", () => {
    const scripts = { build: "tsc", test: "vitest run", start: "node dist/main.js", lint: "biome check" }
    const install = "--ignore-scripts --git=git --no-audit --no-fund"
    expect(npm({ scripts, devDependencies: { vitest: "5" } })).toEqual([
      `npm install ${install}`,
      "npm run build",
      "npm run lint",
      "npm test",
      "npm start",
    ])
    expect(npm({ scripts, dependencies: { a: "1" } }, { "package-lock.json": "{}" })[0]).toBe(`npm ci ${install}`)
    expect(npm({ scripts: { test: "node --test" } })).toEqual(["npm test"])
    expect(npm({ scripts: { test: "x" }, dependencies: { a: "1" } }, { "pnpm-lock.yaml": "" })).toEqual([
      "pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile",
      "pnpm test",
    ])
  })

  it("are none where a manifest declares nothing that could be run", () => {
    expect(npm({ scripts: { test: 'echo "Error: no test specified" && exit 1' } })).toEqual([])
    for (const test of ["true", "echo ok", ": && exit 0", "echo a; true"])
      expect(npm({ scripts: { test } })).toEqual([])
    expect(npm({ scripts: { test: "echo a && node --test" } })).toEqual(["npm test"])
    expect(npm({ dependencies: { a: "1" } })).toEqual([])
    expect(commandsOf({ "package.json": "{ broken" })).toEqual([])
    expect(npm({ scripts: ["no"], dependencies: "none" })).toEqual([])
  })

  it("are guarded where a tool runs code of the project while it fetches packages", () => {
    const checks = findChecks(project({ "pom.xml": "<project/>" }))
    expect(checks.map(({ command }) => command)).toEqual(["mvn -B -ntp -DskipTests package", "mvn -B -ntp test"])
    expect(checks.every(({ network, guarded }) => network && guarded)).toBe(true)
    // Commands set by a person have no network, so they need no guard.
    const own = findChecks(project({ "pom.xml": "<project/>" }), { build: "mvn -o package", test: "mvn -o test" })
    expect(own.some(({ network, guarded }) => network || guarded)).toBe(false)
  })

  it("follow the conventions of Go, Cargo, Python and make", () => {
    expect(commandsOf({ "go.mod": "module a\n" })).toEqual(["go mod download", "go build ./...", "go test ./..."])
    expect(commandsOf({ "Cargo.toml": "" })).toEqual(["cargo fetch", "cargo build --offline", "cargo test --offline"])
    expect(commandsOf({ "shop.py": "", "test_shop.py": "" })).toEqual(["python3 -m unittest discover -v"])
    expect(commandsOf({ "tests/test_shop.py": "", "requirements.txt": "flask\npytest\n" })).toEqual([
      expect.stringMatching(
        /^python3 -m venv .venv && .venv\/bin\/pip install .*--only-binary :all: -r requirements.txt$/,
      ),
      ".venv/bin/python -m pytest",
    ])
    expect(commandsOf({ Makefile: "test: all\n\tcc x.c\nbuild := 3\n" })).toEqual(["make test"])
  })

  it("are those of one project of several: of the type that was set, else of the first that can be run", () => {
    const both = { "package.json": JSON.stringify({ scripts: { test: "vitest run" } }), "test_shop.py": "" }
    const of = (files: Record<string, string>, project_type?: "python" | "typescript" | "rust") =>
      findChecks(project(files), { project_type }).map(({ command }) => command)
    expect(of(both)).toEqual(["npm test"])
    expect(of(both, "python")).toEqual(["python3 -m unittest discover -v"])
    expect(of(both, "typescript")).toEqual(["npm test"])
    // The project has no part of this type, or no checks for it.
    expect(of(both, "rust")).toEqual(["npm test"])
    expect(of({ ...both, "package.json": "{}" }, "typescript")).toEqual(["python3 -m unittest discover -v"])
    expect(of({ "package.json": "{}", "go.mod": "module a\n" })).toContain("go test ./...")
  })

  it("are said to be none for a reason", () => {
    const why = (...paths: string[]) => whyNoChecks({ has: (path) => paths.includes(path) })
    expect(why("build.gradle.kts")).toMatch(/^Gradle runs project code while it fetches packages/)
    expect(why("notes.txt")).toMatch(/no build, test or start command/)
  })

  it("know the packages whose install scripts don't run", () => {
    const packages = {
      "": { hasInstallScript: true },
      "node_modules/a": {},
      "node_modules/a/node_modules/@b/c": { hasInstallScript: true },
    }
    const of = (lock: string) => withInstallScripts(project({ "package-lock.json": lock }))
    expect(of(JSON.stringify({ packages }))).toEqual(["@b/c"])
    expect(["{ broken", "{}", '{"packages": 3}'].map(of)).toEqual([[], [], []])
  })

  it("have a browser open a page that nothing builds or serves", () => {
    const page = { "index.html": '<p>Hello</p><script src="app.js"></script>' }
    expect(commandsOf(page)).toEqual(["open index.html"])
    expect(npm({ scripts: { test: "node --test" } }, page)).toEqual(["npm test", "open index.html"])
    expect(npm({ scripts: { start: "node server.js" } }, page)).toEqual(["npm start"])
    expect(npm({ scripts: { build: "vite build" } }, page)).toEqual(["npm run build"])
    expect(commandsOf({ "index.html": '<script type="module" src="/src/main.tsx"></script>' })).toEqual([])
    expect(commandsOf({ "site/index.html": "<p>Hello</p>" })).toEqual([])
  })

  it("have a network only where nothing of the project runs", () => {
    const networked = (files: Record<string, string>) => findChecks(project(files)).filter(({ network }) => network)
    const test = { "test_a.py": "" }
    expect(
      networked({ ...test, "requirements.txt": "# ours\nflask[async]>=3,<4 ; python_version > '3'\n\n" }),
    ).toHaveLength(1)
    for (const line of [
      "-e .",
      "./shop",
      "git+https://example.com/x",
      "shop @ file:///tmp/x",
      "--index-url https://x",
    ]) {
      expect(networked({ ...test, "requirements.txt": `flask\n${line}\n` }), line).toEqual([])
    }
    expect(networked({ "Cargo.toml": "", ".cargo/config.toml": "" })).toEqual([])
    const manifest = JSON.stringify({ scripts: { test: "x", start: "y" }, dependencies: { a: "1" } })
    expect(networked({ "package.json": manifest }).map(({ name }) => name)).toEqual(["install"])
  })
})

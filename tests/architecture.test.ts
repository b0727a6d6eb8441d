import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"

const packages = join(import.meta.dirname, "..", "packages")

interface SourceFile {
  /** From `packages/`, as `core/src/events/log.ts`. */
  path: string
  text: string
  /** Every module that is imported: a package's name, or a path from `packages/`. */
  imports: string[]
}

const files = readdirSync(packages, { recursive: true, encoding: "utf8" })
  .map((path) => path.split("\\").join("/"))
  .filter((path) => /^[^/]+\/src\/.*\.tsx?$/.test(path))
  .map((path): SourceFile => {
    const text = readFileSync(join(packages, path), "utf8")
    const named = [...text.matchAll(/(?:from|import\(|^import)\s*"([^"]+)"/gm)].map((match) => match[1] ?? "")
    return { path, text, imports: named.map((name) => resolve(path, name)) }
  })

const importing = (from: RegExp, to: RegExp) =>
  files
    .filter(({ path }) => from.test(path))
    .flatMap(({ path, imports }) => imports.filter((name) => to.test(name)).map((name) => `${path} → ${name}`))

describe("the map of the packages", () => {
  it("sees the files that it is about", () => {
    expect(files.length).toBeGreaterThan(50)
    expect(importing(/^functions\//, /^core\//).length).toBeGreaterThan(10)
  })

  it("lets core know nothing of what it runs in", () => {
    expect(importing(/^core\//, /^(hono|@hono\/|react|@lydell\/node-pty|sst)/)).toEqual([])
    expect(importing(/^core\//, /^(functions|cli|runner|web)\//)).toEqual([])
  })

  it("keeps the ground free of the product: the log and the stores know no noun", () => {
    expect(importing(/^core\/src\/(log|storage)\//, /^core\/src\/(?!(log|storage)\/|(errors|ids|time)\.ts)/)).toEqual(
      [],
    )
  })

  it("lets packages import core, and never each other", () => {
    expect(importing(/^functions\//, /^(cli|runner|web)\//)).toEqual([])
    expect(importing(/^runner\//, /^(functions|cli|web)\//)).toEqual([])
    expect(importing(/^cli\//, /^(functions|runner|web)\//)).toEqual([])
    expect(importing(/^web\//, /^(functions|runner|cli)\//)).toEqual([])
  })

  it("has the demo model know how a model speaks, and one file know the demo model", () => {
    const known = /^(demo-model\/|core\/src\/models\/provider\.ts$|node:fs$)/
    const wrong = files.flatMap(({ path, imports }) => (path.startsWith("demo-model/") ? imports : []))
    expect(wrong.filter((name) => !known.test(name))).toEqual([])
    expect(importing(/^(?!demo-model\/)/, /^demo-model\//)).toEqual([
      "functions/src/demo-model.ts → demo-model/src/provider.ts",
    ])
  })

  it.each([
    ["cli", /^(core\/|zod$|yauzl$|node:)/],
    ["web", /^(core\/|zod$)/],
  ])("gives %s schemas and pure functions: what it reaches in core touches no store", (client, allowed) => {
    const reached = closure(files.filter(({ path }) => path.startsWith(`${client}/`)).flatMap(({ imports }) => imports))
    const wrong = reached.flatMap(({ path, imports }) =>
      imports.filter((name) => !allowed.test(name) || name.includes("/storage/")).map((name) => `${path} → ${name}`),
    )
    expect(wrong).toEqual([])
  })

  it("names the partitions and blobs of a session in one file, on which the policy of runners hangs", () => {
    const naming = files.filter(({ path, text }) => !path.startsWith("web/") && /`s\/\$\{|"s\//.test(text))
    expect(naming.map(({ path }) => path)).toEqual(["core/src/kernel/keys.ts"])
  })

  it("tells the kinds of runs apart in one table", () => {
    const asks = files.filter(({ text }) => /kind\)? (===|!==) "(workflow|agent)"|case "(workflow|agent)":/.test(text))
    expect(asks.map(({ path }) => path)).toEqual(["core/src/work/runs/kinds.ts"])
  })

  it("keeps adapters to whoever composes", () => {
    const adapter = /^core\/src\/(storage\/(sqlite|dynamo|files|s3)|models\/(registry|groq|openai|anthropic))\.ts$/
    const composing =
      /^(?!functions\/src\/(local|compose|aws)|runner\/src\/serving\/(local|cloud)-host\.ts|core\/src\/(storage|models)\/)/
    expect(importing(composing, adapter)).toEqual([])
  })

  it("keeps each outside system to the file that adapts it", () => {
    expect(importing(/^(?!core\/src\/storage\/)/, /^(@aws-sdk\/|node:sqlite)/)).toEqual([
      "functions/src/aws/ecs.ts → @aws-sdk/client-ecs",
      "functions/src/aws/invoke.ts → @aws-sdk/client-lambda",
      "functions/src/aws/quota.ts → @aws-sdk/client-lambda",
    ])
    expect(importing(/^/, /^hono\/aws-lambda/)).toEqual(["functions/src/aws/streamed.ts → hono/aws-lambda"])
    expect(importing(/^(?!core\/src\/models\/)/, /^(groq-sdk|openai|@anthropic-ai\/)/)).toEqual([])
    expect(importing(/^(?!core\/src\/work\/workflow\/)/, /^@langchain\//)).toEqual([])
  })

  it("has each room of the runner import only what lies below it", () => {
    const runner = files.filter(({ path }) => path.startsWith("runner/src/"))
    expect([...new Set(runner.map(({ path }) => roomOf(path)))].sort()).toEqual([...RUNNER_ROOMS].sort())
    const wrong = runner.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith("runner/src/"))
        .filter((name) => RUNNER_ROOMS.indexOf(roomOf(name)) > RUNNER_ROOMS.indexOf(roomOf(path)))
        .map((name) => `${path} → ${name}`),
    )
    expect(wrong).toEqual([])
    expect(importing(/^runner\/src\/mock\//, /^runner\/src\/(?!mock\/)/)).toEqual([])
  })

  it("reads the environment in entry points only", () => {
    const reading = files.filter(({ text }) => /process\.env/.test(text))
    const entry = /\/main\.ts$|^functions\/src\/aws\/(api|stream|worker|sweep)\.ts$/
    expect(reading.map(({ path }) => path).filter((path) => !entry.test(path))).toEqual([])
  })
})

/** From the bottom up; `src` has the entry point, and `mock` the agent's program that tests run. */
const RUNNER_ROOMS = [
  "mock",
  "processes",
  "files",
  "git/plumbing",
  "git/remote",
  "git/checkout",
  "git/worktrees",
  "git/merge",
  "git/saves",
  "git",
  "sandbox",
  "terminals",
  "gateway",
  "programs",
  "agents",
  "project",
  "serving",
  "",
]

const roomOf = (path: string) => posix.dirname(path).replace(/^runner\/src\/?/, "")

describe("the wings of the studio", () => {
  const order = ["shell", "features", "session", "ui"]
  const isBelow = (from: string, to: string) => {
    if (from === to || from === "main.tsx") return true
    if (to === "api") return from !== "ui"
    return order.includes(from) && order.indexOf(from) < order.indexOf(to)
  }
  const wingOf = (path: string) => path.split("/")[2] ?? ""
  const arrows = files
    .filter(({ path }) => path.startsWith("web/"))
    .flatMap(({ path, text }) => valuesImported(text).map((name) => ({ from: path, to: resolve(path, name) })))
    .filter(({ to }) => to.startsWith("web/") && !to.endsWith(".css"))

  it("import downwards: shell, features, session, ui, with the api beside ui", () => {
    const wrong = arrows.filter(({ from, to }) => !isBelow(wingOf(from), wingOf(to)))
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
    expect(new Set(arrows.map(({ from }) => wingOf(from)))).toEqual(new Set([...order, "api", "main.tsx"]))
  })

  it("have no circle of folders", () => {
    const folders = new Map<string, Set<string>>()
    for (const { from, to } of arrows) {
      const [one, other] = [posix.dirname(from), posix.dirname(to)]
      if (one !== other) folders.set(one, (folders.get(one) ?? new Set()).add(other))
    }
    expect(circleIn(folders)).toEqual([])
  })
})

/** The modules from which a file imports a value; those from which it takes only types cost nothing and order nothing. */
function valuesImported(text: string): string[] {
  const statements = [...text.matchAll(/^(?:import|export) ([^"]*?)from "([^"]+)"/gms)]
  const values = statements.filter(([, what = ""]) => !/^type |^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(what))
  const others = [...text.matchAll(/^import "([^"]+)"|(?<!typeof )import\("([^"]+)"\)/gm)]
  return [...values.map((match) => match[2] ?? ""), ...others.map((match) => match[1] ?? match[2] ?? "")]
}

/** The first circle of a graph, as the way around it; empty if there is none. */
function circleIn(graph: Map<string, Set<string>>): string[] {
  const done = new Set<string>()
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return []
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle.length > 0) return circle
    }
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle.length > 0) return circle
  }
  return []
}

/** The files of core behind these imports, and behind theirs. */
function closure(imports: string[], found = new Map<string, SourceFile>()): SourceFile[] {
  for (const file of files.filter(({ path }) => path.startsWith("core/") && imports.includes(path))) {
    if (found.has(file.path)) continue
    found.set(file.path, file)
    closure(file.imports, found)
  }
  return [...found.values()]
}

function resolve(from: string, name: string): string {
  if (name.startsWith(".")) return posix.join(posix.dirname(from), name)
  if (name === "@switchyard/demo-model") return "demo-model/src/provider.ts"
  return name.replace(/^@switchyard\/([\w-]+)\/(.+)$/, "$1/src/$2.ts")
}

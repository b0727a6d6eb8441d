import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundleFunction, OURS } from "../../infra/bundle-function.ts"

const ROOT = join(import.meta.dirname, "../../..")
const FOREIGN = /^(@langchain|langsmith|groq-sdk|openai$|@anthropic-ai|@lydell|node-pty)/
const WORK =
  /^packages\/(runner|core\/src\/(workflow\/(graph|work|checkpoint-saver)\.ts|models\/(groq|openai|anthropic))|demo-model\/)/
const DEMO = /^packages\/demo-model\//

const bundled = new Map<string, ReturnType<typeof bundleFunction>>()

function bundle(file: string) {
  const known = bundled.get(file) ?? bundleFunction(`packages/functions/src/${file}`, OURS)
  bundled.set(file, known)
  return known
}

describe("what Lambda loads before the first request", () => {
  it.each([
    ["api", 1_200_000],
    ["stream", 1_200_000],
    ["sweep", 800_000],
    ["credentials", 900_000],
    ["slots", 900_000],
    ["socket", 1_200_000],
    ["socket-pump", 1_200_000],
  ])("is small for the %s, and knows no graph, no model and no runner", async (name, mostBytes) => {
    const { cold, total, packages, parts, sources } = await bundle(`aws/${name}.ts`)
    expect(Object.fromEntries(parts.map(({ whose, bytes }) => [whose, bytes])).zod).toBeLessThan(250_000)
    console.info(`${name}: ${kilobytes(cold)} at once, ${kilobytes(total)} in all`)
    expect(packages.filter((used) => FOREIGN.test(used))).toEqual([])
    // The MCP SDK loads with the first request of an MCP client.
    expect(parts.filter(({ whose }) => whose.startsWith("@modelcontextprotocol/"))).toEqual([])
    // Only the worker starts tasks. One other function, `slots`, lists them.
    expect(name === "slots" ? parts.map(({ whose }) => whose) : packages).not.toContain("@aws-sdk/client-ecs")
    expect(sources.filter((file) => WORK.test(file))).toEqual([])
    expect(cold).toBeLessThan(mostBytes)
  })

  it("is no graph on one machine either: the server listens first", async () => {
    const { parts, packages, coldSources } = await bundle("local/run.ts")
    expect(packages).toContain("@langchain/langgraph")
    expect(parts.filter(({ whose }) => FOREIGN.test(whose))).toEqual([])
    expect(coldSources.filter((file) => DEMO.test(file))).toEqual([])
  })

  it("would be seen to know them: the worker does", async () => {
    const worker = await bundle("aws/worker.ts")
    console.info(`worker: ${kilobytes(worker.cold)} at once, ${kilobytes(worker.total)} in all`)
    expect(worker.packages.filter((used) => FOREIGN.test(used))).toContain("@langchain/langgraph")
    expect(worker.sources.filter((file) => WORK.test(file)).length).toBeGreaterThan(5)
    // Most invocations of the worker involve no task, so the ECS client isn't in the initial load.
    expect(worker.parts.map(({ whose }) => whose)).not.toContain("@aws-sdk/client-ecs")
    expect(worker.packages).toContain("@aws-sdk/client-ecs")
    // The graph and the models, including the demo's recipes, load with the first run that uses them.
    expect(worker.sources.filter((file) => DEMO.test(file)).length).toBeGreaterThan(5)
    expect(worker.coldSources.filter((file) => DEMO.test(file))).toEqual([])
    expect(worker.cold).toBeLessThan(worker.total - 1_200_000)
    expect(worker.parts.filter(({ whose }) => FOREIGN.test(whose))).toEqual([])
    expect(worker.cold).toBeLessThan(1_000_000)
  })
})

describe("what Lambda loads late", () => {
  it.each(["api", "worker"])(
    "is taken from the only export that a split CommonJS package has, in the %s",
    async (name) => {
      const { lateCommonJs } = await bundle(`aws/${name}.ts`)
      expect(lateCommonJs).not.toEqual([])
      const byName = lateCommonJs.filter(({ file, name }) => {
        const loads = readFileSync(join(ROOT, file), "utf8")
          .split("\n")
          .filter((line) => line.includes(`import("${name}")`))
        return !loads.every((line) => /\{ default: \w+ \} = await import/.test(line))
      })
      expect(byName).toEqual([])
    },
  )
})

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`
}

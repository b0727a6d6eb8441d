import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Kind, kinds, type Language, languages } from "@switchyard/demo-model/project"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { makeProject, pool, run, temporaryFolder, withServer, writeProject } from "./make-project.ts"

const root = join(import.meta.dirname, "../..")
const folder = temporaryFolder()
const projects = join(folder.path, "projects")
afterAll(folder.remove)

const kindWords = {
  server: "web server",
  cli: "command-line tool",
  library: "library",
  page: "web page",
} satisfies Record<Kind, string>

const topics = [
  "URL shortener",
  "to-do list with a due date and a priority",
  "notes",
  "word counter",
  "counters",
  "calculator",
  "password generator",
  "countdown timer",
  "books with the fields year and isbn",
  "expenses",
  "list of spaceships",
  "quiz",
  "landing page for a bakery",
]

/** Returns true if the demo builds this topic as this kind. */
function isMade(topic: string, kind: Kind): boolean {
  if (/quiz|landing/.test(topic)) return kind === "page"
  if (topic === "countdown timer") return kind !== "server"
  return kind !== "cli" || topic !== "URL shortener"
}

/** Returns the topics to test. A normal run tests each topic once in each language, as a different kind in each. */
function topicsOf(kind: Kind, language: Language): string[] {
  const row = kinds.indexOf(kind) + languages.indexOf(language)
  const made = topics.filter((topic) => isMade(topic, kind))
  return made.filter((_, index) => cases({ usual: (index + row) % kinds.length, deep: 0 }) === 0)
}

/** Returns the folder of a project. */
function folderOf(topic: string, kind: Kind, language: Language): string {
  return join(projects, `${topic} ${kind} ${language}`.replaceAll(" ", "-"))
}

async function runTests(project: string): Promise<void> {
  const args = ["--test", "--test-isolation=none", "--test-reporter=tap"]
  const { code, output } = await run(process.execPath, args, { cwd: project })
  expect(output).toMatch(/^# pass [1-9]/m)
  expect(code, output).toBe(0)
}

beforeAll(async () => {
  for (const language of languages) {
    for (const kind of kinds) {
      for (const topic of topics.filter((topic) => isMade(topic, kind))) {
        const { files } = await makeProject(`Build a ${kindWords[kind]} in ${language}: a ${topic}`)
        writeProject(folderOf(topic, kind, language), files)
      }
    }
  }
})

describe.each(languages)("in %s", (language) => {
  it.for(kinds)("topics as a %s pass their own tests", async (kind) => {
    await pool(2, topicsOf(kind, language), (topic) => runTests(folderOf(topic, kind, language)))
  })
})

describe("a project that is used", () => {
  const json = async (url: string, body?: unknown, method = body ? "POST" : "GET") => {
    const response = await fetch(url, { method, body: body ? JSON.stringify(body) : undefined })
    return { status: response.status, body: await response.json() }
  }

  it.for(languages)("shortens URLs and redirects, in %s", async (language) => {
    const [command, args] = startCommand("server", language)
    await withServer(command, args, folderOf("URL shortener", "server", language), async (url) => {
      const { status, body } = await json(`${url}/links`, { url: "https://example.org/a?b=c" })
      expect(status).toBe(201)
      const response = await fetch(body.short, { redirect: "manual" })
      expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.org/a?b=c"])
      expect((await json(`${url}/links`)).body).toMatchObject([{ id: body.id, visits: 1 }])
      expect((await json(url)).body.name).toContain("URL Shortener")
      expect((await json(`${url}/links`, { url: "javascript:alert(1)" })).status).toBe(400)
    })
  })

  it.for(languages)("calculates over HTTP, in %s", async (language) => {
    const [command, args] = startCommand("server", language)
    await withServer(command, args, folderOf("calculator", "server", language), async (url) => {
      const ask = async (expression: string) => (await json(`${url}/calculate`, { expression })).body
      expect(await ask("2 ^ 10 - (3 + 1) / 2")).toEqual({ result: 1022 })
      expect(await ask("1 / 0")).toEqual({ error: "The result is not a number." })
      expect(await ask("9".repeat(400))).toEqual({ error: "The result is not a number." })
      expect(await ask("(".repeat(50_000))).toHaveProperty("error")
    })
  })

  it.for(languages)("keeps tasks on the command line, in %s", async (language) => {
    const [command, args] = startCommand("cli", language)
    const cwd = folderOf("to-do list with a due date and a priority", "cli", language)
    await run(command, [...args, "add", "Feed 'the' \"cat\" – 猫", "dueDate=2026-12-31"], { cwd })
    expect(await run(command, [...args, "add", "x", "dueDate=soon"], { cwd })).toMatchObject({ code: 1 })
    await run(command, [...args, "complete", "1"], { cwd })
    expect(await run(command, [...args, "list"], { cwd })).toEqual({
      code: 0,
      output: "1  [x]  Feed 'the' \"cat\" – 猫 · 2026-12-31\n1 task\n",
    })
  })

  it.for(languages)("counts words from a pipe, in %s", async (language) => {
    const [command, args] = startCommand("cli", language)
    const { output } = await run(command, args, { cwd: folderOf("word counter", "cli", language), input: "a b c\nd\n" })
    expect(output).toMatch(/^words: 4\n/)
  })

  it("serves a TypeScript page with a script that browsers understand", async () => {
    const [command, args] = startCommand("page", "typescript")
    await withServer(command, args, folderOf("notes", "page", "typescript"), async (url) => {
      expect(await (await fetch(url)).text()).toContain('src="script.ts"')
      const response = await fetch(`${url}/script.ts`)
      expect(response.headers.get("content-type")).toContain("text/javascript")
      const served = join(folder.path, "served.mjs")
      writeFileSync(served, await response.text())
      expect(await run(process.execPath, ["--check", served])).toEqual({ code: 0, output: "" })
      expect((await fetch(`${url}/package.json`)).status).toBe(404)
    })
  })
})

describe("how the projects are written", () => {
  it("needs no more than Node 20, in JavaScript", () => {
    const later =
      /stripTypeScriptTypes|node:sqlite|\.ts"|--experimental|import\.meta\.(dirname|filename)|RegExp\.escape|fromAsync|withResolvers|groupBy|Promise\.try|\.(values|keys|entries)\(\)\s*\.(map|filter|some|find|toArray|forEach)\(|\.(union|intersection|difference|isSubsetOf)\(/
    for (const kind of kinds) {
      for (const topic of topics.filter((topic) => isMade(topic, kind))) {
        const project = folderOf(topic, kind, "javascript")
        for (const file of readdirSync(project).filter((file) => /\.(js|json)$/.test(file))) {
          expect(readFileSync(join(project, file), "utf8"), `${topic} ${kind} ${file}`).not.toMatch(later)
        }
        const { engines, scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
        expect({ engines, test: scripts.test }).toEqual({ engines: { node: ">=20.11" }, test: "node --test" })
      }
    }
  })

  it("passes the strict type check, whatever the topic", async () => {
    const config = {
      compilerOptions: {
        ...{ target: "esnext", module: "nodenext", lib: ["esnext", "dom", "dom.iterable"], types: ["node"] },
        ...{ strict: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true, noUncheckedIndexedAccess: true },
        ...{ noUnusedLocals: true, allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true },
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: ["projects/*-typescript/*.ts"],
    }
    writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/.bin/tsc")
    const listed = await run(tsc, ["-p", folder.path, "--listFilesOnly"])
    expect(listed.output.split("\n").filter((path) => path.startsWith(projects)).length).toBeGreaterThan(120)
    expect(await run(tsc, ["-p", folder.path])).toEqual({ code: 0, output: "" })
  })

  it("is formatted and linted as this repository is", async () => {
    const biome = join(root, "node_modules/.bin/biome")
    const args = ["check", `--config-path=${root}`, "--vcs-enabled=false", "--reporter=summary", projects]
    const { code, output } = await run(biome, args)
    expect(output).toMatch(/Checked [2-9]\d\d files/)
    expect(code, output).toBe(0)
  })
})

/** Returns the command from the README, or that of `npm start`. */
function startCommand(kind: "server" | "cli" | "page", language: Language): [string, string[]] {
  const name = kind === "page" ? "serve" : kind
  const file = `${name}.${language === "typescript" ? "ts" : "js"}`
  return [process.execPath, ["--disable-warning=ExperimentalWarning", file]]
}

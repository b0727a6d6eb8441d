import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CliId } from "@switchyard/core/agents/clis/schema"
import { describe, expect, it } from "vitest"
import { apiDocs } from "../tools/api-docs.ts"
import { cases } from "./clis/permission-cases.ts"
import { documentedPermissions } from "./clis/permission-table.ts"

const root = join(import.meta.dirname, "..")
const read = (name: string) => readFileSync(join(root, name), "utf8")

describe("the documents", () => {
  it("describe the API that there is; `node tools/api-docs.ts` writes it anew", () => {
    expect(read("docs/api.md")).toBe(apiDocs())
  })

  it.each(["README.md", "docs/studio.md"])("show in %s no picture that there isn't", (name) => {
    const shown = [...read(name).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file = ""]) => file)
    expect(shown.length).toBeGreaterThan(0)
    for (const file of shown) expect(existsSync(join(root, dirname(name), file)), file).toBe(true)
  })

  it.each(["README.md", "CONTRIBUTING.md"])("name in %s no script that there isn't", (name) => {
    const { scripts } = JSON.parse(read("package.json"))
    const named = [...read(name).matchAll(/npm (?:run ([\w:-]+)|(start|test))/g)].map(([, run, short]) => run ?? short)
    expect(named.length).toBeGreaterThan(0)
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
  })

  it.each(["README.md", "CONTRIBUTING.md"])("name in %s no tool that there isn't", (name) => {
    for (const [, file = ""] of read(name).matchAll(/node (tools\/[\w.-]+)/g)) expect(read(file)).not.toBe("")
  })

  it.each(["docs/architecture.md", "CONTRIBUTING.md"])(
    "name in %s no file or folder of the source that there isn't",
    (name) => {
      const named = [...read(name).matchAll(/`((?:core|functions|runner|web|cli)\/src\/[\w./-]+)`/g)].map(
        ([, path = ""]) => path,
      )
      expect(named.length).toBeGreaterThan(3)
      expect(named.filter((path) => !existsSync(join(root, "packages", path)))).toEqual([])
    },
  )

  it("say in docs/agents.md how each case comes out for each program; `npm run test:clis` holds that it's so", () => {
    const documented = documentedPermissions()
    expect([...documented.keys()].toSorted()).toEqual(CliId.options.filter((cli) => cli !== "mock").toSorted())
    expect(cases).toHaveLength(12)
    for (const [cli, held] of documented) {
      expect([...held.keys()], cli).toEqual(cases.map(({ name }) => name))
      for (const { name, unless } of cases) expect(["yes", unless], `${cli} ${name}`).toContain(held.get(name))
    }
  })

  it("name in docs/security.md no test that there isn't", () => {
    const [, table = ""] = read("docs/security.md").split("\n## What an agent can do\n")
    const rows =
      table
        .split("\n## ")[0]
        ?.split("\n")
        .filter((line) => line.startsWith("| ")) ?? []
    const named = rows.flatMap((row) =>
      [...(row.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)].map(([, test = ""]) => test),
    )
    expect(named.length).toBeGreaterThan(8)
    const missing = named.filter(
      (test) => ![`tests/${test}`, `tests/${test}.test.ts`].some((path) => existsSync(join(root, path))),
    )
    expect(missing).toEqual([])
  })

  it("name at most twelve files from a prompt to a file", () => {
    const walk = read("docs/architecture.md").match(/^\| \d+ \| `/gm) ?? []
    expect(walk.length).toBeGreaterThan(5)
    expect(walk.length).toBeLessThanOrEqual(12)
  })
})

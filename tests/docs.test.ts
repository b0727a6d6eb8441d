import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { BuiltInCli } from "@switchyard/core/agents/clis/clis"
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

  it.each(globSync(["*.md", "bench/results/*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).toSorted())(
    "link in %s only to files and headings that exist",
    (name) => {
      const links = [...read(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      const broken = links.filter(([, file = "", heading]) => {
        const target = file === "" ? name : join(dirname(name), file)
        return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).has(heading))
      })
      expect(broken.map(([link]) => link)).toEqual([])
    },
  )

  it("are all in the README's table", () => {
    const listed = [...read("README.md").matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page]) => page)
    expect([...new Set(listed)].toSorted()).toEqual(globSync("docs/*.md", { cwd: root }).toSorted())
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

  it.each(["docs/architecture.md", "docs/extend.md", "CONTRIBUTING.md"])(
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
    expect([...documented.keys()].toSorted()).toEqual(BuiltInCli.options.filter((cli) => cli !== "mock").toSorted())
    expect(cases).toHaveLength(12)
    for (const [cli, held] of documented) {
      expect([...held.keys()], cli).toEqual(cases.map(({ name }) => name))
      for (const { name, unless } of cases) expect(["yes", unless], `${cli} ${name}`).toContain(held.get(name))
    }
  })

  it.each(["security", "deploy", "operate"])("name in docs/%s.md no test that doesn't exist", (page) => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const named = [...read(`docs/${page}.md`).matchAll(/`([a-z]+)(\/[a-z\d./-]+)`/g)]
      .filter(([, folder]) => folder === "tests" || folders.some(({ name }) => name === folder))
      .map(([, folder, rest = ""]) => (folder === "tests" ? rest.slice(1) : `${folder}${rest}`))
    expect(named).not.toEqual([])
    expect(
      named.filter((test) => !["", ".test.ts"].some((end) => existsSync(join(root, "tests", test + end)))),
    ).toEqual([])
  })

  it("name a test for each limit of an agent in docs/security.md, except for what it may do", () => {
    const [, section = ""] = read("docs/security.md").split("\n## What an agent can do\n")
    const rows = section.split("\n### ")[0]?.match(/^\| (?!an agent's program).*$/gm) ?? []
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.filter((row) => !row.includes("`") && !row.endsWith("| yes | yes | yes | |"))).toEqual([])
  })

  it("name at most twelve files from a prompt to a file", () => {
    const walk = read("docs/architecture.md").match(/^\| \d+ \| `/gm) ?? []
    expect(walk.length).toBeGreaterThan(5)
    expect(walk.length).toBeLessThanOrEqual(12)
  })
})

/** Returns the anchors of a page's headings. */
function headingsOf(page: string): Set<string> {
  const headings = read(page).match(/(?<=^#{1,6} ).*$/gm) ?? []
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    ),
  )
}

describe("the decision records", () => {
  const folder = "docs/decisions"
  const records = readdirSync(join(root, folder)).filter((name) => name !== "README.md")

  it("are all in their index", () => {
    const listed = [...read(`${folder}/README.md`).matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(records.toSorted())
  })

  it.each(records)("have the four parts and at most 300 words: %s", (name) => {
    const text = read(`${folder}/${name}`)
    expect(text.match(/(?<=^## ).*$/gm)).toEqual(["Context", "Decision", "Alternatives", "Consequences"])
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(300)
  })
})

describe("the README of a package", () => {
  const packages = readdirSync(join(root, "packages"))

  it.each(packages)("names the rooms of %s, its tests and its importers", (name) => {
    const text = read(`packages/${name}/README.md`)
    const rooms = readdirSync(join(root, "packages", name, "src"), { withFileTypes: true })
    const named = [...text.matchAll(/`(?:src\/)?([\w-]+)\/`/g)].map(([, room]) => room)
    const expected = rooms.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    expect(named.filter((room) => room !== "recipes" && room !== "src").toSorted()).toEqual(expected.toSorted())
    for (const [, folder = ""] of text.matchAll(/`npx vitest run ([^`]+)`/g))
      expect(existsSync(join(root, folder))).toBe(true)
    expect(text).toMatch(/^- \*\*Tests:\*\* .*\n- \*\*May import it:\*\* /m)
  })
})

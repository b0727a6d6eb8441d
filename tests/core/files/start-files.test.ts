import { readFileSync } from "node:fs"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { decidePermission, ruleFor } from "@switchyard/core/agents/permissions/decide"
import {
  INSTRUCTION_FILES,
  isInstructionFile,
  isProtectedName,
  startedBy,
  toolFiles,
} from "@switchyard/core/files/start-files"
import { describe, expect, it } from "vitest"

/** Returns a name that matches the pattern. */
const example = (name: string) => name.replaceAll("*", "")
const namesOf = (files: object) => Object.keys(files).map(example)
const programs = BuiltInCli.options.filter((cli) => cli !== "mock")
const all = [
  ...Object.values(clis).flatMap(({ startFiles }) => namesOf(startFiles)),
  ...Object.values(toolFiles).flatMap(namesOf),
  ...INSTRUCTION_FILES,
]

describe("the files because of which a program starts others", () => {
  it("are known for each program but the mock agent", () => {
    for (const cli of programs) expect(namesOf(clis[cli].startFiles).length).toBeGreaterThan(0)
    expect(clis.mock.startFiles).toEqual({})
  })

  it.each(programs)("of %s are found whatever a file system takes for the same name", (cli) => {
    for (const [name, what] of Object.entries(clis[cli].startFiles)) {
      const spelled = [name, name.toUpperCase(), `${name[0]}\u200c${name.slice(1)}`, name.replace("s", "\u017f")]
      expect(spelled.map((each) => startedBy(clis[cli], each))).toEqual(spelled.map(() => what))
      expect([`x${name}`, `${name}x`].map((each) => startedBy(clis[cli], each))).toEqual([undefined, undefined])
    }
  })

  it.each(["CLAUDE.md", "AGENTS.md", "GEMINI.md"])("don't have %s among them, which is text", (name) => {
    for (const cli of programs) expect(startedBy(clis[cli], name)).toBeUndefined()
    expect(isInstructionFile(name)).toBe(true)
  })
})

it("are in the documents as the registry has them", () => {
  const document = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8")
  const [, table = ""] = document.split("| program | names, and what it starts because of them |\n|---|---|\n")
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n")
  const wanted = programs.map((cli) => {
    const entries = Object.entries(clis[cli].startFiles).map(([name, what]) => `\`${name}\`: ${what}`)
    return `| ${clis[cli].title} | ${entries.join("<br>")} |`
  })
  expect(rows.sort()).toEqual(wanted.sort())
})

describe("protected files", () => {
  it("are those of all programs and tools, and the instructions", () => {
    for (const name of all) expect([name, isProtectedName(name)]).toEqual([name, true])
    const named = [
      "opencode.json",
      ".mcp.json",
      ".claude",
      "AGENTS.md",
      ".husky",
      ".github",
      ".gitlab-ci.yml",
      ".envrc",
    ]
    expect(named.filter((name) => !all.includes(name) && !isProtectedName(name))).toEqual([])
    expect(["src", "README.md", "package.json", ".gitignore", "claude"].filter(isProtectedName)).toEqual([])
  })

  it.each(all)("are asked about in accept_edits: %s", (name) => {
    for (const path of [name, `deep/${name.toUpperCase()}`, `${name}/below.sh`]) {
      const request = { tool: "write" as const, name: "Write", paths: [path] }
      expect(decidePermission({ mode: "accept_edits", rules: [] }, request)).toEqual({ effect: "ask" })
      const ordinary = ruleFor({ tool: "write", name: "Write", paths: ["src/a.ts"] })
      const rules = ordinary ? [ordinary] : []
      expect(rules).toHaveLength(1)
      expect(decidePermission({ mode: "ask", rules }, request)).toEqual({ effect: "ask" })
    }
  })
})

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { HOST_LISTS } from "@switchyard/runner/network/agent-hosts"
import { describe, expect, it } from "vitest"
import { root, SECRETS } from "./synth/synth.ts"

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8")
const page = read("docs", "deploy.md")

/** The names in the first column of the table below a heading. */
function rows(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ""
  const cells = section.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)).sort()
}

describe("docs/operate.md", () => {
  it("says of every alarm what to do, and of no other", () => {
    const [, section = ""] = read("docs", "operate.md").split("## The alarms")
    const told = section.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
    const names = told.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    const alarms = read("infra", "alarm-list.ts").matchAll(/^ +([A-Z]\w+): \{/gm)
    expect(names.sort()).toEqual([...alarms].map(([, name]) => name).sort())
  })
})

describe("docs/deploy.md", () => {
  it("names every setting that a deployment takes, and no other", () => {
    const stage = read("infra", "stage.ts")
    const adjustable = /ADJUSTABLE = \[(.*?)\]/s.exec(stage)?.[1]?.matchAll(/"(\w+)"/g) ?? []
    const direct = stage.matchAll(/process\.env\.(\w+)/g)
    const hosts = Object.values(HOST_LISTS).map(({ name }) => name)
    expect(rows("Stages")).toEqual([...[...adjustable, ...direct].map(([, name]) => name), ...hosts].sort())
  })

  it("names every secret", () => {
    expect(rows("Secrets")).toEqual(Object.keys(SECRETS).sort())
  })

  it("says what can be typed", () => {
    const { scripts } = JSON.parse(read("package.json"))
    const typed = [...page.matchAll(/npm run (\w+)/g)].map(([, name = ""]) => name)
    expect(typed.filter((name) => !(name in scripts))).toEqual([])
    expect(new Set(typed)).toEqual(new Set(["doctor", "deploy", "remove"]))
  })
})

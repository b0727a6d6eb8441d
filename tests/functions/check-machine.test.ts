import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { environmentSection } from "@switchyard/core/work/gate/environment"
import { IMAGE_MACHINE } from "@switchyard/functions/aws/check-machine"
import { createCheckMachine } from "@switchyard/functions/local/check-machine"
import { describe, expect, it } from "vitest"
import { debianPackages } from "../tools/image/debian-packages.ts"

const today = "2026-01-31"
const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

describe("the machine that runs checks", () => {
  it("has the programs and versions that a check finds on the path", async () => {
    const machine = await createCheckMachine()()
    const node = execFileSync("node", ["--version"], { encoding: "utf8" }).trim().slice(1)
    expect(machine?.programs).toMatchObject({ node, npm: null })
    expect(machine?.system).toMatch(new RegExp(`^\\S.*, ${process.arch}$`))
  })

  it("is told to have node:sqlite only if its Node has it without a flag", async () => {
    const machine = await createCheckMachine()()
    const { status } = spawnSync("node", ["--eval", 'import("node:sqlite").catch(() => process.exit(1))'])
    const section = environmentSection({ machine, commands: undefined, today })
    expect(section.includes("node:sqlite")).toBe(status === 0)
    const older = { system: "Linux", programs: { node: "22.12.0" } }
    expect(environmentSection({ machine: older, commands: undefined, today })).not.toContain("node:sqlite")
  })

  it("is on a stage what the image is made of", () => {
    const [, version, system] = /^ARG BASE=node:(\d+)-(\w+)/m.exec(textOf("Dockerfile")) ?? []
    expect(IMAGE_MACHINE.programs).toMatchObject({ node: version, npm: null })
    expect(IMAGE_MACHINE.system).toContain(`(${system})`)
    const { python3, node, npm, ...others } = IMAGE_MACHINE.programs
    // Debian 12 ships Python 3.11.
    expect(python3).toBe("3.11")
    const packages = debianPackages()
    for (const program of ["python3", ...Object.keys(others)]) expect(packages).toContain(program)
  })
})

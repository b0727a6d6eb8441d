import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")

describe("the runner's image", () => {
  it("has every agent that npm has, by its lockfile, in a layer each", () => {
    const installed = [...dockerfile.matchAll(/^RUN node \S+\/agent\.ts (\S+)$/gm)].map(([, cli]) => cli)
    const onNpm = Object.entries(clis).flatMap(([cli, { package: found }]) => (found?.registry === "npm" ? [cli] : []))
    expect(installed).toEqual(onNpm)
    expect(/^ARG AGENTS="(.*)"$/m.exec(dockerfile)?.[1]?.split(" ")).toEqual(onNpm)
    const locks = onNpm.map((cli) => `packages/runner/src/programs/locks/${cli}`)
    for (const lock of locks) expect(dockerfile).toContain(`COPY ${lock} /build/${lock}\nRUN node`)
  })

  it("has the package file of every package, without which npm doesn't take the lockfile", () => {
    const packages = execFileSync("git", ["ls-files", "packages/*/package.json"], { cwd: root, encoding: "utf8" })
    const copied = [...dockerfile.matchAll(/^COPY (packages\/\S+\/package\.json) /gm)].map(([, path]) => path)
    expect(copied).toEqual(packages.trim().split("\n"))
  })

  it("is made of nothing that git doesn't have", () => {
    const sources = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "))
    for (const source of sources) {
      const found = execFileSync("git", ["ls-files", source], { cwd: root, encoding: "utf8" })
      expect(found, source).not.toBe("")
    }
  })

  it("starts its runner as root, who starts agents as somebody else", () => {
    expect(dockerfile).not.toMatch(/^USER /m)
    expect(dockerfile).toMatch(/^ENV SWITCHYARD_AGENT_USER=agent$/m)
    expect(readFileSync(join(root, "tools/image/system.sh"), "utf8")).toMatch(/^useradd .* agent$/m)
  })
})

import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { findChecks } from "@switchyard/core/work/gate/find-checks"
import { CheckCommands } from "@switchyard/core/work/gate/schema"
import { programsOf } from "@switchyard/core/work/gate/set-commands"
import { describe, expect, it } from "vitest"

const project = (files: Record<string, string>): ProjectFiles => ({
  has: (path) => Object.hasOwn(files, path),
  text: (path) => files[path],
  paths: () => Object.keys(files),
})
const npm = project({
  "package.json": JSON.stringify({ scripts: { build: "tsc", test: "vitest" }, dependencies: { a: "1" } }),
})

describe("commands that a person set", () => {
  it("run in place of those that are found, in the order of checks", () => {
    const checks = findChecks(npm, { start: "deno run main.ts", test: "npm run e2e" })
    expect(checks.map(({ name, command, set }) => [name, command, set])).toEqual([
      ["install", expect.stringMatching(/^npm install /), undefined],
      ["build", "npm run build", undefined],
      ["test", "npm run e2e", true],
      ["start", "deno run main.ts", true],
    ])
    expect(checks.at(-1)).toMatchObject({ program: "deno" })
  })

  it("never have the network, unless they are what is found", () => {
    const [found] = findChecks(npm)
    expect(found?.network).toBe(true)
    expect(findChecks(npm, { install: found?.command })[0]).toEqual(found)
    for (const install of ["npm install", `${found?.command} `, `${found?.command} && npm run x`]) {
      expect(findChecks(npm, { install })[0]).toMatchObject({ command: install, set: true })
      expect(findChecks(npm, { install })[0]?.network).toBeUndefined()
    }
  })

  it("are enough where nothing is found, unless they only install", () => {
    expect(findChecks(project({}), { test: "./test.sh" })).toMatchObject([{ name: "test", command: "./test.sh" }])
    expect(findChecks(project({}), { install: "./install.sh" })).toEqual([])
    const packages = project({ "package.json": JSON.stringify({ dependencies: { a: "1" } }) })
    expect(findChecks(packages, { test: "node test.js" }).map(({ name }) => name)).toEqual(["install", "test"])
  })

  it("take the programs that they start", () => {
    expect(programsOf("CI=1 cd app && npm test | tee out; node a.js && ./run.sh && npm start")).toEqual([
      ...["npm", "tee", "node"],
    ])
    expect(programsOf("npm test")).toEqual(["npm"])
    expect(programsOf("./test.sh || true")).toEqual([])
  })

  it.each(["", " ", "a\nb", "a\u0000", "\uD800", "x".repeat(501), 1, null])("aren't %j", (test) => {
    expect(CheckCommands.safeParse({ test }).success).toBe(false)
  })

  it("are of checks, and nothing else", () => {
    expect(CheckCommands.safeParse({ deploy: "make deploy" }).success).toBe(false)
    expect(CheckCommands.parse({ test: " npm test " })).toEqual({ test: "npm test" })
  })
})

import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"

/** Stands in for npm: notes where it is, what it is asked, and what is there. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require("node:fs")
const settings = existsSync(".env.prod") ? readFileSync(".env.prod", "utf8") : ""
const said = { args: process.argv.slice(2), code: readFileSync("code.txt", "utf8"), settings, cwd: process.cwd() }
appendFileSync(process.env.ASKED, JSON.stringify(said) + "\\n")
process.exit(process.argv[2] === process.env.FAILS ? 1 : 0)
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-rollback-test-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A repository with two commits, and this tool. */
function prepare() {
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim()
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  git("init", "--quiet")
  const commit = (text: string) => {
    writeFileSync(join(folder, "code.txt"), text)
    git("add", "code.txt")
    git(...identity, "commit", "--quiet", "-m", text)
    return git("rev-parse", "--short=12", "HEAD")
  }
  const older = commit("older")
  commit("newer")
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "npm"), NPM)
  chmodSync(join(folder, "bin", "npm"), 0o755)
  const tools = join(import.meta.dirname, "../../tools")
  for (const file of ["rollback.ts", "cloud/errors.ts", "cloud/stage.ts"])
    cpSync(join(tools, file), join(folder, "tools", file))
  writeFileSync(join(folder, ".env.prod"), "AGENTS=on\n")
  const run = (args: string[], fails = "") =>
    spawnSync(process.execPath, [join(folder, "tools/rollback.ts"), ...args], {
      encoding: "utf8",
      env: {
        PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
        ASKED: join(folder, "asked"),
        FAILS: fails,
      },
    })
  const asked = () => {
    const lines = existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8") : ""
    return lines.split("\n").flatMap((line) => (line ? JSON.parse(line) : []))
  }
  return { git, older, run, asked }
}

it("deploys the earlier commit with today's settings, and leaves the checkout as it was", () => {
  const { git, older, run, asked } = prepare()
  const there = git("rev-parse", "HEAD")
  expect(run(["--stage", "prod", "--to", `0.1.0+${older}`])).toMatchObject({ status: 0 })
  expect(asked()).toMatchObject([
    { args: ["ci"], code: "older", settings: "AGENTS=on\n" },
    { args: ["run", "deploy", "--", "--stage", "prod"], code: "older" },
  ])
  expect(git("rev-parse", "HEAD")).toBe(there)
  expect(git("worktree", "list").split("\n")).toHaveLength(1)
  expect(existsSync(asked()[0].cwd)).toBe(false)
})

it("says so where nothing was deployed: no commit, an unknown one, or one that can't be installed", () => {
  const { git, older, run, asked } = prepare()
  expect(run(["--stage", "prod"])).toMatchObject({ status: 1, stderr: expect.stringContaining("--to 0.1.0+") })
  expect(run(["--stage", "prod", "--to", "abcdef012345"]).stderr).toContain("There is no commit abcdef012345 here.")
  expect(asked()).toEqual([])
  expect(run(["--stage", "prod", "--to", older], "ci")).toMatchObject({ status: 1 })
  expect(asked()).toHaveLength(1)
  expect(git("worktree", "list").split("\n")).toHaveLength(1)
})

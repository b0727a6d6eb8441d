import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { locate } from "@switchyard/runner/programs/locate"
import { describe, expect, it } from "vitest"
import { newRepository } from "../git/repositories.ts"
import { openDepot } from "../runner-process.ts"

const FILES = 1500
const HOUR_MS = 3_600_000

/**
 * Writes a git that notes each beginning and end of staging a folder, with the number of untracked files, and each
 * commit. `starts` returns the arguments of each start.
 */
async function noting(folder: string): Promise<Record<"lines" | "starts", () => string[]> & { path: string }> {
  const git = (await locate("git", process.env.PATH ?? ""))?.file
  if (!git) throw new Error("There is no git.")
  const bin = join(folder, "noting-git")
  const notes = join(bin, "notes")
  mkdirSync(bin)
  writeFileSync(notes, "")
  const script = `#!/bin/sh
echo "$*" >> '${notes}-starts'
case " $* " in
  *" add --all "*) ;;
  *" commit-tree "*) echo commit >> '${notes}'; exec '${git}' "$@" ;;
  *) exec '${git}' "$@" ;;
esac
echo "begin $('${git}' ls-files --others --exclude-standard | wc -l | tr -d ' ')" >> '${notes}'
trap ':' TERM
'${git}' "$@"
code=$?
echo end >> '${notes}'
exit $code
`
  writeFileSync(join(bin, "git"), script)
  chmodSync(join(bin, "git"), 0o755)
  const path = [bin, process.env.PATH].join(delimiter)
  const linesOf = (file: string) => readFileSync(file, "utf8").trim().split("\n")
  return { path, lines: () => linesOf(notes), starts: () => linesOf(`${notes}-starts`) }
}

describe("the end of a task that leaves very many files", () => {
  it("stages them once, for its commit, and tells and saves what that has before the run is over", async () => {
    await using depot = await openDepot()
    const { path, lines } = await noting(depot.folder)
    const runner = depot.start({ save_every_ms: HOUR_MS }, { env: { PATH: path } })
    runner.run(await depot.create({ generates: FILES }))
    const { seq: over } = await depot.seen("run_completed")
    const said = lines()
    const firstNew = said.indexOf(`begin ${FILES}`)
    expect(firstNew).toBeGreaterThan(-1)
    const stagings = said.slice(firstNew).filter((line) => line !== "commit")
    expect(stagings).toEqual(stagings.map((_, index) => (index % 2 === 0 ? expect.stringMatching(/^begin/) : "end")))
    const committed = said.indexOf("commit", firstNew)
    expect(said.slice(committed).filter((line) => line.startsWith("begin"))).toEqual([])

    const events = await depot.events()
    const told = events.findLast((event) => event.type === "worktree_changed" && event.seq < over)
    expect(told).toMatchObject({ status: { exists: true, has_changes: true, uncommitted: false }, diff: null })
    const saved = events.findLast((event) => event.type === "project_saved" && event.seq < over)
    if (told?.type !== "worktree_changed" || saved?.type !== "project_saved") throw new Error("Nothing was saved.")
    const tree = told.status.path ?? ""
    const { tip } = saved.save as { tip: string }
    const git = (...args: string[]) => execFileSync("git", args, { cwd: tree, encoding: "utf8", stdio: "pipe" })
    expect(git("ls-tree", "-r", "--name-only", `${tip}:files`).trim().split("\n")).toHaveLength(FILES)
    // A look at the worktree while the agent works may stage a few files early. There are too few to be packed.
    expect(Number(/^count: (\d+)/m.exec(git("count-objects", "-v"))?.[1])).toBeLessThan(FILES / 3)

    for (let at = told.seq; ; ) {
      const next = await depot.seen("worktree_changed", at)
      at = next.seq
      if (next.diff) break
    }
    expect(runner.stderr()).toBe("")
  })
})

describe("the end of a task", () => {
  it("stages the worktree for its commit, and its status, its save and its run's end don't again", async () => {
    await using depot = await openDepot()
    const { path, lines } = await noting(depot.folder)
    const runner = depot.start({ save_every_ms: HOUR_MS, idle_ms: 1 }, { env: { PATH: path } })
    runner.run(await depot.create({ files: { "a.txt": "a\n" } }))
    // The runner parks after all work that follows from the end of its run, and saves once more as it parks.
    expect(await runner.exited).toMatchObject({ code: 0 })
    const said = lines()
    const committed = said.indexOf("commit", said.indexOf("begin 1"))
    expect(said.slice(committed).filter((line) => line.startsWith("begin"))).toEqual([])
    expect(runner.stderr()).toBe("")
  })
})

/** Number of times that the runner starts git for a task that writes one file. */
const STARTS = 22
/** Number of status calls that every task makes: for the new worktree, and before the commit. */
const STATUSES = 2
/** Number of git starts for a further look at the work, which a slow machine takes while the agent works. */
const STARTS_OF_LOOK = 9

describe("a task that writes one file", () => {
  it(`starts git ${STARTS} times at most`, async () => {
    await using depot = await openDepot()
    await using at = await newRepository()
    // Without a name, git refuses the commit, and Switchyard starts it again with its own.
    const config = (key: string, value: string) => execFileSync("git", ["config", key, value], { cwd: at.repo })
    config("user.name", "Ada")
    config("user.email", "ada@example.org")
    const { path, starts } = await noting(depot.folder)
    const runner = depot.start({ save_every_ms: HOUR_MS }, { env: { PATH: path } })
    runner.run(await depot.create({ files: { "b.txt": "b\n" } }, at.repo))
    await depot.seen("run_completed")
    const started = starts()
    const looks = started.filter((line) => line.includes("--porcelain=v2 --branch")).length - STATUSES
    expect(started.length).toBeGreaterThan(STARTS / 2)
    expect(started.length - STARTS_OF_LOOK * Math.max(0, looks), started.join("\n")).toBeLessThanOrEqual(STARTS)
    expect(runner.stderr()).toBe("")
  })
})

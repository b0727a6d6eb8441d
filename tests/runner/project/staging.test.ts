import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { locate } from "@switchyard/runner/programs/locate"
import { describe, expect, it } from "vitest"
import { openDepot } from "../runner-process.ts"

const FILES = 1500
const HOUR_MS = 3_600_000

/**
 * A git that writes down when it begins and ends to stage a folder, and of how many files the index knew nothing, and
 * when it makes a commit.
 */
async function noting(folder: string): Promise<{ path: string; lines: () => string[] }> {
  const git = (await locate("git", process.env.PATH ?? ""))?.file
  if (!git) throw new Error("There is no git.")
  const bin = join(folder, "noting-git")
  const notes = join(bin, "notes")
  mkdirSync(bin)
  writeFileSync(notes, "")
  const script = `#!/bin/sh
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
  return { path, lines: () => readFileSync(notes, "utf8").trim().split("\n") }
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
    // A look while the agent works may stage a few before the rest: few enough to stay loose.
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
    // It parks once all is done that follows from the end of its run, and saves once more then.
    expect(await runner.exited).toMatchObject({ code: 0 })
    const said = lines()
    const committed = said.indexOf("commit", said.indexOf("begin 1"))
    expect(said.slice(committed).filter((line) => line.startsWith("begin"))).toEqual([])
    expect(runner.stderr()).toBe("")
  })
})

import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { logName } from "@switchyard/core/sessions/keys"
import { openSession } from "@switchyard/core/sessions/rules"
import { createQueue } from "@switchyard/core/stream"
import { requestCommand } from "@switchyard/core/worktrees/command-rules"
import type { WorktreeCommand } from "@switchyard/core/worktrees/worktrees"
import { createGit } from "@switchyard/runner/git/git"
import { createBehind } from "@switchyard/runner/project/behind"
import { openWorktrees } from "@switchyard/runner/project/project"
import { describe, expect, it } from "vitest"
import { seeded } from "../faults/random.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { cases, LIMIT_MS, never as signal } from "../settings.ts"
import { openDepot, type Start } from "./runner-process.ts"

const MAIN = join(import.meta.dirname, "../../packages/runner/src/main.ts")
const PRELOAD = join(import.meta.dirname, "dies-at-step.ts")

const KILLS = cases({ usual: 6, deep: 1000 })

/** About as many as a runner takes for a command. */
const STEPS = 110

const merge = { command: "merge", strategy: "squash", commit_message: "Merged" } as const
const commands: WorktreeCommand[] = [
  { ...merge, delete_worktree: true },
  { ...merge, delete_worktree: false },
  { command: "push", remote: "origin", branch: "main" },
  { command: "reset" },
  { command: "delete" },
]

/** A session with work in its worktree, and a command that somebody has just asked for. */
async function newScene(command: WorktreeCommand) {
  const depot = await openDepot()
  const { session, deps, folder, sid } = depot
  const theirs = makeRepository(join(folder, "theirs"))
  const remote = join(folder, "remote.git")
  execFileSync("git", ["init", "--bare", "--quiet", remote])
  theirs.git("remote", "add", "origin", remote)
  await session.decide(openSession("s", { repository: theirs.folder }), { signal })
  const project = {
    ...{ ...deps, git: createGit({ env: { PATH: process.env.PATH ?? "" } }), folder: join(folder, "projects") },
    ...{
      notes: join(folder, "runner", sid),
      local: true,
      seen: new Map(),
      leftOut: new Map(),
      opening: createQueue(),
      behind: createBehind(),
    },
  }
  mkdirSync(project.notes, { recursive: true })
  const about = { sid, repository: theirs.folder, state: session.state, tell: async () => undefined }
  const worktrees = await openWorktrees(project, about, { signal })
  const { path } = await worktrees.create({}, { signal })
  if (path === null) throw new Error("There is no worktree.")
  writeFileSync(join(path, "work.txt"), "work\n")
  await session.decide(requestCommand("cmd_1", command), { signal })

  const onMain = (file: string) => theirs.git("ls-tree", "--name-only", "main").split("\n").includes(file)
  const inTree = (file: string) => existsSync(join(path, file))
  const refsOf = (git: string) => execFileSync("git", ["for-each-ref", "refs/heads/main"], { cwd: git }).toString()
  return {
    depot,
    /** Whether it was carried out, which nobody but git decides. */
    isDone(): boolean {
      if (command.command === "push") return refsOf(remote) === refsOf(theirs.folder)
      return command.command === "merge" ? onMain("work.txt") : !inTree("work.txt")
    },
    /** The runner that is asked first. It parks when it has answered, unless it dies before. */
    async first(env: Record<string, string>) {
      const how: Start = { command: [process.execPath, "--import", PRELOAD, MAIN], env }
      await depot.start({ idle_ms: 1 }, how).exited
    },
    /** An agent's task, and the runner that carries it out. */
    async later() {
      const runId = await depot.create({ files: { "later.txt": "later\n" } }, theirs.folder)
      const runner = depot.start()
      runner.run(runId)
      await depot.seen("run_completed")
      expect(inTree("later.txt")).toBe(true)
      expect(onMain("later.txt")).toBe(false)
      if (!["reset", "delete"].includes(command.command)) expect(onMain("work.txt") || inTree("work.txt")).toBe(true)
    },
    async ends() {
      const ended = ["worktree_command_finished", "worktree_command_expired"]
      const events = await Array.fromAsync(deps.log.read(logName(sid), 0, { signal }))
      return events.filter(({ type }) => ended.includes(type))
    },
  }
}

describe("a command whose runner dies or fails", () => {
  it(
    "is carried out once or never, is answered as what became of it, and touches nothing that came later",
    async () => {
      const random = seeded(KILLS)
      for (let index = 0; index < KILLS; index++) {
        const command = random.pick(commands)
        const how = random.pick(["DIE_AT", "DIE_AT", "FAIL_AT"])
        const scene = await newScene(command)
        await using _ = scene.depot
        const at = random.between(1, STEPS)
        const where = `${index}: ${command.command}, ${how} ${at}`
        await scene.first({ [how]: `${at}` })
        const before = await scene.ends()
        const wasDone = scene.isDone()
        await scene.later()
        const [end, ...more] = await scene.ends()
        expect(more, where).toEqual([])
        if (before.length > 0) expect(end, where).toEqual(before[0])
        if (end?.type !== "worktree_command_finished") throw new Error(`${where}: no answer`)
        const isDone = scene.isDone()
        if (end.answer !== null) expect(isDone, where).toBe(true)
        else expect([where, isDone, end.error], where).toEqual([where, false, end.error])
        expect(isDone || !wasDone, where).toBe(true)
      }
    },
    KILLS * LIMIT_MS,
  )
})

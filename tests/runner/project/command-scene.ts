import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { createMutex } from "@switchyard/core/concurrency/mutex"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import type { Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { logName } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import { createKnownGit } from "@switchyard/runner/git/plumbing/known-git"
import { createBackgroundTask } from "@switchyard/runner/project/background-task"
import { createHiding } from "@switchyard/runner/project/hiding"
import { createNotices } from "@switchyard/runner/project/notices"
import { openWorktrees } from "@switchyard/runner/project/open-worktrees"
import { locateWorktree } from "@switchyard/runner/project/worktree-location"
import { expect } from "vitest"
import { makeRepository } from "../../functions/agents/repository.ts"
import { never as signal } from "../../settings.ts"
import { openDepot, type Start } from "../runner-process.ts"

const MAIN = join(import.meta.dirname, "../../../packages/runner/src/main.mjs")
const PRELOAD = join(import.meta.dirname, "dies-at-step.ts")

/** A command, and the state in which it is requested. */
export interface Case {
  command: WorktreeCommand
  /** State of the worktree, which also has work. With `none`, there is no worktree. */
  before?: "none" | "behind" | "conflict" | "resolved" | "deletions"
  /** Text in the arguments of the step that has the effect. */
  effect: string
}

const merge = { command: "merge", strategy: "squash", commit_message: "Merged" } as const
const readme = { file_path: "README.md", use: "theirs" } as const

export const CASES: Case[] = [
  { command: { ...merge, delete_worktree: true }, effect: "switchyard: merge" },
  { command: { ...merge, delete_worktree: false }, effect: "switchyard: merge" },
  { command: { command: "update" }, before: "behind", effect: "switchyard: merge" },
  { command: { command: "push", remote: "origin", branch: "main" }, effect: "--porcelain" },
  { command: { command: "reset" }, effect: "--hard" },
  { command: { command: "delete" }, effect: "worktree.json" },
  { command: { command: "create" }, before: "none", effect: "worktree.json" },
  { command: { command: "create", reset: true }, effect: "worktree.json" },
  {
    command: { command: "resolve", resolution: { ...readme, complete: false } },
    before: "conflict",
    effect: "merge.json",
  },
  {
    command: { command: "resolve", resolution: { ...readme, complete: true } },
    before: "conflict",
    effect: "switchyard: merge",
  },
  { command: { command: "complete" }, before: "resolved", effect: "switchyard: merge" },
  { command: { command: "abort" }, before: "conflict", effect: "merge.json" },
  { command: { command: "confirm_deletions" }, before: "deletions", effect: "workspace_committed" },
]

/** Creates a session with work in its worktree, and requests the command. */
export async function newScene({ command, before }: Case) {
  const depot = await openDepot()
  const { session, deps, folder, sid } = depot
  const theirs = makeRepository(join(folder, "theirs"))
  const remote = join(folder, "remote.git")
  execFileSync("git", ["init", "--bare", "--quiet", remote])
  theirs.git("remote", "add", "origin", remote)
  const repository = before === "deletions" ? null : theirs.folder
  await session.decide(openSession("s", repository === null ? {} : { repository }), { signal })
  const git = createGit({ env: { PATH: process.env.PATH ?? "" } })
  const project = {
    ...{ ...deps, git, machineGit: git, folder: join(folder, "projects") },
    ...{
      notes: join(folder, "runner", sid),
      journals: join(folder, "repositories"),
      local: true,
      remotes: () => ({ env: {}, hosts: createHostPolicy(["*"]), credentialsFor: async () => undefined }),
      worktree: "main",
      notices: createNotices(),
      seen: new Map(),
      knownGit: createKnownGit(),
      leftOut: new Map(),
      refused: new Map(),
      opening: createMutex(),
      background: createBackgroundTask(),
      hiding: createHiding(),
    },
  }
  mkdirSync(project.notes, { recursive: true })
  if (before === "deletions") {
    const write = (path: string) => {
      return { op: "write" as const, path: workspacePath(path), bytes: new TextEncoder().encode("text\n") }
    }
    await commitChanges(deps, session, ["a.txt", "b.txt", "c.txt"].map(write), { signal })
  }
  const about = { sid, repository, state: session.state, append: async () => undefined }
  const worktrees = await openWorktrees(project, about, { signal })
  const tree = before === "none" ? await pathOf(worktrees) : await begin(worktrees)
  const inTree = (file: string) => existsSync(join(tree, file))
  const { notes } = locateWorktree(project, about)
  const noted = (file: string) => `${notes}.${file}`

  async function pathOf(of: Worktrees): Promise<string> {
    const { path } = await of.create({}, { signal })
    await of.remove({}, { signal })
    return path ?? ""
  }

  async function begin(of: Worktrees): Promise<string> {
    const { path } = await of.create({}, { signal })
    if (path === null) throw new Error("There is no worktree.")
    writeFileSync(join(path, "work.txt"), "work\n")
    if (before === "behind") commitTheirs({ "theirs.txt": "theirs\n" })
    if (before === "conflict" || before === "resolved") {
      writeFileSync(join(path, "README.md"), "The work's.\n")
      commitTheirs({ "README.md": "Theirs.\n" })
      const { status } = await of.merge({ ...merge, delete_worktree: true }, { commandId: "cmd_0", signal })
      expect(status).toBe("conflicts")
    }
    if (before === "resolved") await of.resolve({ ...readme, complete: false }, { signal })
    if (before === "deletions") {
      const paths = ["a.txt", "b.txt"]
      for (const gone of paths) rmSync(join(path, gone))
      await session.decide(() => [{ type: "deletions_held", count: 2, paths, file_count: 3 }], { signal })
    }
    return path
  }

  function commitTheirs(files: Record<string, string>) {
    theirs.write(files)
    theirs.git("add", "-A")
    theirs.git("commit", "-qm", "Theirs")
  }

  await session.decide(requestCommand("cmd_1", command), { signal })

  const onMain = (file: string) => theirs.git("ls-tree", "--name-only", "main").split("\n").includes(file)
  const refsOf = (git: string) => execFileSync("git", ["for-each-ref", "refs/heads/main"], { cwd: git }).toString()
  const isResolved = () => {
    return existsSync(noted("merge.json")) && JSON.parse(readFileSync(noted("merge.json"), "utf8")).resolved.length > 0
  }

  /** True if git or the session's files show that the command was carried out. */
  async function isDone(): Promise<boolean> {
    switch (command.command) {
      case "create":
        return existsSync(noted("worktree.json")) && !inTree("work.txt")
      case "push":
        return refsOf(remote) === refsOf(theirs.folder)
      case "update":
        return inTree("theirs.txt")
      case "resolve":
        return JSON.stringify(command).includes('"complete":true') ? onMain("work.txt") : isResolved()
      case "abort":
        return !existsSync(noted("merge.json"))
      case "confirm_deletions":
        return !(await files()).includes("a.txt")
      case "reset":
        return !inTree("work.txt")
      case "delete":
        // A worktree without its note doesn't exist, even if its files are still being removed.
        return !existsSync(noted("worktree.json")) || !inTree("work.txt")
      default:
        return onMain("work.txt")
    }
  }

  /**
   * True if the state matches the answer. A resolution that ends in new conflicts has only resolved, and not merged.
   */
  async function isAs(answer: object): Promise<boolean> {
    const isHalf = command.command === "resolve" && "status" in answer && answer.status === "conflicts"
    return isHalf ? isResolved() : isDone()
  }

  /** True if any part of the command was carried out. */
  async function isBegun(): Promise<boolean> {
    return (command.command === "resolve" && isResolved()) || isDone()
  }

  async function files(): Promise<string[]> {
    const { workspace, session: life } = await session.catchUp({ signal })
    const { readManifest } = createWorkspaceStore(deps.blobs, { sid, incarnation: life.incarnation })
    return (await readManifest(workspace.manifest, { signal })).files.map(({ path }) => path)
  }

  return {
    depot,
    isDone,
    isAs,
    isBegun,
    /** Starts the first runner, which answers and parks unless it dies before. Resolves to true if it died. */
    async first(env: Record<string, string>): Promise<boolean> {
      const how: Start = { command: [process.execPath, "--import", PRELOAD, MAIN], env }
      return (await depot.start({ idle_ms: 1 }, how).exited).signal === "SIGKILL"
    },
    /** Runs an agent's task in a second runner. */
    async later() {
      const runId = await depot.create({ files: { "later.txt": "later\n" } }, repository)
      const runner = depot.start()
      runner.run(runId)
      await depot.seen("run_completed")
      expect(inTree("later.txt")).toBe(true)
      expect(onMain("later.txt")).toBe(false)
      expect(
        theirs
          .git("log", "--format=%s", "main")
          .split("\n")
          .filter((line) => line === "Merged").length,
      ).toBeLessThan(2)
      const throwsAway = before === "none" || ["reset", "delete", "create"].includes(command.command)
      if (!throwsAway) expect(onMain("work.txt") || inTree("work.txt")).toBe(true)
    },
    async ends() {
      const ended = ["worktree_command_finished", "worktree_command_expired"]
      const events = await Array.fromAsync(deps.log.read(logName(sid), 0, { signal }))
      return events.filter(({ type }) => ended.includes(type))
    },
  }
}

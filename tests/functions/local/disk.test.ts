import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { createNewId } from "@switchyard/core/ids"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { GRACE_MS } from "@switchyard/core/sessions/session-index"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { createRetire, freeDisk } from "@switchyard/functions/local/disk"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { commit, newRepository, ourGit, plainGit, signal, write } from "../../runner/git/repositories.ts"

const SID = "0123456789abcdef".repeat(2)
const DAY = 86_400_000

/** Opens a session whose runner left a worktree of a user's repository. The test calls `delete`. */
async function deletedSession() {
  const at = await newRepository()
  const stores = await openStores()
  const dataFolder = await mkdtemp(join(tmpdir(), "switchyard-disk-"))
  const clock = { ...systemClock, now: () => Date.now() + GRACE_MS }
  const shared = { ...stores, clock: systemClock, log: createLog({ ...stores, clock: systemClock }) }
  const deps = { ...shared, newId: createNewId(), fold: sessionFold, writer: "test" }
  const session = await openSessionLog(deps, SID, { signal })
  await session.decide(openSession("s"), { signal })
  const folder = join(dataFolder, "projects", SID, "1/work/0123456789ab")
  const runner = join(dataFolder, "runner", SID)
  await mkdir(runner, { recursive: true })
  const place = { folder, notes: join(runner, "1-0123456789ab"), journals: join(dataFolder, "repositories") }
  const about = { repository: at.repo, branch: taskBranch(SID), session: SID, name: "main" }
  const worktrees = await createWorktrees({ ...place, ...about, git: ourGit(), clock: systemClock }, { signal })
  await worktrees.create({}, { signal })
  const reported: unknown[] = []
  return {
    ...{ repo: at.repo, tree: join(folder, "tree"), folders: [join(dataFolder, "projects", SID), runner], reported },
    /** Deletes the session and frees the disk after the grace period in which a runner could still write. */
    async delete() {
      await session.decide(deleteSession("request"), { signal })
      const retire = createRetire({ dataFolder, retentionMs: 7 * DAY })
      const report = (error: unknown) => void reported.push(error)
      await freeDisk({ ...deps, clock, dataFolder, isServed: () => false, retire, report }, { signal })
    },
    async [Symbol.asyncDispose]() {
      await stores.close()
      await rm(dataFolder, { recursive: true, force: true })
      await at[Symbol.asyncDispose]()
    },
  }
}

const keptRefs = (repo: string) =>
  plainGit(repo, "for-each-ref", "--format=%(refname)", "refs/switchyard/kept/").split("\n").filter(Boolean)

describe("the worktree of a deleted session", () => {
  it("leaves its work in the person's repository, for the retention of sessions", async () => {
    await using found = await deletedSession()
    const { repo, tree, folders, reported } = found
    await write(tree, { "a.txt": "committed\n" })
    const committed = commit(tree)
    plainGit(tree, "checkout", "--quiet", "--detach")
    await write(tree, { detached: "detached\n" })
    const detached = commit(tree)
    await write(tree, { "new.txt": "new\n" })
    await found.delete()
    expect(reported).toEqual([])
    expect(folders.filter((folder) => existsSync(folder))).toEqual([])
    const [ref = "", ...others] = keptRefs(repo)
    expect(others).toEqual([])
    expect(ref).toMatch(new RegExp(`^refs/switchyard/kept/${SID}/\\d{8}T\\d{6}-\\d{3}Z-7d/work$`))
    expect(plainGit(repo, "rev-list", ref).split("\n")).toEqual(expect.arrayContaining([committed, detached]))
    expect(plainGit(repo, "show", `${ref}:files/new.txt`)).toBe("new")
    expect(plainGit(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1)
    expect(plainGit(repo, "branch", "--format=%(refname:short)")).toBe("main")
  })

  it("stays, and is reported, while its work is too much to keep", async () => {
    await using found = await deletedSession()
    const huge = join(found.tree, "huge")
    await writeFile(huge, "")
    await truncate(huge, 501 * 1024 * 1024)
    await found.delete()
    expect(existsSync(huge)).toBe(true)
    expect(found.reported).toEqual([expect.objectContaining({ message: expect.stringContaining("too much to store") })])
    expect(keptRefs(found.repo)).toEqual([])
  })

  it("goes with its folders where its repository is gone", async () => {
    await using found = await deletedSession()
    await rm(found.repo, { recursive: true })
    await found.delete()
    expect(found.folders.filter((folder) => existsSync(folder))).toEqual([])
    expect(found.reported).toEqual([])
  })
})

import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { withRepository } from "@switchyard/runner/git/plumbing/repository-lock"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { describe, expect, it } from "vitest"
import { NO_DISK, needs } from "../../needs.ts"
import { cases } from "../../settings.ts"
import {
  asGit,
  commit,
  filesIn,
  leftovers,
  newRepository,
  open,
  ourGit,
  placed,
  plainGit,
  signal,
  write,
} from "./repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }

describe("a lock that somebody else holds", () => {
  it("is named, and nothing is done", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a.txt": "new\n" })
    const before = await filesIn(at.repo)
    for (const held of ["index.lock", "refs/heads/main.lock"]) {
      const lock = join(at.repo, ".git", held)
      await writeFile(lock, "")
      const refused = expect(worktrees.merge(merge, { signal })).rejects
      await refused.toMatchObject({ code: "worktree_busy", message: expect.stringContaining("process") })
      expect(await filesIn(at.repo)).toEqual(before)
      expect(await leftovers(at.repo)).toEqual([held])
      await rm(lock)
      expect(plainGit(at.repo, "status", "--porcelain")).toBe("")
    }
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ success: true })
  })

  it("is waited for by the turns of agents, of which many may begin at once, and not for long by people", async () => {
    await using at = await newRepository()
    const deps = { ...placed(join(at.folder, "data")), git: ourGit(), repository: at.repo, branch: "switchyard/s1" }
    const { journals } = (await openWorktree({ ...deps, clock: systemClock }, { signal })).repository
    async function hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const taken = Promise.withResolvers<void>()
      const task = () => {
        taken.resolve()
        return promise
      }
      const ended = withRepository({ journals, clock: systemClock }, task, { signal })
      await taken.promise
      return { free: resolve, ended }
    }
    let holding = await hold()
    let waits = 0
    const clock = {
      ...systemClock,
      monotonic: () => waits * 15_000,
      async sleep() {
        if (++waits % 10 !== 0) return
        holding.free()
        await holding.ended
      },
    }
    const worktrees = await createWorktrees({ ...deps, clock }, { signal })
    await expect(worktrees.remove({}, { signal })).rejects.toMatchObject({ code: "worktree_busy" })
    expect(waits).toBeLessThan(4)
    expect(await worktrees.create({}, { signal })).toMatchObject({ created: true })
    expect(waits).toBe(10)
    holding = await hold()
    expect(await worktrees.commit("Nothing changed.", { signal })).toBeNull()
    expect(waits).toBe(20)
  })

  it("is a dead process's in a session's own worktree, once it is old", async () => {
    await using at = await newRepository()
    const deps = { ...placed(join(at.folder, "data")), git: ourGit(), repository: at.repo, branch: "switchyard/s1" }
    const clock = { ...systemClock }
    const worktrees = await createWorktrees({ ...deps, clock }, { signal })
    await worktrees.create({}, { signal })
    await write(join(at.folder, "data/tree"), { new: "x" })
    const lock = join(at.repo, ".git/worktrees/tree/index.lock")
    await writeFile(lock, "")
    await expect(worktrees.commit("one", { signal })).rejects.toMatchObject({
      code: "worktree_busy",
      details: { lock },
    })
    clock.now = () => Date.now() + 120_000
    expect(await worktrees.commit("one", { signal })).toMatch(/^[0-9a-f]{40}$/)
  })
})

describe("two merges at once", () => {
  it("are both made, one after the other", async () => {
    await using at = await newRepository({ f: "1\n2\n3\n4\n5\n6\n7\n8\n9\n" })
    const sessions = ["one", "two", "three"]
    for (const [index, session] of sessions.entries()) {
      const worktrees = await at.open(session)
      await worktrees.create({}, { signal })
      const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n".replace(`${3 * index + 2}\n`, `${session}\n`)
      await write(at.tree(session), { f: lines, [session]: "x\n" })
    }
    await write(at.repo, { mine: "not committed" })
    const both = await Promise.all(sessions.map(async (session) => (await at.open(session)).merge(merge, { signal })))
    expect(both.map(({ status }) => status)).toEqual(["merged", "merged", "merged"])
    expect(await filesIn(at.repo)).toEqual({
      f: "file 1\none\n3\n4\ntwo\n6\n7\nthree\n9\n",
      mine: "file not committed",
      one: "file x\n",
      three: "file x\n",
      two: "file x\n",
    })
    expect(plainGit(at.repo, "rev-list", "--count", "main")).toBe("4")
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("?? mine")
    expect(await leftovers(at.repo)).toEqual([])
  })

  it("of one session are one merge", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { new: "x\n" })
    const keep = { ...merge, delete_worktree: false }
    const both = await Promise.all([worktrees.merge(keep, { signal }), (await at.open()).merge(keep, { signal })])
    expect(both.map(({ status }) => status).sort()).toEqual(["merged", "nothing_to_merge"])
    expect(plainGit(at.repo, "rev-list", "--count", "main")).toBe("2")
  })
})

describe("a merge for an agent whose runner is killed while git makes it", () => {
  /**
   * Kills a merge of main into a conflicting worktree right after `git merge`. `leave` changes the files that the merge
   * left.
   */
  async function interrupted(leave: (tree: string, gitDir: string) => Promise<void>) {
    const at = await newRepository({ f: "1\n" })
    const plain = ourGit()
    const git = asGit(async (args, call) => {
      const answer = await plain(args, call)
      if (args[0] !== "merge") return answer
      await leave(at.tree(), join(at.repo, ".git/worktrees/tree"))
      throw new Error("killed")
    })
    const deps = {
      ...placed(join(at.folder, "data/s1")),
      clock: systemClock,
      repository: at.repo,
      branch: "switchyard/s1",
    }
    const worktrees = await createWorktrees({ ...deps, git }, { signal })
    await worktrees.create({}, { signal })
    await write(at.tree(), { f: "agent\n" })
    await write(at.repo, { f: "ours\n", new: "x\n" })
    commit(at.repo)
    await expect(worktrees.mergeForAgent("main", { signal })).rejects.toThrow("killed")
    return { at, worktrees: await createWorktrees({ ...deps, git: plain }, { signal }) }
  }

  it.each([
    ["before it has noted that it merges", (_: string, gitDir: string) => rm(join(gitDir, "MERGE_HEAD"))],
    [
      "before its index has the files",
      async (tree: string, gitDir: string) => {
        await rm(join(gitDir, "MERGE_HEAD"))
        plainGit(tree, "read-tree", "HEAD")
      },
    ],
    ["after all of it", async () => {}],
  ])("is made anew from the work as it was: %s", async (_, leave) => {
    const { at, worktrees } = await interrupted(leave)
    await using _gone = at
    expect(await worktrees.mergeForAgent("main", { signal })).toEqual(["f"])
    expect(plainGit(at.tree(), "show", "HEAD:f")).toBe("agent")
    expect(plainGit(at.tree(), "ls-tree", "--name-only", "HEAD")).toBe("f")
  })

  it("leaves no conflict in the work when that is committed without it", async () => {
    const { at, worktrees } = await interrupted(async () => {})
    await using _gone = at
    expect(await worktrees.commit("more", { signal })).toBeNull()
    expect(plainGit(at.tree(), "show", "HEAD:f")).toBe("agent")
    expect(await filesIn(at.tree())).toEqual({ f: "file agent\n" })
  })
})

describe("a branch of somebody's that is taken over", () => {
  it("is taken over by the next runner where one is killed before it has noted so", async () => {
    await using at = await newRepository()
    plainGit(at.repo, "branch", "feature")
    const plain = ourGit()
    const deps = {
      ...placed(join(at.folder, "data/s1")),
      clock: systemClock,
      repository: at.repo,
      branch: "switchyard/s1",
    }
    for (const dies of ["worktree", "reset"]) {
      const git = asGit(async (args, call) => {
        const answer = await plain(args, call)
        if (args[0] === dies && args[1] !== "list") throw new Error("killed")
        return answer
      })
      const worktrees = await createWorktrees({ ...deps, git }, { signal })
      await expect(worktrees.create({ branch: "feature" }, { signal })).rejects.toThrow("killed")
    }
    const worktrees = await createWorktrees({ ...deps, git: plain }, { signal })
    expect(await worktrees.create({ branch: "feature" }, { signal })).toMatchObject({
      created: true,
      branch: "feature",
    })
    await write(at.tree(), { new: "x\n" })
    expect(await worktrees.commit("work", { signal })).toBe(plainGit(at.repo, "rev-parse", "feature"))
    await worktrees.remove({}, { signal })
    expect(plainGit(at.repo, "show", "feature:new")).toBe("x")
  })

  it("is refused while its checkout has files that git overlooks: they are a person's", async () => {
    await using at = await newRepository()
    const theirs = join(at.folder, "theirs")
    plainGit(at.repo, "worktree", "add", "--quiet", "-b", "feature", theirs)
    plainGit(theirs, "update-index", "--skip-worktree", "a.txt")
    await write(theirs, { "a.txt": "a secret\n" })
    const refused = expect((await at.open()).create({ branch: "feature" }, { signal })).rejects
    await refused.toMatchObject({ code: "worktree_conflict", details: { files: ["a.txt"] } })
    await write(theirs, { "a.txt": null })
    expect(await (await at.open()).create({ branch: "feature" }, { signal })).toMatchObject({ path: theirs })
  })

  it("costs no work where another session has it", async () => {
    await using at = await newRepository()
    plainGit(at.repo, "branch", "feature")
    await (await at.open("other")).create({ branch: "feature" }, { signal })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { new: "x\n" })
    await worktrees.commit("work", { signal })
    const refused = expect(worktrees.create({ branch: "feature", reset: true }, { signal })).rejects
    await refused.toMatchObject({ code: "worktree_busy" })
    expect(await filesIn(at.tree())).toMatchObject({ new: "file x\n" })
  })
})

describe("a branch that moves while it is merged into", () => {
  it("is merged into where it is now, conflicts and what was chosen for them included", async () => {
    await using at = await newRepository({ f: "1\n", g: "1\n", h: "1\n" })
    plainGit(at.repo, "checkout", "--quiet", "--detach")
    const worktrees = await at.open()
    await worktrees.create({ base_branch: "main" }, { signal })
    await write(at.tree(), { f: "theirs\n", g: "theirs\n" })
    const moveMain = async (content: Record<string, string>) => {
      await write(at.repo, content)
      plainGit(at.repo, "update-ref", "refs/heads/main", commit(at.repo))
    }
    await moveMain({ f: "ours\n" })
    await worktrees.merge(merge, { signal })
    await worktrees.resolve({ file_path: "f", content: "both\n", complete: false }, { signal })
    await moveMain({ h: "moved\n", g: "moved\n" })
    const again = await worktrees.complete({}, { signal })
    expect(again.conflicts).toMatchObject([
      { file_path: "f", resolved: true },
      { file_path: "g", resolved: false },
    ])
    // A resolution for other versions of a file doesn't apply to the new versions.
    await moveMain({ f: "ours again\n" })
    const once = await worktrees.resolve({ file_path: "g", use: "both", complete: true }, { signal })
    expect(once.conflicts).toMatchObject([
      { file_path: "f", resolved: false },
      { file_path: "g", resolved: true },
    ])
    const done = await worktrees.resolve({ file_path: "f", content: "all\n", complete: true }, { signal })
    expect(done).toMatchObject({ status: "merged", checkout: null })
    expect(plainGit(at.repo, "show", "main:f", "main:g", "main:h")).toBe("all\nmoved\ntheirs\nmoved")
  })

  it("takes the checkout back first, if that had come along already", async () => {
    await using at = await newRepository({ f: "1\n", g: "1\n" })
    const plain = ourGit()
    let others = ""
    // Another process moves main without waiting for the lock.
    const git = asGit(async (args, call) => {
      if (args[0] === "update-ref" && args.includes("refs/heads/main") && !others) {
        expect(await filesIn(at.repo)).toMatchObject({ f: "file theirs\n", mine: "file x" })
        others = plainGit(at.repo, "commit-tree", "main^{tree}", "-p", "main", "-m", "another")
        plainGit(at.repo, "update-ref", "refs/heads/main", others)
      }
      return plain(args, call)
    })
    const deps = {
      ...placed(join(at.folder, "data")),
      git,
      clock: systemClock,
      repository: at.repo,
      branch: "switchyard/s1",
    }
    const worktrees = await createWorktrees(deps, { signal })
    await worktrees.create({}, { signal })
    await write(join(at.folder, "data/tree"), { f: "theirs\n" })
    await write(at.repo, { mine: "x", g: "mine\n" })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ success: true, checkout: at.repo })
    expect(plainGit(at.repo, "rev-parse", "main^")).toBe(others)
    expect(await filesIn(at.repo)).toEqual({ f: "file theirs\n", g: "file mine\n", mine: "file x" })
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("M g\n?? mine")
  })
})

const disk = await mkdtemp(join(tmpdir(), "full-git-"))
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m,nr_inodes=4000", "tmpfs", disk]).status === 0
if (mounted) spawnSync("umount", [disk])

describe("a disk that is full", needs(mounted ? undefined : NO_DISK), () => {
  it("is said to be, and everything is as before, until there is room", async () => {
    const outcomes: Record<string, number> = {}
    // From no free space to enough, so that the merge fails at a different step each time.
    for (let free = 0; free <= 640; free += cases({ usual: 160, deep: 40 })) {
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk])
      try {
        const outcome = await mergeWith(free)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      } finally {
        spawnSync("umount", [disk])
      }
    }
    expect(outcomes.storage_unavailable).toBeGreaterThan(cases({ usual: 0, deep: 3 }))
    expect(outcomes.merged).toBeGreaterThan(cases({ usual: 0, deep: 1 }))
  })

  /** Merges with this many kilobytes free. Resolves to the outcome. */
  async function mergeWith(free: number): Promise<string> {
    const repo = join(disk, "repo")
    mkdirSync(repo)
    plainGit(repo, "init", "--quiet", "--template=", "--initial-branch=main")
    const noise = (seed: number) =>
      Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * seed * 7919) % 251))
    await write(repo, { large: noise(3), small: "1\n", kept: "1\n" })
    commit(repo)
    const worktrees = await open(repo, join(disk, "data"), "s1")
    await worktrees.create({}, { signal })
    await write(join(disk, "data/tree"), { large: noise(5), small: "2\n", another: noise(11) })
    await worktrees.commit("work", { signal })
    await write(repo, { kept: "mine\n", mine: "not committed" })
    const before = await filesIn(repo)
    const head = plainGit(repo, "rev-parse", "main")

    const room = Number(spawnSync("df", ["--output=avail", "-k", disk]).stdout.toString().split("\n")[1])
    await writeFile(join(disk, "filler"), Buffer.alloc(Math.max(0, room - free) * 1024))
    const [attempt] = await Promise.allSettled([worktrees.merge(merge, { signal })])
    await rm(join(disk, "filler"))
    const where = `with ${free} KB free`
    const outcome = attempt.status === "fulfilled" ? attempt.value.status : attempt.reason.code
    if (outcome !== "merged") {
      expect(outcome, `${where}: ${JSON.stringify(attempt)}`).toBe("storage_unavailable")
      expect(await filesIn(repo), where).toEqual(before)
      expect(plainGit(repo, "rev-parse", "main"), where).toBe(head)
      expect(await worktrees.merge(merge, { signal }), where).toMatchObject({ status: "merged" })
    }
    expect(plainGit(repo, "status", "--porcelain"), where).toBe("M kept\n?? mine")
    expect(plainGit(repo, "show", "main:small"), where).toBe("2")
    expect(await leftovers(repo), where).toEqual([])
    return outcome
  }
})

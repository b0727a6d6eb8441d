import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import type { Git } from "@switchyard/runner/git/plumbing/git"
import { describe, expect, it } from "vitest"
import { seeded, turns } from "../../faults/random.ts"
import { cases, someOf } from "../../settings.ts"
import {
  asGit,
  commit,
  filesIn,
  leftovers,
  newRepository,
  ourGit,
  PATH,
  placed,
  plainGit,
  signal,
  write,
} from "./repositories.ts"
import { runMerger } from "./run-merger.ts"

const merge = { strategy: "squash" as const, delete_worktree: true, commit_message: "Merged" }

/** The person's uncommitted files. No merge may change them. */
const MINE = {
  untouched: "file mine, not committed\n",
  notes: "file mine, untracked\n",
  "ignored.log": "file mine, ignored\n",
}

/**
 * Creates a session with work to merge, and uncommitted files in the checkout. With `conflicts`, main changes the same
 * files.
 */
async function newScene(conflicts: boolean) {
  const at = await newRepository({
    edited: "1\n2\n3\n",
    removed: "x\n",
    "folder/file": "x\n",
    runs: "#!/bin/sh\n",
    untouched: "x\n",
    ".gitignore": "*.log\n",
  })
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  await write(at.tree(), {
    edited: "1\n2\ntheirs\n",
    removed: null,
    folder: "a file now\n",
    runs: { run: "#!/bin/sh\n" },
    "new/deep": "n\n",
  })
  if (conflicts) {
    await write(at.repo, { edited: "1\n2\nours\n", runs: "#!/bin/bash\n" })
    commit(at.repo, "ours")
  }
  await write(at.repo, {
    untouched: "mine, not committed\n",
    notes: "mine, untracked\n",
    "ignored.log": "mine, ignored\n",
  })
  return { ...at, worktrees }
}

type Scene = Awaited<ReturnType<typeof newScene>>

async function expectMerged(at: Scene, where: string): Promise<void> {
  expect(await filesIn(at.repo), where).toEqual({
    ...MINE,
    ".gitignore": "file *.log\n",
    edited: "file 1\n2\ntheirs\n",
    folder: "file a file now\n",
    "new/": "",
    "new/deep": "file n\n",
    runs: expect.stringMatching(/^run #!/),
  })
  expect(plainGit(at.repo, "log", "-1", "--format=%s", "main"), where).toBe("Merged")
  expect(plainGit(at.repo, "symbolic-ref", "HEAD"), where).toBe("refs/heads/main")
  expect(plainGit(at.repo, "status", "--porcelain"), where).toBe("M untouched\n?? notes")
  expect(await leftovers(at.repo), where).toEqual([])
  expect(plainGit(at.repo, "fsck", "--no-dangling", "--no-reflogs"), where).toBe("")
}

/** Expects the uncommitted files, and `edited` in one of its known versions. */
async function expectMineIn(at: Scene, where: string): Promise<void> {
  const files = await filesIn(at.repo)
  expect(files, where).toMatchObject(MINE)
  const known = [undefined, "file 1\n2\n3\n", "file 1\n2\nours\n", "file 1\n2\ntheirs\n"]
  expect(known, where).toContain(files.edited)
}

async function finish(at: Scene): Promise<void> {
  const worktrees = await at.open()
  const status = await worktrees.status({ signal })
  if (status.merge) await worktrees.resolve({ use: "theirs", complete: true }, { signal })
  else {
    // Ask even if the merge is made and its worktree is gone, like a client that got no answer.
    const result = await worktrees.merge(merge, { signal })
    if (result.status === "conflicts") await worktrees.resolve({ use: "theirs", complete: true }, { signal })
    else expect(result).toMatchObject({ status: "merged", worktree_deleted: true })
  }
  await worktrees.remove({}, { signal })
}

describe("a merge whose process is killed", () => {
  it.each([
    ["clean", cases({ usual: 2, deep: 14 })],
    ["conflicts", cases({ usual: 2, deep: 10 })],
  ])("is as good as never begun, or made, wherever that was: %s", async (kind, instants) => {
    const whole = await newScene(kind === "conflicts")
    const steps = Number((await runMerger(whole, 0)).output)
    await expectMerged(whole, "without a kill")
    await whole[Symbol.asyncDispose]()
    expect(steps).toBeGreaterThan(60)

    const random = seeded(kind.length)
    for (let index = 0; index < instants; index++) {
      const dieAt = Math.min(
        steps,
        Math.floor((index * steps) / instants) + random.between(1, Math.ceil(steps / instants)),
      )
      const where = `${kind}, killed before step ${dieAt} of ${steps}`
      await using at = await newScene(kind === "conflicts")
      expect((await runMerger(at, dieAt)).killedBy, where).toBe("SIGKILL")
      await expectMineIn(at, where)
      await finish(at)
      await expectMerged(at, where)
    }
  })
})

describe("a merge that is called off", () => {
  it("is as good as never begun, or made, whatever git was doing", async () => {
    const random = seeded(3)
    for (const call of someOf(evenFrom(2, 32), 3)) {
      const where = `called off in call ${call}`
      await using at = await newScene(false)
      const stop = new AbortController()
      const plain = ourGit()
      let calls = 0
      const git = asGit((args, given) => {
        const answer = plain(args, given)
        const off = () => stop.abort(new Error("called off"))
        if (++calls === call) random.pick([off, () => turns(3).then(off), () => answer.then(off, off)])()
        return answer
      })
      const worktrees = await openWith(at, git)
      const [attempt] = await Promise.allSettled([worktrees.merge(merge, { signal: stop.signal })])
      await expectMineIn(at, where)
      if (attempt.status === "rejected") {
        expect(attempt.reason.message, where).toBe("called off")
        expect(await leftovers(at.repo), where).toEqual([])
        const files = await filesIn(at.repo)
        expect(["file 1\n2\n3\n", "file 1\n2\ntheirs\n"], where).toContain(files.edited)
        expect(plainGit(at.repo, "status", "--porcelain"), where).toBe("M untouched\n?? notes")
        await finish(at)
      }
      await expectMerged(at, where)
    }
  })

  it("isn't in the way of the next, though its git had to be killed and left a lock", async () => {
    await using at = await newScene(true)
    const lock = join(at.repo, ".git/worktrees/merge/index.lock")
    const leaves = (command: string) => openWith(at, dying(command, lock))

    const merging = await leaves("merge")
    await expect(merging.merge(merge, { signal })).rejects.toThrow("killed")
    expect(await leftovers(at.repo)).toEqual([])
    expect(await at.worktrees.merge(merge, { signal })).toMatchObject({ status: "conflicts" })

    const resolving = await leaves("update-index")
    await expect(resolving.resolve({ use: "theirs", complete: false }, { signal })).rejects.toThrow("killed")
    expect(await leftovers(at.repo)).toEqual(["worktrees/merge/index.lock"])
    await finish(at)
    await expectMerged(at, "after both")
  })

  /** A git that dies after each call of `command`, and leaves the file `lock`. */
  function dying(command: string, lock: string): Git {
    const plain = ourGit()
    return asGit(async (args, call) => {
      const answer = await plain(args, call)
      if (args[0] !== command) return answer
      await writeFile(lock, "")
      throw new Error("killed")
    })
  }
})

function openWith(at: Scene, git: Git) {
  const deps = {
    ...placed(join(at.folder, "data/s1")),
    git,
    clock: systemClock,
    repository: at.repo,
    branch: "switchyard/s1",
  }
  return createWorktrees(deps, { signal })
}

describe("a git that is killed in the middle of a merge", () => {
  it("costs nothing but that merge, and its lock where it left one", async () => {
    const random = seeded(9)
    const how = ["before", "during", "after"]
    for (const call of someOf(evenFrom(4, 28), 3)) {
      const kind = random.pick(how)
      const where = `git killed ${kind} call ${call}`
      await using at = await newScene(false)
      const killing = await gitThatDies(at.folder, { call, kind, after: random.between(0, 3000) })
      const worktrees = await at.open("s1", { env: { PATH: `${killing}:${PATH}`, HOME: "/nonexistent" } })
      const [attempt] = await Promise.allSettled([worktrees.merge(merge, { signal })])
      await expectMineIn(at, where)
      if (attempt.status === "rejected") {
        expect(["git_error", "worktree_busy"], `${where}: ${attempt.reason}`).toContain(attempt.reason.code)
        await removingLocks(() => finish(at))
      }
      await expectMerged(at, where)
    }
  })

  /** Writes a `git` that runs the real one, and dies before, during or after its n-th call. Returns its folder. */
  async function gitThatDies(folder: string, { call, kind, after }: { call: number; kind: string; after: number }) {
    const bin = join(folder, "bin")
    await mkdir(bin)
    const real = `PATH='${PATH}' git "$@"`
    const deaths: Record<string, string> = {
      before: "kill -9 $$",
      during: `${real} & i=0; while [ $i -lt ${after} ]; do i=$((i+1)); done; kill -9 $! $$`,
      after: `${real}; kill -9 $$`,
    }
    const count = join(folder, "calls")
    await writeFile(count, "")
    const script = `#!/bin/sh\necho >> '${count}'\nif [ $(wc -l < '${count}') -eq ${call} ]; then ${deaths[kind]}; fi\nexec env ${real}\n`
    await writeFile(join(bin, "git"), script)
    await chmod(join(bin, "git"), 0o755)
    return bin
  }

  /** Runs the task. If an error names a stale lock, removes the lock like a person would, and tries again. */
  async function removingLocks(task: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await task()
      } catch (error) {
        if (tries === 3 || !isAppError(error, "worktree_busy")) throw error
        const named = String(error.details.lock ?? "")
        expect(await readFile(named, "latin1")).toBeDefined()
        await rm(named)
      }
    }
  }
})

/** Returns every other number. */
function evenFrom(first: number, last: number): number[] {
  return Array.from({ length: (last - first) / 2 + 1 }, (_, index) => first + 2 * index)
}

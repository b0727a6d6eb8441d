import { existsSync } from "node:fs"
import { cp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { isAppError } from "@switchyard/core/errors"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { restoreWorkSnapshot } from "@switchyard/runner/git/saves/restore-snapshot"
import { bundleWorkSnapshot, takeWorkSnapshot } from "@switchyard/runner/git/saves/work-snapshot"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import type { Worktree } from "@switchyard/runner/git/worktrees/worktree-record"
import { afterAll, describe, expect, it } from "vitest"
import { type Random, seeded } from "../../../faults/random.ts"
import { cases } from "../../../settings.ts"
import { askGit, ourGit, placed, signal } from "../repositories.ts"
import { actAtRandom, newScene, newTemplate, type Scene, type Template, tidy } from "./any-work.ts"
import { checkTarget } from "./check-target.ts"
import { tokensIn, tokensKept } from "./found-tokens.ts"

const SEEDS = cases({ usual: 40, deep: 2000 })
/** Seeds per test. Few enough for a test's time limit on a busy machine. */
const AT_A_TIME = 20
const AT_ONCE = 2

describe("whatever an agent leaves in a worktree", async () => {
  const template = await newTemplate()
  afterAll(() => template[Symbol.asyncDispose]())
  const starts = Array.from({ length: SEEDS / AT_A_TIME }, (_, index) => index * AT_A_TIME)

  it.each(starts)(
    "is reachable after a merge, a deletion, a reset and the loss of its machine, and the target has no marker and can be cloned: from seed %i",
    async (start) => {
      const seeds = Array.from({ length: AT_A_TIME }, (_, index) => start + index)
      const seen = new Set<string>()
      const work = async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          try {
            for (const what of await tryOut(template, seeded(seed))) seen.add(what)
          } catch (error) {
            seeds.length = 0
            throw new Error(`seed ${seed}`, { cause: error })
          }
        }
      }
      const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
      for (const end of ended) if (end.status === "rejected") throw end.reason
      // The generator must reach most outcomes.
      expect(seen.size).toBeGreaterThan(6)
    },
  )
})

async function tryOut(template: Template, random: Random): Promise<string[]> {
  const how = random.pick(Object.keys(ENDS) as (keyof typeof ENDS)[])
  const scene = await newScene(template, random)
  const { at, lib } = scene
  await using _ = at
  if (how === "moved") await cp(at.repo, join(at.folder, "elsewhere"), { recursive: true })
  const done = await actAtRandom(scene, random)
  if (how === "merge" && random.next() < 0.6) await tidy(scene)
  const before = await tokensIn(scene.tree)
  try {
    const { outcome, repo = at.repo, tree = scene.tree }: Kept = await ENDS[how](scene, random)
    const after = await tokensKept(repo)
    const rest = existsSync(tree) ? await tokensIn(tree) : new Set()
    expect([...before].filter((token) => !after.has(token) && !rest.has(token))).toEqual([])
    await checkTarget(at.folder, repo, lib)
    return [how, outcome]
  } catch (error) {
    throw new Error(`${done.join(", ")}; ${how}`, { cause: error })
  }
}

const ENDS = {
  merge: mergeWork,
  async delete({ worktrees, tree }: Scene) {
    await worktrees.remove({}, { signal })
    expect(existsSync(tree)).toBe(false)
    return { outcome: "deleted" }
  },
  async reset({ worktrees, tree }: Scene) {
    await worktrees.reset({ signal })
    expect((await askGit(tree, ["status", "--porcelain", "--ignore-submodules=none"])).toString()).toBe("")
    return { outcome: "was reset" }
  },
  async again({ worktrees }: Scene) {
    await worktrees.create({ reset: true }, { signal })
    return { outcome: "made again" }
  },
  lost: restoreHere,
  moved: restoreElsewhere,
} satisfies Record<string, (scene: Scene, random: Random) => Promise<Kept>>

/** Outcome of an ending, and the folders of the work if they changed. */
interface Kept {
  outcome: string
  repo?: string
  tree?: string
}

/** Loses the machine with the worktree, and restores its last save in the person's repository. */
async function restoreHere({ at }: Scene): Promise<Kept> {
  const folder = join(at.folder, "data/s1")
  const worktree = await worktreeAt(folder, at.repo)
  const save = await saveWork(worktree, { at, own: false })
  await rm(folder, { recursive: true })
  await askGit(at.repo, ["worktree", "prune"])
  await restoreWorkSnapshot(worktree, save, { signal })
  return { outcome: "restored" }
}

/** Loses a session's own repository, and restores its last save in a repository without any of the work. */
async function restoreElsewhere({ at }: Scene): Promise<Kept> {
  const save = await saveWork(await worktreeAt(join(at.folder, "data/s1"), at.repo), { at, own: true })
  await rename(at.repo, join(at.folder, "lost"))
  await rename(join(at.folder, "data"), join(at.folder, "lost-data"))
  const elsewhere = join(at.folder, "elsewhere")
  await askGit(elsewhere, ["worktree", "prune", "--expire=now"])
  const worktree = await worktreeAt(join(at.folder, "data/s2"), elsewhere)
  await restoreWorkSnapshot(worktree, save, { signal })
  return { outcome: "restored elsewhere", repo: elsewhere, tree: worktree.tree }
}

const worktreeAt = (folder: string, repository: string) =>
  openWorktree(
    { ...placed(folder), git: ourGit(), clock: systemClock, repository, branch: taskBranch("s1") },
    { signal },
  )

async function saveWork(worktree: Worktree, { at, own }: Pick<Scene, "at"> & { own: boolean }) {
  const taken = await takeWorkSnapshot(worktree, own, { signal })
  const tip = (await taken?.commit(null)) ?? ""
  const file = join(at.folder, "save.bundle")
  await bundleWorkSnapshot(worktree, { commit: tip, since: null, own, file }, { signal })
  // Another snapshot of the same work has the same digest.
  expect((await takeWorkSnapshot(worktree, own, { signal }))?.digest).toBe(taken?.digest)
  return { bundles: Readable.from([file]), tip, own, isForked: false }
}

async function mergeWork({ worktrees }: Scene, random: Random): Promise<Kept> {
  try {
    const strategy = random.pick(["squash", "merge"] as const)
    const { status, worktree_kept } = await worktrees.merge({ strategy, delete_worktree: true }, { signal })
    return { outcome: worktree_kept ? "stays" : status }
  } catch (error) {
    // Refusals have two causes. The agent amended the only commit, so the branches have no common history, or it
    // removed a submodule that the person has checked out.
    const expected = ["worktree_conflict", "repository_error", "merge_blocked"] as const
    if (expected.some((code) => isAppError(error, code))) {
      return { outcome: "refused" }
    }
    throw error
  }
}

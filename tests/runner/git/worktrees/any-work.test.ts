import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { isAppError } from "@switchyard/core/errors"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { openWorktree } from "@switchyard/runner/git/git-worktrees"
import { bundleWorkSnapshot, restoreWorkSnapshot, takeWorkSnapshot } from "@switchyard/runner/git/saves/work-snapshot"
import { describe, expect, it } from "vitest"
import { type Random, seeded } from "../../../faults/random.ts"
import { cases } from "../../../settings.ts"
import { askGit, ourGit, placed, signal } from "../repositories.ts"
import { actAtRandom, newScene, newTemplate, type Scene, type Template, tidy } from "./any-work.ts"
import { tokensIn, tokensKept, tokensSaved } from "./found-tokens.ts"

const SEEDS = cases({ usual: 100, deep: 2000 })
const AT_ONCE = 3

describe("whatever an agent leaves in a worktree", () => {
  it("is reachable after a merge, a deletion, a reset and the loss of its machine, and the target has no marker and can be cloned", async () => {
    const template = await newTemplate()
    await using _ = template
    const seeds = Array.from({ length: SEEDS }, (_, index) => index)
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
    // The generator is only good while it reaches most ends.
    expect(seen.size).toBeGreaterThan(6)
  })
})

async function tryOut(template: Template, random: Random): Promise<string[]> {
  const scene = await newScene(template, random)
  await using _ = scene.at
  const done = await actAtRandom(scene, random)
  const how = random.pick(Object.keys(ENDS) as (keyof typeof ENDS)[])
  if (how === "merge" && random.next() < 0.6) await tidy(scene)
  const before = await (how === "lost" ? tokensSaved : tokensIn)(scene.tree)
  try {
    const outcome = await ENDS[how](scene, random)
    const after = await tokensKept(scene.at.repo)
    const rest = existsSync(scene.tree) ? await tokensIn(scene.tree) : new Set()
    expect([...before].filter((token) => !after.has(token) && !rest.has(token))).toEqual([])
    await checkTarget(scene)
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
    return "deleted"
  },
  async reset({ worktrees, tree }: Scene) {
    await worktrees.reset({ signal })
    expect((await askGit(tree, ["status", "--porcelain", "--ignore-submodules=none"])).toString()).toBe("")
    return "was reset"
  },
  async again({ worktrees }: Scene) {
    await worktrees.create({ reset: true }, { signal })
    return "made again"
  },
  lost: restoreElsewhere,
} satisfies Record<string, (scene: Scene, random: Random) => Promise<string>>

/** Restores the last save after the machine with the worktree was lost. */
async function restoreElsewhere({ at }: Scene): Promise<string> {
  const folder = join(at.folder, "data/s1")
  const deps = { ...placed(folder), git: ourGit(), clock: systemClock, repository: at.repo, branch: taskBranch("s1") }
  const worktree = await openWorktree(deps, { signal })
  const commit = await (await takeWorkSnapshot(worktree, false, { signal }))?.commit(null)
  const file = join(at.folder, "save.bundle")
  await bundleWorkSnapshot(worktree, { commit: commit ?? "", since: null, own: false, file }, { signal })
  await rm(folder, { recursive: true })
  await askGit(at.repo, ["worktree", "prune"])
  const save = { bundles: Readable.from([file]), tip: commit ?? "", own: false, isForked: false }
  await restoreWorkSnapshot(worktree, save, { signal })
  return "restored"
}

async function mergeWork({ worktrees }: Scene, random: Random): Promise<string> {
  try {
    const strategy = random.pick(["squash", "merge"] as const)
    const { status, worktree_kept } = await worktrees.merge({ strategy, delete_worktree: true }, { signal })
    return worktree_kept ? "stays" : status
  } catch (error) {
    // An agent can amend the only commit: then the branches have no history in common.
    if (isAppError(error, "worktree_conflict") || isAppError(error, "repository_error")) return "refused"
    throw error
  }
}

/** The target has no conflict marker, and a clone of it gets its submodules once they are pushed. */
async function checkTarget({ at: { repo, folder }, lib }: Scene): Promise<void> {
  expect((await askGit(repo, ["grep", "-lE", "^(<<<<<<<|>>>>>>>)", "main"])).toString()).toBe("")
  // One that is where it began can be cloned.
  if ((await askGit(repo, ["reflog", "--format=%H", "main"])).toString().split("\n").length <= 2) return
  const entries = (await askGit(repo, ["ls-tree", "-r", "-z", "main"])).toString().split("\0")
  for (const entry of entries.filter((each) => each.startsWith("160000 "))) {
    const name = entry.split("\t")[1] === "lib" ? "the/lib" : "second"
    const module = join(repo, ".git/modules", name)
    if (!existsSync(module)) continue
    const pushed = `${entry.split(/\s/)[2]}:refs/heads/${name}`
    const env = { GIT_DIR: module, GIT_WORK_TREE: module }
    await askGit(module, ["push", "--quiet", "--force", lib ?? "", pushed], { env })
  }
  const clone = ["-c", "protocol.file.allow=always", "clone", "--quiet", "--recurse-submodules"]
  await askGit(folder, [...clone, "--branch=main", repo, join(folder, "clone")])
}

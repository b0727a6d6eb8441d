import { AppError } from "@switchyard/core/errors"
import type { Git } from "../plumbing/git.ts"
import { checkoutsOf, moveBranch, type SharedRepository } from "../plumbing/repository.ts"
import { type Move, updateCheckout } from "./update-checkout.ts"

/** Moves a branch, and its checkout if it has one. Returns undefined if the branch is no longer at `from`. */
export async function advanceBranch(
  git: Git,
  repository: SharedRepository,
  move: Move,
  { signal }: { signal: AbortSignal },
): Promise<{ checkout: string | null } | undefined> {
  const places = (await checkoutsOf(git, repository, { signal })).filter(({ branch }) => branch === move.branch)
  const [place] = places
  if (!place) {
    const moved = await moveBranch(git, repository.folder, move, { signal })
    return moved ? { checkout: null } : undefined
  }
  const blocked = (reason: string) =>
    new AppError("merge_blocked", `The branch is checked out ${reason}.`, {
      branch: move.branch,
      checkout: place.path,
      checkouts: places.map(({ path }) => path),
      files: [],
    })
  if (places.length > 1) throw blocked("in more than one folder")
  if (!(await git.files.exists(place.path))) throw blocked("in a folder that can't be reached")
  const moved = await updateCheckout(git, repository, place.path, move, { signal })
  return moved ? { checkout: place.path } : undefined
}

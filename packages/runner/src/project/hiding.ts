import type { GitPath } from "../git/plumbing/git-path.ts"
import type { Folder } from "../git/worktrees/find-start-files.ts"
import { type HiddenPlaces, hideFiles, unhideFiles } from "../git/worktrees/hide-files.ts"

/** Hides files of one worktree from a program that works in it. */
export interface Hiding {
  /** Returns the location of a file while it is hidden. Returns undefined for other files. */
  placeOf: HiddenPlaces
  /** Hides these files until the returned object is disposed. `note` is the runner's own file for restoring them. */
  hide(folder: Folder, paths: GitPath[], note: string, options: { signal: AbortSignal }): Promise<AsyncDisposable>
  /** Restores files that were hidden by a process that died. Does nothing while a program is working. */
  recover(folder: Pick<Folder, "files" | "git">, note: string): Promise<void>
}

export function createHiding(): Hiding {
  let isHiding = false
  let places: HiddenPlaces | undefined

  async function putBack(folder: Folder, note: string): Promise<void> {
    await unhideFiles(folder, note)
    places = undefined
    isHiding = false
  }

  function onHidden(found: HiddenPlaces): void {
    places = found
  }

  return {
    placeOf: (path) => places?.(path),
    async hide(folder, paths, note, { signal }) {
      await unhideFiles(folder, note)
      isHiding = true
      try {
        await hideFiles(folder, paths, note, { signal, onHidden })
      } catch (error) {
        await putBack(folder, note)
        throw error
      }
      return { [Symbol.asyncDispose]: () => putBack(folder, note) }
    },
    async recover(folder, note) {
      if (!isHiding) await unhideFiles(folder, note)
    },
  }
}

import { join, relative } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Files } from "../files/files.ts"

/**
 * Returns the absolute path of an agent's start folder. Throws `task_invalid` if the folder is missing or outside the
 * worktree.
 */
export async function startFolder(
  files: Pick<Files, "realpath" | "stat">,
  root: string,
  folder: string | undefined,
): Promise<string> {
  if (folder === undefined) return root
  const place = join(root, folder)
  const kind = (await files.stat(place))?.kind
  const isInside = kind === "folder" && !leadsOut(await files.realpath(root), await files.realpath(place))
  if (isInside) return place
  throw new AppError("task_invalid", `The agent's start folder \`${folder}\` doesn't exist in the worktree.`)
}

function leadsOut(root: string, place: string): boolean {
  return relative(root, place).split("/")[0] === ".."
}

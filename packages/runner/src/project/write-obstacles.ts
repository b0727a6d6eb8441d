import { isAbsolute, join } from "node:path"
import type { WriteFiles } from "@switchyard/core/files/worktrees/snapshot-schema"
import type { Files } from "../files/files.ts"
import { resolvePaths } from "../files/resolve-paths.ts"

type Write = WriteFiles["files"][number]

/**
 * Returns, keyed by path, why a file can't be written: a link or another object that isn't a regular file is at the
 * path, or in place of a parent folder. Links are never followed, because the client that chose the path saw neither
 * the link nor its target.
 */
export async function findObstacles(
  files: Files,
  root: string,
  writes: readonly Write[],
): Promise<Map<string, string>> {
  const removed = writes.flatMap(({ path, sha256 }) => (sha256 === null ? [path] : []))
  const obstacles = new Map<string, string>()
  for (const write of writes) {
    const obstacle = write.sha256 === null ? undefined : await obstacleTo(files, root, write, removed)
    if (obstacle !== undefined) obstacles.set(write.path, obstacle)
  }
  return obstacles
}

async function obstacleTo(files: Files, root: string, { path, if_sha256 }: Write, removed: string[]) {
  const names = path.split("/")
  for (let depth = 1; depth < names.length; depth++) {
    const folder = names.slice(0, depth).join("/")
    const found = await files.lstat(join(root, folder))
    if (!found) return undefined
    if (found.kind === "link") return linkAt(files, root, folder)
    if (found.kind === "file" && removed.includes(folder)) return undefined
    if (found.kind !== "folder") return `${folder} isn't a folder.`
    if (await files.exists(join(root, folder, ".git"))) return `${folder} is a separate repository.`
  }
  const found = await files.lstat(join(root, path))
  if (!found) return undefined
  if (found.kind === "link") return linkAt(files, root, path)
  if (found.kind === "folder") {
    return removed.some((one) => one.startsWith(`${path}/`)) ? undefined : `${path} is a folder.`
  }
  const isLost = if_sha256 === null && !(await files.readRegular(Buffer.from(join(root, path))))
  return isLost ? `${path} already exists and can't be read.` : undefined
}

async function linkAt(files: Files, root: string, path: string): Promise<string> {
  const [target = ""] = await resolvePaths(files, root, [path]).catch(() => [])
  const isInside = target !== "" && target !== path && !isAbsolute(target)
  const leads = isInside ? `to ${target}; use that path instead` : "whose target is missing or outside the repository"
  return `${path} is a symbolic link ${leads}.`
}

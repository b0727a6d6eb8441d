import type { KeptWork } from "@switchyard/core/files/worktrees/schema"
import type { Files } from "../../files/files.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"

const NAMED = 20
/** Maximum number of files and folders counted in one ignored folder. */
const COUNTED = 20_000
/** Maximum number of folders searched for repositories. */
const SEARCHED = 20_000

/** Counts a checkout's ignored files and folders, and describes the first 20 with their sizes. */
export async function describeIgnored(files: Files, cwd: string, ignored: GitPath[]): Promise<KeptWork["ignored"]> {
  const tops = ignored.slice(0, NAMED)
  const sizes = await Promise.all(tops.map((path) => sizeBelow(files, placeOf(cwd, path), { left: COUNTED })))
  const named = tops.map((path, index) => ({ path: toText(path), ...(sizes[index] ?? { files: 0, bytes: 0 }) }))
  return { count: ignored.length, named }
}

const placeOf = (cwd: string, path: GitPath) => inFolder(cwd, path.replace(/\/$/, ""))

async function sizeBelow(
  files: Files,
  place: Buffer,
  room: { left: number },
): Promise<{ files: number; bytes: number }> {
  const found = await files.lstat(place).catch(() => undefined)
  if (!found || room.left-- <= 0) return { files: 0, bytes: 0 }
  if (found.kind !== "folder") return { files: 1, bytes: found.kind === "file" ? found.size : 0 }
  const sum = { files: 0, bytes: 0 }
  for (const { name } of await files.list(place).catch(() => [])) {
    const below = await sizeBelow(files, Buffer.concat([place, Buffer.from("/"), name]), room)
    sum.files += below.files
    sum.bytes += below.bytes
  }
  return sum
}

/** Finds repositories inside ignored folders. */
export async function repositoriesBelow(files: Files, cwd: string, ignored: GitPath[]): Promise<GitPath[]> {
  const found: GitPath[] = []
  const folders = ignored.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1))
  for (let searched = 0; searched < Math.min(folders.length, SEARCHED); searched++) {
    const path = folders[searched] ?? ""
    for (const { name, kind } of await files.list(inFolder(cwd, path)).catch(() => [])) {
      const entry = name.toString("latin1")
      if (entry === ".git") found.push(path)
      else if (kind === "folder") folders.push(`${path}/${entry}`)
    }
  }
  return found
}

import { constants } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Checkout } from "@switchyard/core/people/settings/autoconfigure"
import { checkFolder } from "./folders.ts"

/** Limits of the search for files. Test files are near the top level, and checkouts can be of any size. */
const MAX_PATHS = 5000
const MAX_DEPTH = 5
const MANIFEST_BYTES = 256 * 1024

/** Folders that never contain project files. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "venv", "target", "dist", "build"])

/**
 * Reads the files that determine a project's settings from a folder on this machine. Throws `task_invalid` if agents
 * can't work in the folder.
 */
export async function readCheckout(
  folder: string,
  { agentUser, signal = new AbortController().signal }: { agentUser: string | undefined; signal?: AbortSignal },
): Promise<Checkout> {
  await checkFolder(folder, { agentUser, signal })
  const { files, folders } = await filesIn(folder, signal)
  const top = [...files].filter((path) => !path.includes("/"))
  const texts = new Map(await Promise.all(top.map(async (path) => [path, await textOf(join(folder, path))] as const)))
  return {
    has: (path) => files.has(path),
    text: (path) => texts.get(path),
    paths: () => files,
    hasFolder: (name) => folders.has(name),
  }
}

/**
 * Lists the files in a folder, without links, and the names of its direct subfolders. Files closest to the top level
 * come first.
 */
async function filesIn(folder: string, signal: AbortSignal): Promise<{ files: Set<string>; folders: Set<string> }> {
  const files = new Set<string>()
  const folders = new Set<string>()
  let level = [""]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0 && files.size < MAX_PATHS; depth++) {
    const next: string[] = []
    for (const inner of level) {
      signal.throwIfAborted()
      const entries = await readdir(join(folder, inner), { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const path = inner === "" ? entry.name : `${inner}/${entry.name}`
        if (inner === "" && entry.isDirectory()) folders.add(entry.name)
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(path)
        if (entry.isFile() && files.size < MAX_PATHS) files.add(path)
      }
    }
    level = next
  }
  return { files, folders }
}

/** Reads a text file. Returns undefined if the file is unreadable, larger than a manifest may be, or a symlink. */
export async function textOf(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size } = await file.stat()
    return size <= MANIFEST_BYTES ? await file.readFile("utf8") : undefined
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

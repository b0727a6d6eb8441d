import { basename, dirname, join } from "node:path"
import { GIT_FOLDER_MARKS } from "@switchyard/core/files/start-files"
import * as z from "zod"
import type { Files } from "../files/files.ts"
import { foldersIn } from "./git-view.ts"

/**
 * A file that can make git start a program, or a marker file of a CLI. A regular file is identified by its content, and
 * any other by its inode and change time.
 */
const ProgramFile = z.object({ mode: z.int(), base64: z.string().nullable(), link: z.string().nullable() })
type ProgramFile = z.infer<typeof ProgramFile>
/** Files in a git folder, by path. */
export const ProgramFiles = z.record(z.string(), ProgramFile)
export type ProgramFiles = z.infer<typeof ProgramFiles>

const NAMES = ["config", "config.worktree", "commondir", "info/attributes", "info/grafts", ...GIT_FOLDER_MARKS]

/**
 * Reads the CLIs' marker files and all files that can make git start a program, including those in submodules and
 * worktrees.
 */
export async function readProgramFiles(files: Files, commonDir: string): Promise<ProgramFiles> {
  const worktrees = (await foldersIn(files, join(commonDir, "worktrees"))).map((name) => join("worktrees", name))
  const modules = (
    await Promise.all(["", ...worktrees].map((folder) => modulesIn(files, commonDir, join(folder, "modules"))))
  ).flat()
  const folders = ["", ...worktrees, ...modules]
  const hooks = await Promise.all(folders.map((folder) => filesIn(files, commonDir, join(folder, "hooks"))))
  const named = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const paths = [...named, ...hooks.flat(), "objects/info/alternates"]
  const found = await Promise.all(paths.map(async (path) => [path, await read(files, join(commonDir, path))] as const))
  return Object.fromEntries(found.flatMap(([path, file]) => (file ? [[path, file]] : [])))
}

/**
 * Restores files and returns the paths that had changed. Keeps the config of new worktrees and submodules, and no other
 * changes.
 */
export async function restoreProgramFiles(files: Files, commonDir: string, before: ProgramFiles): Promise<string[]> {
  const now = await readProgramFiles(files, commonDir)
  const known = new Set(Object.keys(before).map(ownerOf))
  const changed: string[] = []
  for (const path of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [was, is] = [before[path], now[path]]
    const isSame = was?.mode === is?.mode && was?.base64 === is?.base64 && was?.link === is?.link
    // If a worktree or submodule was removed, its files were removed intentionally.
    const isGone = !is && !(await files.exists(join(commonDir, ownerOf(path))))
    if (isSame || isGone || (await isOfNew(files, commonDir, path, known))) continue
    changed.push(path)
    if (was?.base64 == null) await files.remove(join(commonDir, path))
    else await files.replace(commonDir, path, was.mode, Buffer.from(was.base64, "base64"))
  }
  return changed.sort()
}

/** True if a file belongs to a worktree or submodule that was added since `known` was read. */
async function isOfNew(files: Files, commonDir: string, path: string, known: Set<string>): Promise<boolean> {
  const owner = ownerOf(path)
  if (known.has(owner) || !["config", "commondir"].includes(basename(path))) return false
  return files.exists(join(commonDir, owner, "HEAD"))
}

/** Returns the git folder that a file belongs to. */
function ownerOf(path: string): string {
  const folder = dirname(path)
  return ["hooks", "info"].includes(basename(folder)) ? dirname(folder) : folder
}

async function read(files: Files, place: string): Promise<ProgramFile | undefined> {
  const found = await files.lstat(place)
  if (!found || found.kind === "folder") return undefined
  const bytes = found.kind === "file" ? await files.readRegular(Buffer.from(place)) : undefined
  if (bytes) return { mode: found.mode, base64: bytes.toString("base64"), link: null }
  return { mode: found.mode, base64: null, link: `${found.ino} ${found.ctimeNs}` }
}

/** Lists the git folders of submodules, including nested ones. */
async function modulesIn(files: Files, commonDir: string, folder: string, depth = 0): Promise<string[]> {
  if (depth > MAX_DEPTH) return []
  const found: string[] = []
  for (const name of await foldersIn(files, join(commonDir, folder))) {
    const path = join(folder, name)
    const parts = await Promise.all(
      ["HEAD", "config", "hooks"].map((part) => files.exists(join(commonDir, path, part))),
    )
    const isModule = parts.includes(true)
    if (isModule) found.push(path)
    found.push(...(await modulesIn(files, commonDir, isModule ? join(path, "modules") : path, depth + 1)))
  }
  return found
}

const MAX_DEPTH = 8

async function filesIn(files: Files, commonDir: string, folder: string): Promise<string[]> {
  const entries = await files.list(join(commonDir, folder)).catch(() => [])
  return entries.flatMap(({ name, kind }) => (kind === "folder" ? [] : [join(folder, name.toString())]))
}

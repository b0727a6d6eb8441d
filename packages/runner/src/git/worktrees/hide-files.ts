import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Files } from "../../files/files.ts"
import { type Git, NEVER, notAbove } from "../plumbing/git.ts"
import { asInput, fieldsOf, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import type { Folder } from "./find-start-files.ts"

/** Hidden files of a single repository: the folder's own repository or a nested one. */
const Checkout = z.object({
  /** Path of the repository within the folder, with a trailing slash. Empty for the folder's own repository. */
  prefix: z.string(),
  /** Paths relative to the repository. */
  paths: z.array(z.string()),
  /** Paths that git tracks. While they are hidden, git is configured to ignore that their files are missing. */
  tracked: z.array(z.string()),
})
type Checkout = z.infer<typeof Checkout>

/** Files moved out of a folder to hide them from programs. */
const Hidden = z.object({
  root: z.string(),
  /** Folder that contains the hidden files, each named by the index of its path. */
  aside: z.string(),
  paths: z.array(z.string()),
  checkouts: z.array(Checkout),
})
type Hidden = z.infer<typeof Hidden>

/** Returns the location of a file while it is hidden, or undefined for other files. */
export type HiddenPlaces = (path: GitPath) => Buffer | undefined

/**
 * Hides files by moving them out of their folder and making git consider them unchanged. Stages new content first,
 * because saves made while the files are hidden must include it. `note` is the runner's own file for restoring the
 * files if this process dies. `onHidden` receives the new locations before the first file is moved.
 */
export async function hideFiles(
  { files, git, root }: Folder,
  paths: GitPath[],
  note: string,
  { signal, onHidden }: { signal: AbortSignal; onHidden: (places: HiddenPlaces) => void },
): Promise<void> {
  const aside = git ? `${await gitDirOf(files, root)}/switchyard-hidden` : `${root}-hidden`
  const checkouts = git ? await stageFiles(git, root, paths, { signal }) : []
  signal.throwIfAborted()
  const hidden: Hidden = { root, aside, paths, checkouts }
  await writeAtomically(note, hidden)
  await files.makeFolder(aside)
  const folder = await files.realpath(aside)
  onHidden((wanted) => {
    const index = paths.findIndex((path) => wanted === path || wanted.startsWith(`${path}/`))
    return index === -1 ? undefined : inFolder(folder, `${index}${wanted.slice(paths[index]?.length)}`)
  })
  if (git) await overlook(git, hidden, "--skip-worktree")
  for (const [index, path] of paths.entries()) {
    await move(files, inFolder(root, path), Buffer.from(`${aside}/${index}`))
    await removeEmpty(files, root, path)
  }
}

/**
 * Restores hidden files. If a file was created at the same path while the original was hidden, keeps the new file: the
 * original is in git, or is restored next to the new file.
 */
export async function unhideFiles({ files, git }: Pick<Folder, "files" | "git">, note: string): Promise<void> {
  const text = await readIfExists(note)
  if (text === undefined) return
  const hidden = Hidden.parse(JSON.parse(text))
  const { root, aside, paths, checkouts } = hidden
  const tracked = checkouts.flatMap(({ prefix, tracked }) => tracked.map((path) => prefix + path))
  if (await files.exists(root)) {
    for (const [index, path] of paths.entries()) {
      const from = Buffer.from(`${aside}/${index}`)
      if (await files.lstat(from)) await makeWay(files, root, path)
      await putBack(files, { from, to: inFolder(root, path), path }, tracked)
    }
    if (git) await overlook(git, hidden, "--no-skip-worktree")
  }
  await files.remove(aside)
  await rm(note, { force: true })
}

/** Stages these files in their repositories if git tracks them or would add them. */
async function stageFiles(
  git: Git,
  root: string,
  paths: GitPath[],
  { signal }: { signal: AbortSignal },
): Promise<Checkout[]> {
  const byPrefix = new Map<string, GitPath[]>()
  for (const path of paths) {
    const prefix = await repositoryAround(git.files, root, path)
    const within = byPrefix.get(prefix) ?? []
    byPrefix.set(prefix, within)
    within.push(path.slice(prefix.length))
  }
  const checkouts: Checkout[] = []
  for (const [prefix, paths] of byPrefix) {
    const staging = stageIn(git, join(root, toText(prefix)), paths, { signal })
    // An agent may have broken the nested repository. Hide its files even if they can't be staged.
    const tracked = await (prefix === "" ? staging : staging.catch(() => []))
    checkouts.push({ prefix, paths, tracked })
  }
  return checkouts
}

/**
 * Returns the path of the innermost repository that contains a path, with a trailing slash. Empty for the root's
 * repository.
 */
async function repositoryAround(files: Files, root: string, path: GitPath): Promise<GitPath> {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (await files.lstat(inFolder(root, `${path.slice(0, end)}/.git`))) return path.slice(0, end + 1)
  }
  return ""
}

/**
 * Stages these files like `git add`. Returns the files in the index, except unmerged files and files that git already
 * overlooks.
 */
async function stageIn(
  git: Git,
  cwd: string,
  paths: GitPath[],
  { signal }: { signal: AbortSignal },
): Promise<Checkout["tracked"]> {
  const call = { cwd, env: notAbove(cwd), signal }
  const changed = ["ls-files", "-z", "--modified", "--others", "--exclude-standard", "--", ...asArguments(paths)]
  const unmerged = new Set(await unmergedAmong(git, cwd, paths, { signal }))
  const found = fieldsOf((await git(changed, call)).stdout).filter((path) => !unmerged.has(path))
  if (found.length > 0) {
    const asked = ["add", "--pathspec-from-file=-", "--pathspec-file-nul"]
    await git(asked, { ...call, input: asInput([...new Set(found)]), signal: NEVER })
  }
  const listed = await indexOf(git, cwd, paths, { signal })
  return listed.filter(({ tag, path }) => tag === "H" && !unmerged.has(path)).map(({ path }) => path)
}

/** Makes git ignore that tracked files are missing, or undoes that. Some of the files may no longer be in the index. */
async function overlook(
  git: Git,
  { root, checkouts }: Hidden,
  flag: "--skip-worktree" | "--no-skip-worktree",
): Promise<void> {
  for (const { prefix, ...about } of checkouts) {
    const marking = mark(git, { cwd: join(root, toText(prefix)), ...about }, flag)
    await (prefix === "" ? marking : marking.catch(() => {}))
  }
}

async function mark(
  git: Git,
  { cwd, paths, tracked }: Omit<Checkout, "prefix"> & { cwd: string },
  flag: "--skip-worktree" | "--no-skip-worktree",
): Promise<void> {
  const isOurs = new Set(tracked)
  const known = (await indexOf(git, cwd, paths, { signal: NEVER })).filter(({ path }) => isOurs.has(path))
  if (known.length === 0) return
  const input = asInput(known.map(({ path }) => path))
  await git(["update-index", flag, "-z", "--stdin"], { cwd, env: notAbove(cwd), input, signal: NEVER })
}

interface IndexEntry {
  /** `H` for a file that git checks for changes, `S` for a file with the skip-worktree flag. */
  tag: string
  path: GitPath
}

async function indexOf(
  git: Git,
  cwd: string,
  paths: GitPath[],
  { signal }: { signal: AbortSignal },
): Promise<IndexEntry[]> {
  if (paths.length === 0) return []
  const { stdout } = await git(["ls-files", "-z", "-t", "--", ...asArguments(paths)], {
    ...{ cwd, env: notAbove(cwd), signal },
  })
  return fieldsOf(stdout).map((line) => ({ tag: line.slice(0, 1), path: line.slice(2) }))
}

async function unmergedAmong(
  git: Git,
  cwd: string,
  paths: GitPath[],
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  const { stdout } = await git(["ls-files", "-z", "--unmerged", "--", ...asArguments(paths)], {
    ...{ cwd, env: notAbove(cwd), signal },
  })
  return fieldsOf(stdout).map((line) => line.slice(line.indexOf("\t") + 1))
}

/** Decodes paths for use as command-line arguments, because Node encodes arguments as UTF-8. */
function asArguments(paths: GitPath[]): string[] {
  return paths.map((path) => Buffer.from(path, "latin1").toString())
}

interface Back {
  from: Buffer
  to: Buffer
  path: GitPath
}

/** Creates a path's parent folders. If an agent replaced one of them with a file, moves that file aside. */
async function makeWay(files: Files, root: string, path: GitPath): Promise<void> {
  const names = path.split("/").slice(0, -1)
  for (const index of names.keys()) {
    const folder = inFolder(root, names.slice(0, index + 1).join("/"))
    const there = await files.lstat(folder)
    if (there && there.kind !== "folder") await move(files, folder, await freeName(files, folder))
    if (there?.kind !== "folder") await files.makeFolder(folder)
  }
}

async function putBack(files: Files, { from, to, path }: Back, tracked: GitPath[]): Promise<void> {
  const hidden = await files.lstat(from)
  // The previous process restored the file before it died, or had never moved it.
  if (!hidden) return
  const there = await files.lstat(to)
  if (!there) return move(files, from, to)
  if (hidden.kind === "folder" && there.kind === "folder") {
    for (const { name } of await files.list(from)) {
      const below = { from: within(from, name), to: within(to, name), path: `${path}/${name.toString("latin1")}` }
      await putBack(files, below, tracked)
    }
  } else if (!tracked.includes(path)) await move(files, from, await freeName(files, to))
}

async function freeName(files: Files, place: Buffer): Promise<Buffer> {
  for (let count = 0; ; count++) {
    const name = Buffer.concat([place, Buffer.from(count === 0 ? ".before-agent" : `.before-agent-${count}`)])
    if (!(await files.lstat(name))) return name
  }
}

/** Moves a file, even across file systems. */
async function move(files: Files, from: Buffer, to: Buffer): Promise<void> {
  try {
    await files.rename(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "EXDEV") throw error
    await copyAll(files, from, to)
    await files.remove(from)
  }
}

async function copyAll(files: Files, from: Buffer, to: Buffer): Promise<void> {
  if ((await files.lstat(from))?.kind !== "folder") return files.copy(from, to)
  await files.makeFolder(to)
  for (const { name } of await files.list(from)) await copyAll(files, within(from, name), within(to, name))
}

/** Removes the folder of a hidden file and its parent folders, up to the first folder that isn't empty. */
async function removeEmpty(files: Files, root: string, path: GitPath): Promise<void> {
  const names = path.split("/").slice(0, -1)
  try {
    for (; names.length > 0; names.pop()) await files.removeFolder(inFolder(root, names.join("/")))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error
  }
}

const within = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from("/"), name])

import { randomUUID } from "node:crypto"
import { basename, dirname, join, resolve } from "node:path"
import type { Files } from "../files/files.ts"
import type { Mount } from "./confined-place.ts"
import { copyRefs, isPrivateRef } from "./view-refs.ts"

/**
 * The git folder that a sandbox uses instead of the repository's.
 *
 * A git folder can name programs in many ways, and new versions of git add more. Therefore, only listed parts are
 * shared: objects, the session's branches, and the folders of the sandbox's own worktrees. Config, hooks, attributes,
 * grafts, all other refs, reflogs, modules and any parts that git adds in the future are in a private folder, which
 * starts as a copy. Apart from the shared parts, agents change only the private folder. All other parts of the
 * repository's own folder stay the same for the user and for the runner's git.
 *
 * A private repository with alternates would separate agents from the repository completely. However, each step of the
 * work would then have to be fetched, and people watch an agent's branch while the agent works.
 */
export interface GitFolder {
  /** Git folder of the repository. The private folder replaces it in the sandbox. */
  commonDir: string
  /** The private folder. */
  view: string
  /** Folders of the worktrees that programs in the sandbox work in. */
  checkouts: string[]
  /** True if the private folder is read-only, and contains the repository's current settings and hooks. */
  isFixed: boolean
  /** Folder of the refs that an agent may change in the repository itself. Null if it may change all refs. */
  ownRefs: string | null
}

/** Creates the private folder if it is missing. Returns the mounts that make it visible in a sandbox. */
export async function openGitView(
  files: Files,
  { commonDir, checkouts, isFixed, ownRefs, ...named }: GitFolder,
): Promise<Mount[]> {
  await files.makeFolder(dirname(named.view))
  const view = join(await files.realpath(dirname(named.view)), basename(named.view))
  const folder = { commonDir, view }
  if (!(await files.exists(view))) await makeView(files, folder)
  for (const path of ["objects/info", ...(ownRefs ? [ownRefs] : [])]) await files.makeFolder(join(commonDir, path))
  const [ids, kinds, borrowed, lfs, hooks] = await Promise.all([
    worktreesOf(files, commonDir, checkouts),
    foldersIn(files, join(commonDir, "refs")),
    alternatesOf(files, join(commonDir, "objects")),
    files.lstat(join(commonDir, "lfs")),
    files.lstat(join(commonDir, "hooks")),
    // Copy these files each time, because the repository's HEAD may change while a sandbox is open.
    ...LIVE.map((name) => copyFile(files, join(commonDir, name), { view, name })),
  ])
  const all = kinds.map((name) => `refs/${name}`).filter((ref) => !isPrivateRef(ref))
  const refs = isFixed || ownRefs === null ? all : [ownRefs]
  await copyRefs(files, { commonDir, view, shared: refs })
  for (const id of ids) await fixSettings(files, join(commonDir, "worktrees", id))
  const shared = ["objects", ...refs, ...ids.map((id) => `worktrees/${id}`), ...(lfs?.kind === "folder" ? ["lfs"] : [])]
  if (isFixed) await fixView(files, folder)
  for (const path of shared) await clearWay(files, view, path)
  const fixed = [
    // Files in `objects/info` can name other folders on the machine, which the next sandbox would mount.
    "objects/info",
    // These files connect a worktree with its repository.
    ...ids.flatMap((id) => [`worktrees/${id}/commondir`, `worktrees/${id}/gitdir`]),
    ...ids.map((id) => `worktrees/${id}/config.worktree`),
    ...(isFixed ? [...refs, ...(hooks?.kind === "folder" ? ["hooks"] : [])] : []),
  ]
  const at = (path: string) => ({ from: join(commonDir, path), to: join(commonDir, path) })
  return [
    { from: view, to: commonDir, isReadOnly: isFixed },
    ...shared.map(at),
    ...fixed.map((path) => ({ ...at(path), isReadOnly: true })),
    ...borrowed.map((path) => ({ from: path, to: path, isReadOnly: true })),
  ]
}

/** Returns the mounts for a sandbox that reads the repository's own git folder. Only LFS files are writable. */
export async function ownGitFolder(files: Files, commonDir: string): Promise<Mount[]> {
  const [borrowed, lfs] = await Promise.all([
    alternatesOf(files, join(commonDir, "objects")),
    files.lstat(join(commonDir, "lfs")),
  ])
  const toRead = [commonDir, ...borrowed].map((path) => ({ from: path, to: path, isReadOnly: true }))
  const toWrite = lfs?.kind === "folder" ? [join(commonDir, "lfs")] : []
  return [...toRead, ...toWrite.map((path) => ({ from: path, to: path }))]
}

const LIVE = ["HEAD", "shallow"]
const COPIED = ["hooks", "info"]

/**
 * In the sandbox, git's gc can't see the user's stash, reflogs and other worktrees, and would remove objects that only
 * they need. This extension prevents gc from removing any objects.
 */
export const VIEW_SETTINGS = [
  { key: "extensions.preciousobjects", value: "true" },
  { key: "gc.auto", value: "0" },
  { key: "gc.packrefs", value: "false" },
  { key: "maintenance.auto", value: "false" },
]

type Folder = Pick<GitFolder, "commonDir" | "view">

async function makeView(files: Files, folder: Folder): Promise<void> {
  const { commonDir, view } = folder
  const fresh = `${view}-${randomUUID()}`
  for (const name of ["objects", "refs", "worktrees", ...COPIED]) await files.makeFolder(join(fresh, name))
  await files.create(join(fresh, "config"), 0o644, await settingsOf(files, folder))
  for (const copied of COPIED) {
    const entries = await files.list(join(commonDir, copied)).catch(() => [])
    for (const { name, kind } of entries) {
      if (kind !== "file" || name.toString().endsWith(".sample")) continue
      const path = Buffer.concat([Buffer.from(`${copied}/`), name])
      await files.copy(under(commonDir, path), under(fresh, path))
    }
  }
  try {
    await files.rename(fresh, view)
  } catch (error) {
    await files.remove(fresh)
    // Another call created the private folder at the same time.
    if (!(await files.exists(view))) throw error
  }
}

/** Copies the repository's current settings to a private folder that agents don't use. */
async function fixView(files: Files, folder: Folder): Promise<void> {
  const { view } = folder
  const config = await settingsOf(files, folder)
  const now = await files.readText(join(view, "config"))
  if (now !== config.toString()) await files.replace(view, "config", 0o644, config)
}

/**
 * Creates the folder for a mount. If an agent has put a file in its place, replaces the file, because every sandbox
 * would fail otherwise.
 */
async function clearWay(files: Files, view: string, path: string): Promise<void> {
  let place = view
  for (const name of path.split("/")) {
    place = join(place, name)
    const found = await files.lstat(place)
    if (found && found.kind !== "folder") await files.unlink(place)
  }
  await files.makeFolder(place)
}

async function settingsOf(files: Files, { commonDir }: Pick<Folder, "commonDir">): Promise<Buffer> {
  const own = VIEW_SETTINGS.map(({ key, value }) => `[${key.replace(".", "]\n\t")} = ${value}\n`)
  return Buffer.from([await files.readText(join(commonDir, "config")), ...own].join("\n"))
}

/**
 * Creates a worktree's settings file before an agent can create it, because the user's git may read this file
 * (`extensions.worktreeConfig`).
 */
async function fixSettings(files: Files, gitDir: string): Promise<void> {
  const file = join(gitDir, "config.worktree")
  const found = await files.lstat(file)
  if (found?.kind === "file") return
  await files.remove(file)
  try {
    await files.create(file, 0o644, Buffer.of())
  } catch (error) {
    // Another call created the file at the same time.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

async function copyFile(
  files: Files,
  from: string,
  { view, name }: Pick<GitFolder, "view"> & { name: string },
): Promise<void> {
  const found = await files.lstat(from)
  const before = found && (await files.readRegular(Buffer.from(from)))
  if (!before) return files.remove(join(view, name))
  const now = await files.readRegular(Buffer.from(join(view, name)))
  if (!now?.equals(before)) await files.replace(view, name, 0o644, before)
}

/** Returns the names of the repository's worktrees in these folders. Uses only files that agents can't change. */
async function worktreesOf(files: Files, commonDir: string, checkouts: string[]): Promise<string[]> {
  const real = await Promise.all(checkouts.map((path) => files.realpath(path).catch(() => path)))
  const links = new Set([...checkouts, ...real].map((path) => join(path, ".git")))
  const found: string[] = []
  for (const id of await foldersIn(files, join(commonDir, "worktrees"))) {
    const link = await files.readText(join(commonDir, "worktrees", id, "gitdir")).catch(() => undefined)
    if (link !== undefined && links.has(link.trim())) found.push(id)
  }
  return found
}

/** Lists the names of a folder's subfolders. Returns an empty list if the folder doesn't exist. */
export async function foldersIn(files: Files, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => [])
  return entries.flatMap(({ name, kind }) => (kind === "folder" ? [name.toString()] : []))
}

/** Lists the object folders of other repositories that this repository uses as alternates. */
async function alternatesOf(files: Files, objects: string, depth = 0): Promise<string[]> {
  if (depth > MAX_ALTERNATES) return []
  const text = (await files.readText(join(objects, "info/alternates")).catch(() => undefined)) ?? ""
  const named = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const found = await Promise.all(
    named.map(async (line) => {
      const path = resolve(objects, line)
      return (await files.exists(path)) ? [path, ...(await alternatesOf(files, path, depth + 1))] : []
    }),
  )
  return found.flat()
}

/** Maximum depth of nested alternates that git follows. */
const MAX_ALTERNATES = 5

const under = (folder: string, path: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), path])

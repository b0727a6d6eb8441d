import { createHash } from "node:crypto"
import { join, relative } from "node:path"
import type { AnyCli } from "@switchyard/core/agents/clis/cli"
import { isInstructionFile, startedBy } from "@switchyard/core/files/start-files"
import type { FileKind, Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import { fromText, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { listWithModules } from "../plumbing/snapshot.ts"

/** A folder that a program works in. */
export interface Folder {
  files: Files
  /** Git for a checkout; undefined if the folder isn't a checkout. */
  git: Git | undefined
  /** Absolute path. */
  root: string
}

/** Files in a folder that make a CLI start other programs. */
export interface StartFiles {
  /** The files, and the folders that contain only such files. */
  paths: GitPath[]
  /** Names of the programs that these files start. */
  starts: string[]
  /**
   * Digest of the files' contents, with links resolved. Null if a link points outside the folder, where changes would
   * go unnoticed.
   */
  digest: string | null
  /** Contents that the digest covers, by path. */
  contents: Map<GitPath, Content>
}

/** A file, identified by its git blob IDs, or a link, identified by its target path in the folder. */
export type Content = { type: "file"; isProgram: boolean; ids: string[] } | { type: "link"; to: GitPath }

/** Finds files that make the CLI start other programs when it runs in `cwd`. Returns undefined if there are none. */
export async function findStartFiles(
  cli: Pick<AnyCli, "startFiles">,
  folder: Folder & { cwd: string },
  options: { signal: AbortSignal },
): Promise<StartFiles | undefined> {
  const { files } = folder
  const starts = new Set<string>()
  const places = new Set<GitPath>()
  for (const path of await candidates(folder, options)) {
    const names = path.split("/")
    const at = names.findIndex((name) => startedBy(cli, toText(name)))
    const what = startedBy(cli, toText(names[at] ?? ""))
    if (what === undefined) continue
    places.add(names.slice(0, at + 1).join("/"))
    starts.add(what)
  }
  const paths = (await Promise.all([...places].map((place) => withoutInstructions(files, folder.root, place)))).flat()
  if (paths.length === 0) return undefined
  paths.sort()
  return { paths, starts: [...starts], ...(await readAll(files, folder.root, paths)) }
}

/**
 * Lists the paths to examine: all paths that git lists, including those in submodules, and the entries of the folders
 * from the root down to `cwd`, even if git ignores them.
 */
async function candidates(
  { files, git, root, cwd }: Folder & { cwd: string },
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  if (!git) return allIn(files, root)
  const listed = await listDeep(files, git, root, { signal })
  const inner = relative(await files.realpath(root), await files.realpath(cwd))
  const names = inner === "" ? [] : fromText(inner).split("/")
  const folders = ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))]
  const beside = await Promise.all(folders.map((folder) => namesIn(files, root, folder)))
  return [...listed, ...beside.flat()]
}

async function listDeep(files: Files, git: Git, root: string, { signal }: { signal: AbortSignal }): Promise<GitPath[]> {
  const { paths, modules } = await listWithModules(git, root, { signal })
  const inModules = modules.map(async (module) => {
    const folder = join(root, toText(module))
    try {
      if (!(await files.exists(join(folder, ".git")))) return allIn(files, root, module)
      return (await listDeep(files, git, folder, { signal })).map((path) => `${module}/${path}`)
    } catch {
      // An agent may have broken the submodule's repository. Programs can still read the files in it.
      signal.throwIfAborted()
      return allIn(files, root, module)
    }
  })
  return [...paths, ...(await Promise.all(inModules)).flat()]
}

async function allIn(files: Files, root: string, folder: GitPath = ""): Promise<GitPath[]> {
  const found = await entriesOf(files, root, folder)
  const below = found.filter(({ kind }) => kind === "folder").map(({ path }) => allIn(files, root, path))
  return [...found.map(({ path }) => path), ...(await Promise.all(below)).flat()]
}

async function namesIn(files: Files, root: string, folder: GitPath): Promise<GitPath[]> {
  return (await entriesOf(files, root, folder)).map(({ path }) => path)
}

async function entriesOf(files: Files, root: string, folder: GitPath): Promise<{ path: GitPath; kind: FileKind }[]> {
  const place = folder === "" ? root : inFolder(root, folder)
  const found = await files.list(place).catch(() => [])
  const prefix = folder === "" ? "" : `${folder}/`
  return found.map(({ name, kind }) => ({ path: `${prefix}${name.toString("latin1")}`, kind }))
}

/** Returns the path itself. If the path is a folder, returns its entries. Omits instruction files. */
async function withoutInstructions(files: Files, root: string, place: GitPath): Promise<GitPath[]> {
  const found = await files.lstat(inFolder(root, place))
  // Git also lists files that were deleted.
  if (!found) return []
  if (found.kind !== "folder") return [place]
  const names = await namesIn(files, root, place)
  return names.filter((path) => !isInstructionFile(toText(path.slice(place.length + 1))))
}

async function readAll(files: Files, root: string, paths: GitPath[]): Promise<Pick<StartFiles, "digest" | "contents">> {
  const contents: StartFiles["contents"] = new Map()
  const hash = createHash("sha256")
  const seen = new Set<string>()
  const real = await files.realpath(root)
  let leadsOut = false

  function add(...parts: (string | Buffer)[]): void {
    for (const part of parts) hash.update(`${part.length} `).update(part)
  }

  async function addPlace(path: GitPath): Promise<void> {
    const place = inFolder(real, path)
    const found = await files.lstat(place)
    if (found?.kind === "folder") {
      const inside = (await namesIn(files, real, path)).sort()
      add(path, "folder", `${inside.length}`)
      for (const each of inside) await addPlace(each)
    } else if (found?.kind === "link") await addLink(path)
    else {
      const content = found?.kind === "file" ? await files.readRegular(place) : undefined
      // The program may be able to read this file although we can't, so a digest without it would prove nothing.
      if (!content) leadsOut = true
      const isProgram = ((found?.mode ?? 0) & 0o111) !== 0
      if (content) contents.set(path, { type: "file", isProgram, ids: blobIds(content) })
      add(path, isProgram ? "program" : "file", content ?? "")
    }
  }

  async function addLink(path: GitPath): Promise<void> {
    const target = await files.realpath(inFolder(real, path).toString()).catch(() => undefined)
    const inside = target && relative(real, target)
    if (inside !== undefined) contents.set(path, { type: "link", to: fromText(inside) })
    if (inside === undefined || inside === "" || inside.split("/")[0] === ".." || seen.has(inside)) {
      if (inside === undefined || !seen.has(inside)) leadsOut = true
      return add(path, "link", inside ?? "")
    }
    seen.add(inside)
    add(path, "link", inside)
    await addPlace(fromText(inside))
  }

  for (const path of paths) await addPlace(path)
  return { digest: leadsOut ? null : hash.digest("hex"), contents }
}

/** Returns a file's blob IDs in both object formats that git supports. */
function blobIds(content: Buffer): string[] {
  return ["sha1", "sha256"].map((format) =>
    createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex"),
  )
}

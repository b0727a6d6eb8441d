import { join, posix } from "node:path"
import { type Git, notAbove } from "../plumbing/git.ts"
import { fieldsOf, type GitPath, toText } from "../plumbing/git-path.ts"
import type { Content, StartFiles } from "./find-start-files.ts"

type StartContents = Pick<StartFiles, "paths" | "contents">

interface Options {
  signal: AbortSignal
}

/**
 * True if a commit contains exactly these files at their paths, including those in submodules. Compares the bytes,
 * because an agent can use git's index and attributes to make a changed file look unchanged.
 */
export async function isAsCommitted(
  { git, root }: { git: Git; root: string },
  found: StartContents,
  commit: string,
  { signal }: Options,
): Promise<boolean> {
  const modules = await modulesAround({ git, root }, found.paths, commit, { signal })
  const isOfModule = (path: GitPath) => modules.some(({ module }) => path.startsWith(`${module}/`))
  const own = {
    paths: found.paths.filter((path) => !isOfModule(path)),
    contents: new Map([...found.contents].filter(([path]) => !isOfModule(path))),
  }
  if (!(await isInCommit({ git, root }, own, commit, { signal }))) return false
  for (const { module, id } of modules) {
    const inside = filesBelow(module, found)
    const at = { git, root: join(root, toText(module)) }
    try {
      if (!inside || !(await isAsCommitted(at, inside, id, { signal }))) return false
    } catch {
      // An error means that an agent has broken the submodule's repository, unless the signal aborted.
      signal.throwIfAborted()
      return false
    }
  }
  return true
}

/**
 * Returns the files in a submodule, with paths relative to the submodule. Returns undefined if a link points outside
 * it.
 */
function filesBelow(module: GitPath, { paths, contents }: StartContents): StartContents | undefined {
  const prefix = `${module}/`
  const within = (path: GitPath) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])
  const inside: StartContents = { paths: paths.flatMap(within), contents: new Map() }
  for (const [path, content] of contents) {
    const [name] = within(path)
    if (name === undefined) continue
    const [to] = content.type === "link" ? within(content.to) : [""]
    if (to === undefined) return undefined
    inside.contents.set(name, content.type === "link" ? { type: "link", to } : content)
  }
  return inside
}

/** Returns a commit's submodules that contain any of these paths, each with the commit that it should be at. */
async function modulesAround(
  { git, root: cwd }: { git: Git; root: string },
  paths: GitPath[],
  commit: string,
  { signal }: Options,
): Promise<{ module: GitPath; id: string }[]> {
  const folders = new Set(paths.flatMap((path) => path.split("/").map((_, at, names) => names.slice(0, at).join("/"))))
  folders.delete("")
  if (folders.size === 0) return []
  const asked = ["ls-tree", "-z", commit, "--", ...[...folders].map(toText)]
  const entries = fieldsOf((await git(asked, { cwd, env: notAbove(cwd), signal })).stdout)
  return entries.flatMap((entry) => {
    const [, id = "", module = ""] = /^160000 \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
    return module === "" ? [] : [{ module, id }]
  })
}

async function isInCommit(
  { git, root: cwd }: { git: Git; root: string },
  { paths, contents }: StartContents,
  commit: string,
  { signal }: Options,
): Promise<boolean> {
  // Without paths, git would list everything.
  if (paths.length === 0) return contents.size === 0
  const targets = [...contents.values()].flatMap((content) => (content.type === "link" ? [content.to] : []))
  const named = [...new Set([...paths, ...targets])].map(toText)
  const committed = fieldsOf(
    (await git(["ls-tree", "-r", "-z", commit, "--", ...named], { cwd, env: notAbove(cwd), signal })).stdout,
  )
  if (committed.length !== contents.size) return false
  for (const line of committed) {
    const [, mode, id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    const content = contents.get(path)
    if (!content || mode !== modeOf(content)) return false
    if (content.type === "file" && !content.ids.includes(id)) return false
    if (content.type === "link" && content.to !== (await targetOf(id, path))) return false
  }
  return true

  /** Returns the target of a committed symlink. A symlink that leads through other symlinks counts as changed. */
  async function targetOf(id: string, path: GitPath): Promise<GitPath> {
    const { stdout } = await git(["cat-file", "blob", id], { cwd, signal })
    return posix.join(posix.dirname(path), stdout.toString("latin1")).replace(/\/$/, "")
  }
}

function modeOf(content: Content): string {
  if (content.type === "link") return "120000"
  return content.isProgram ? "100755" : "100644"
}

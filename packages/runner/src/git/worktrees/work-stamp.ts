import { createHash, randomUUID } from "node:crypto"
import { join } from "node:path"
import type { Glance } from "@switchyard/core/files/worktrees/worktrees"
import type { Files } from "../../files/files.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { readStatus } from "../plumbing/read-status.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { AGENT_GIT, filesBelow } from "./lost-commits.ts"
import { findPending, findWork, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Above this number of changed files, a full look is as cheap as a comparison. */
const MAX_CHANGED = 1000

/**
 * Returns a stamp that changes whenever the work or its repository's branches change, and the folders that git ignores.
 * Starts git once. If that isn't enough to notice changes, the stamp is new each time.
 */
export async function glanceAt(worktree: Worktree, { signal }: Options): Promise<Glance> {
  const { git, tree, folder, repository } = worktree
  const { files } = git
  const work = await findWork(worktree)
  if (!work) return { stamp: "none", path: null, ignored: [] }
  const gitDir = await gitDirOf(files, tree)
  const branches = await foldersBelow(files, join(repository.commonDir, "refs/heads"))
  const shared = ["HEAD", "config", "packed-refs", "reftable/tables.list"].map((name) =>
    join(repository.commonDir, name),
  )
  const own = ["HEAD", "index", "logs/HEAD", "MERGE_HEAD"].map((name) => join(gitDir, name))
  const agentGit = join(folder, AGENT_GIT)
  const inView = await Promise.all(["refs", "logs"].map((name) => filesBelow(files, agentGit, name)))
  const view = [join(agentGit, "config"), ...inView.flat().map((name) => inFolder(agentGit, name))]
  const flags = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=all", "--ignored=matching"]
  const fields = await readStatus(git, [...flags, "--no-renames"], { cwd: tree, signal })
  const lines = fields.filter((field) => !/^[#!] /.test(field))
  const ignored = fields.flatMap((field) => (/^! .*\/$/s.test(field) ? [toText(field.slice(2, -1))] : []))
  const seen = { path: tree, ignored }
  // A repository inside the worktree has changes of its own, which the outer status doesn't show.
  const hasInner = lines.some((line) => line.endsWith("/") || /^\S \S\S S/.test(line))
  if (hasInner || lines.length > MAX_CHANGED || (await findPending(worktree))) return { stamp: randomUUID(), ...seen }
  const changed = lines.map((line) => inFolder(tree, pathOf(line)))
  const places = [...branches, ...shared, ...own, ...view, ...changed]
  const found = await Promise.all(places.map((place) => files.lstat(place).catch(() => undefined)))
  const stats = found.map((each) => each && [each.kind, each.mode, each.ino, each.size, each.mtimeNs, each.ctimeNs])
  const stamp = [fields, stats.map((each) => each?.join(" ")), work]
  return { stamp: createHash("sha256").update(JSON.stringify(stamp)).digest("hex"), ...seen }
}

/** Number of fields before the path in a line of `git status --porcelain=v2`, by the line's kind. */
const FIELDS: Record<string, number> = { "?": 1, "1": 8, u: 10 }

function pathOf(line: string): GitPath {
  let at = 0
  for (let left = FIELDS[line[0] ?? ""] ?? 1; left > 0; left--) at = line.indexOf(" ", at) + 1
  return line.slice(at)
}

/** Lists a folder and the folders in it. Git writes a ref by a rename, which changes the time of the ref's folder. */
async function foldersBelow(files: Files, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => [])
  const inner = entries.filter(({ kind }) => kind === "folder").map(({ name }) => join(folder, name.toString()))
  return [folder, ...(await Promise.all(inner.map((each) => foldersBelow(files, each)))).flat()]
}

import type { ProjectFiles } from "@switchyard/core/work/gate/find-checks"
import type { CheckCommands, Verdict } from "@switchyard/core/work/gate/schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { prepareHome } from "../agents/task.ts"
import { readBlobs } from "../git/plumbing/blobs.ts"
import type { Git } from "../git/plumbing/git.ts"
import { type GitPath, toText } from "../git/plumbing/git-path.ts"
import { type TreeEntry, treeEntries } from "../git/plumbing/tree-changes.ts"
import { checkFiles } from "./check-run.ts"
import { diskOf, type Place, type PlaceDeps } from "./place.ts"

/** A commit of a repository. */
export interface Commit {
  git: Git
  /** The repository's folder. */
  repository: string
  commit: string
}

/** The most that a manifest has. */
const MANIFEST_BYTES = 1024 * 1024
const FILE_BYTES = 100 * 1024 * 1024
/** The files that are in memory at once. */
const AT_ONCE = 200

/** Checks a clean copy of a commit, and resolves to what that showed. */
export async function checkCommit(
  deps: PlaceDeps,
  context: Pick<RunContext<unknown>, "sid" | "signal" | "state" | "write" | "awaitExternal">,
  { git, repository, commit, commands }: Commit & { commands: CheckCommands | undefined },
): Promise<Verdict> {
  const { signal } = context
  const entries = (await treeEntries(git, repository, commit, { signal })).filter(isFile)
  const project = await readProject({ git, repository, commit }, entries, { signal })
  const fill = (place: Place) => fillPlace({ git, repository, commit }, entries, place, { signal })
  const about = { purpose: "commits" as const, project, commands, fill, checked: { commit } }
  return checkFiles(deps, context, about)
}

type Entry = TreeEntry & { path: GitPath }

/** Links and other repositories are no part of a copy: nothing may lead out of it. */
function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith("100")
}

async function readProject(
  { git, repository }: Commit,
  entries: Entry[],
  { signal }: { signal: AbortSignal },
): Promise<ProjectFiles> {
  const top = entries.filter(({ path }) => !path.includes("/"))
  const blobs = top.map(({ blob }) => blob)
  const contents = await readBlobs(git, repository, blobs, { maxBytes: MANIFEST_BYTES, signal })
  const paths = entries.map(({ path }) => toText(path))
  const texts = new Map(top.map(({ path, blob }) => [toText(path), contents.get(blob)?.toString("utf8")]))
  const known = new Set(paths)
  return { has: (path) => known.has(path), text: (path) => texts.get(path), paths: () => paths }
}

async function fillPlace(
  { git, repository }: Commit,
  entries: Entry[],
  place: Place,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { user, home, cwd } = place
  const disk = diskOf(place)
  await prepareHome(user, home, [{ path: ".tmp/.keep", content: "" }])
  await disk.remove(cwd)
  await disk.makeFolder(cwd)
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE)
    const blobs = [...new Set(some.map(({ blob }) => blob))]
    const contents = await readBlobs(git, repository, blobs, { maxBytes: FILE_BYTES, signal })
    for (const { path, blob, mode } of some) {
      const bytes = contents.get(blob)
      if (bytes) await disk.replace(cwd, toText(path), mode === "100755" ? 0o755 : 0o644, bytes)
    }
  }
}

import { AppError } from "@switchyard/core/errors"
import { resolveRegions } from "@switchyard/core/files/worktrees/conflict-markers"
import type { HunkChoice, ResolveRequest, Side } from "@switchyard/core/files/worktrees/merge-schema"
import { writeBlob } from "../plumbing/blobs.ts"
import { fieldsOf, type GitPath } from "../plumbing/git-path.ts"
import type { TreeEntry } from "../plumbing/tree-changes.ts"
import { type Pending, type Resolved, type Stages, type Worktree, writePending } from "../worktrees/worktree-record.ts"
import { conflictsOf, findConflict, segmentsOf } from "./conflicts.ts"
import { writeResolutions } from "./scratch-merge.ts"

interface Options {
  signal: AbortSignal
}

/** Resolves conflicts as requested. Records the resolutions before writing them, so that a crash doesn't lose any. */
export async function resolve(
  worktree: Worktree,
  pending: Pending,
  request: ResolveRequest,
  { signal }: Options,
): Promise<Pending> {
  const resolutions = await resolutionsOf(worktree, pending, request, { signal })
  const again = new Set(resolutions.map(({ path }) => path))
  const resolved = [...pending.resolved.filter(({ path }) => !again.has(path)), ...resolutions]
  const next = { ...pending, resolved }
  await writePending(worktree, next)
  await writeResolutions(worktree, resolutions, { signal })
  return next
}

async function resolutionsOf(
  worktree: Worktree,
  pending: Pending,
  request: ResolveRequest,
  { signal }: Options,
): Promise<Resolved[]> {
  if ("use_incoming" in request)
    return everything(worktree, pending, request.use_incoming ? "theirs" : "ours", { signal })
  if (!("file_path" in request)) return everything(worktree, pending, request.use, { signal })
  const conflict = await findConflict(worktree, pending, request.file_path, { signal })
  const { path, stages } = conflict
  const asEntry = async (bytes: Buffer) => ({
    mode: modeOf(stages, request.file_path),
    blob: await writeBlob(worktree.git, worktree.scratch, bytes, { signal }),
  })
  const merged = async (choices: HunkChoice[] | Side) => {
    const segments = await segmentsOf(worktree, conflict, { signal })
    const count = segments.filter(({ type }) => type === "conflict").length
    const all = typeof choices === "string" ? Array<HunkChoice>(count).fill(choices) : choices
    if (all.length !== count) throw refused("has a different number of regions", request.file_path, { regions: count })
    return asEntry(Buffer.from(resolveRegions(segments, all.map(asBytes)), "latin1"))
  }

  if ("delete" in request) return [{ path, stages, entry: null }]
  if ("content" in request) return [{ path, stages, entry: await asEntry(Buffer.from(request.content)) }]
  if ("hunks" in request) return [{ path, stages, entry: await merged(request.hunks) }]
  if (request.use === "both") return [{ path, stages, entry: await merged("both") }]
  if (request.use === "base") return [{ path, stages, entry: stages[0] }]
  return bySide(worktree, pending, [{ path, stages }], request.use, { signal })
}

async function everything(
  worktree: Worktree,
  pending: Pending,
  side: "ours" | "theirs",
  { signal }: Options,
): Promise<Resolved[]> {
  const open = (await conflictsOf(worktree, pending, { signal })).filter(({ resolved }) => !resolved)
  return bySide(worktree, pending, open, side, { signal })
}

/**
 * Returns one side's index entries at these paths. A path that doesn't exist on that side gets no entry, so a rename is
 * resolved path by path. The entry in the side's commit takes precedence over the one in the index, which may contain
 * conflict markers if both sides renamed the file.
 */
async function bySide(
  { git, scratch }: Worktree,
  { ours, theirs }: Pending,
  conflicts: { path: GitPath; stages: Stages }[],
  side: "ours" | "theirs",
  { signal }: Options,
): Promise<Resolved[]> {
  const commit = { ours, theirs }[side]
  const { stdout } = await git(["ls-tree", "-r", "-z", commit], { cwd: scratch, signal })
  const paths = new Set(conflicts.map(({ path }) => path))
  const own = new Map<GitPath, TreeEntry>()
  for (const field of fieldsOf(stdout)) {
    const [, mode = "", blob = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(field) ?? []
    if (paths.has(path)) own.set(path, { mode, blob })
  }
  return conflicts.map(({ path, stages }) => {
    const stage = stages[side === "ours" ? 1 : 2]
    return { path, stages, entry: stage && (own.get(path) ?? stage) }
  })
}

/** Returns the mode for a resolved text file. If one side changed the mode, returns the changed mode. */
function modeOf([base, ours, theirs]: Stages, path: string): string {
  const changed = ours && ours.mode !== base?.mode ? ours : theirs
  const mode = [changed, ours, theirs, base].find((entry) => entry?.mode.startsWith("100"))?.mode
  if (!mode) throw refused("isn't a text file", path)
  return mode
}

/** Converts the requested lines to strings with one character per byte. */
function asBytes(choice: HunkChoice): HunkChoice {
  if (typeof choice === "string") return choice
  return { lines: choice.lines.map((line) => Buffer.from(line).toString("latin1")) }
}

function refused(reason: string, path: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("invalid_request", `The file ${reason}.`, { file_path: path, ...details })
}

import { AppError } from "@switchyard/core/errors"
import { resolveRegions } from "@switchyard/core/worktrees/regions"
import type { HunkChoice, ResolveRequest, Side } from "@switchyard/core/worktrees/schema"
import { writeBlob } from "./blobs.ts"
import { conflictsOf, findConflict, segmentsOf } from "./conflicts.ts"
import { type Pending, type Place, type Resolved, type Stages, writePending } from "./place.ts"
import { settle } from "./scratch.ts"
import type { TreeEntry } from "./tree-changes.ts"

interface Options {
  signal: AbortSignal
}

/** Resolves what the request says. It is noted first, so that a process that dies has lost nothing. */
export async function resolve(
  place: Place,
  pending: Pending,
  request: ResolveRequest,
  { signal }: Options,
): Promise<Pending> {
  const resolutions = await resolutionsOf(place, pending, request, { signal })
  const again = new Set(resolutions.map(({ path }) => path))
  const resolved = [...pending.resolved.filter(({ path }) => !again.has(path)), ...resolutions]
  const next = { ...pending, resolved }
  await writePending(place, next)
  await settle(place, resolutions, { signal })
  return next
}

async function resolutionsOf(
  place: Place,
  pending: Pending,
  request: ResolveRequest,
  { signal }: Options,
): Promise<Resolved[]> {
  if ("use_incoming" in request) return everything(place, pending, request.use_incoming ? "theirs" : "ours", { signal })
  if (!("file_path" in request)) return everything(place, pending, request.use, { signal })
  const conflict = await findConflict(place, pending, request.file_path, { signal })
  const { path, stages } = conflict
  const asEntry = async (bytes: Buffer) => ({
    mode: modeOf(stages, request.file_path),
    blob: await writeBlob(place.git, place.scratch, bytes, { signal }),
  })
  const merged = async (choices: HunkChoice[] | Side) => {
    const segments = await segmentsOf(place, conflict, { signal })
    const count = segments.filter(({ type }) => type === "conflict").length
    const all = typeof choices === "string" ? Array<HunkChoice>(count).fill(choices) : choices
    if (all.length !== count) throw refused("has another number of regions", request.file_path, { regions: count })
    return asEntry(Buffer.from(resolveRegions(segments, all.map(asBytes)), "latin1"))
  }

  if ("delete" in request) return [{ path, stages, entry: null }]
  if ("content" in request) return [{ path, stages, entry: await asEntry(Buffer.from(request.content)) }]
  if ("hunks" in request) return [{ path, stages, entry: await merged(request.hunks) }]
  if (request.use === "both") return [{ path, stages, entry: await merged("both") }]
  return [{ path, stages, entry: sideOf(stages, request.use) }]
}

async function everything(
  place: Place,
  pending: Pending,
  side: "ours" | "theirs",
  { signal }: Options,
): Promise<Resolved[]> {
  const open = (await conflictsOf(place, pending, { signal })).filter(({ resolved }) => !resolved)
  return open.map(({ path, stages }) => ({ path, stages, entry: sideOf(stages, side) }))
}

/** What a side has at this path. If that is nothing, the path goes: so a rename is resolved path by path. */
function sideOf([base, ours, theirs]: Stages, side: "ours" | "theirs" | "base"): TreeEntry | null {
  return { base, ours, theirs }[side]
}

/** The mode of a text that is written anew: the side's that changed it, for the other has nothing to say. */
function modeOf([base, ours, theirs]: Stages, path: string): string {
  const changed = ours && ours.mode !== base?.mode ? ours : theirs
  const mode = [changed, ours, theirs, base].find((entry) => entry?.mode.startsWith("100"))?.mode
  if (!mode) throw refused("holds no text", path)
  return mode
}

/** Lines come as text, and go where each letter is a byte. */
function asBytes(choice: HunkChoice): HunkChoice {
  if (typeof choice === "string") return choice
  return { lines: choice.lines.map((line) => Buffer.from(line).toString("latin1")) }
}

function refused(reason: string, path: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("invalid_request", `The file ${reason}.`, { file_path: path, ...details })
}

import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import { type MemorySection, searchMemory } from "./memory-search.ts"

const MAX_NOTES = 500
const MAX_NOTE_BYTES = 200_000

/** Returns the sections of a session's team memory that match a query. */
export async function findInMemory(
  deps: { blobs: Blobs },
  session: Pick<SessionHandle, "sid" | "state">,
  query: string,
  options: { signal: AbortSignal },
): Promise<MemorySection[]> {
  return searchMemory(await readNotes(await openWorkspace(deps, session, options), options), query)
}

/** Reads a team's notes, which are the text files under `memory/`. */
export async function readNotes(
  files: Workspace,
  options: { signal: AbortSignal },
): Promise<{ path: string; text: string }[]> {
  const notes = files.manifest.files
    .filter(({ path, size }) => path.startsWith("memory/") && size <= MAX_NOTE_BYTES)
    .slice(0, MAX_NOTES)
  const texts = await Promise.all(
    // Skip files that aren't text.
    notes.map(({ path }) => files.readText(workspacePath(path), options).catch(() => undefined)),
  )
  return notes.flatMap(({ path }, at) => (texts[at] === undefined ? [] : [{ path, text: texts[at] }]))
}

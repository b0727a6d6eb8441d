import { join } from "node:path"
import type { AnyCli } from "@switchyard/core/agents/clis/cli"
import { sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import type { SavedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { savedPiece } from "@switchyard/core/kernel/keys"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import type { Concealment } from "../agents/concealment.ts"
import type { Files } from "../files/files.ts"
import type { HomeFile } from "../sandbox/agent-home.ts"

/** Session whose agents' memories are stored in pieces. */
export interface AgentStateKey {
  blobs: Blobs
  sid: string
  incarnation: number
}

const PIECE_BYTES = 1024 * 1024
const FILE_LIMIT_BYTES = 64 * 1024 * 1024
const MAX_FILES = 1000

/**
 * Stores the files of an agent's native session. Masks secrets, and skips pieces that are already stored. Reads nothing
 * else in the agent's home.
 */
export async function saveAgentState(
  place: AgentStateKey,
  {
    disk,
    home,
    memory,
    session,
    stored,
    concealment,
  }: {
    disk: Files
    home: string
    memory: AnyCli["sessionFiles"]
    session: string
    stored: Set<string>
    concealment?: Pick<Concealment, "file"> | undefined
  },
  { signal }: { signal: AbortSignal },
): Promise<SavedFile[]> {
  const root = await disk.realpath(home).catch(() => undefined)
  if (root === undefined || !memory) return []
  const files: SavedFile[] = []
  for await (const path of filesUnder(disk, root, memory.folder)) {
    if (!path.slice(memory.folder.length).includes(memory.mark(session))) continue
    const found = await disk.lstat(join(root, path)).catch(() => undefined)
    if (!found || found.size > FILE_LIMIT_BYTES || files.length === MAX_FILES) continue
    const read = await disk.readRegular(Buffer.from(join(root, path)))
    if (!read) continue
    const bytes = concealment?.file(read) ?? read
    const pieces = await savePieces(place, bytes, stored, signal)
    files.push({ path, size_bytes: bytes.length, pieces })
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function savePieces(place: AgentStateKey, bytes: Buffer, stored: Set<string>, signal: AbortSignal) {
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES)
    const sha256 = sha256Of(piece)
    pieces.push(sha256)
    if (stored.has(sha256)) continue
    await place.blobs.put(savedPiece(place, sha256), piece, { signal })
    stored.add(sha256)
  }
  return pieces
}

/** Reads stored files that are missing in a home. Skips files that exist there, because they are at least as recent. */
export async function readAgentState(
  place: AgentStateKey,
  { disk, home, files }: { disk: Files; home: string; files: SavedFile[] },
  { signal }: { signal: AbortSignal },
): Promise<HomeFile[]> {
  const lacking: HomeFile[] = []
  for (const { path, pieces } of files) {
    if (await disk.lstat(join(home, path)).catch(() => undefined)) continue
    const parts: Buffer[] = []
    for (const sha256 of pieces) {
      const source = await place.blobs.get(savedPiece(place, sha256), { signal })
      if (!source) throw new Error(`A stored piece of ${path} is missing.`)
      parts.push(await readAll(source))
    }
    lacking.push({ path, content: Buffer.concat(parts) })
  }
  return lacking
}

/** Yields the files in a folder, as paths relative to the root. Doesn't follow links. */
async function* filesUnder(disk: Files, root: string, folder: string): AsyncGenerator<string> {
  for (const { name, kind } of await disk.list(join(root, folder)).catch(() => [])) {
    const path = join(folder, name.toString())
    if (kind === "folder") yield* filesUnder(disk, root, path)
    else if (kind === "file") yield path
  }
}

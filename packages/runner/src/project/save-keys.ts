import type { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { savedPiece } from "@switchyard/core/kernel/keys"

interface SessionId {
  sid: string
  incarnation: number
}

/** Returns the hashes of all pieces of agents' memories in a save. */
export function piecesOf({ memories }: SavedProject): string[] {
  return memories.flatMap(({ files }) => files.flatMap(({ pieces }) => pieces))
}

/** Returns the keys of the blobs that the older of two saves uses and the newer one doesn't. */
export function obsoleteKeys(session: SessionId, before: SavedProject, now: SavedProject): string[] {
  const needed = new Set(keysOf(session, now))
  return [...new Set(keysOf(session, before))].filter((key) => !needed.has(key))
}

function keysOf(session: SessionId, save: SavedProject): string[] {
  return [...save.bundles.map(({ key }) => key), ...piecesOf(save).map((sha256) => savedPiece(session, sha256))]
}

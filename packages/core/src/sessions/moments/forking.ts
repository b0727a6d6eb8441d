import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import type { LogEvent } from "../../events.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { ForkInput } from "../../work/chat/schema.ts"
import type { RunContext } from "../../work/runs/run-context.ts"

/** Fork in progress. */
export interface Forking {
  context: RunContext<ForkInput>
  /** Session being forked, as far as it was read. */
  from: SessionHandle
  /** Events that executors have already written for the fork. */
  done: readonly LogEvent[]
}

/**
 * Most of the time is latency, so many copies run at once. Copied content is held in memory, which the budget limits.
 */
const COPIES = { atOnce: 32, budget: 8 * 1024 * 1024 }

/** Copies the file contents of a version and returns its manifest. */
export async function copyContents(
  { blobs }: { blobs: Blobs },
  { context, from }: Forking,
  version: string | null,
): Promise<Manifest> {
  const source = createWorkspaceStore(blobs, lifeOf(from))
  const target = createWorkspaceStore(blobs, lifeOf({ sid: context.sid, state: context.state() }))
  const manifest = await source.readManifest(version, context)
  const sizes = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  const copy = async ([sha256]: [string, number]) => {
    await target.write(sha256, await readAll(await source.read(sha256, context)), context)
  }
  await context.awaitExternal(() =>
    Array.fromAsync(mapConcurrent(sizes, copy, { ...COPIES, weigh: ([, size]) => size })),
  )
  return manifest
}

export function lifeOf({ sid, state }: Pick<SessionHandle, "sid" | "state">): { sid: string; incarnation: number } {
  return { sid, incarnation: state.session.incarnation }
}

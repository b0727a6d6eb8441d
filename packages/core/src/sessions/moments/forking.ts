import type { LogEvent } from "../../events.ts"
import { copyContents } from "../../files/workspaces/copy-contents.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import type { SessionLife } from "../../files/worktrees/repository-credentials.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { ForkInput } from "../../work/chat/schema.ts"
import type { RunContext } from "../../work/runs/run-context.ts"

/** Fork that is in progress. */
export interface Forking {
  context: RunContext<ForkInput>
  /** Session to fork, as far as its log has been read. */
  from: SessionHandle
  /** Events that this and earlier executors have written for the fork. */
  done: readonly LogEvent[]
}

/** Copies the file contents of a version to the fork, and returns the version's manifest. */
export function copyVersion(
  deps: { blobs: Blobs },
  { context, from }: Forking,
  version: string | null,
): Promise<Manifest> {
  const lives = { from: lifeOf(from), to: lifeOf({ sid: context.sid, state: context.state() }) }
  return context.awaitExternal(() => copyContents(deps, lives, version, context))
}

export function lifeOf({ sid, state }: Pick<SessionHandle, "sid" | "state">): SessionLife {
  return { sid, incarnation: state.session.incarnation }
}

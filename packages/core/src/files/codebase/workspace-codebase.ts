import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { commitChanges } from "../workspaces/commit.ts"
import { openWorkspace, type Workspace } from "../workspaces/files.ts"
import type { Change } from "../workspaces/manifest.ts"
import { editableBytes } from "../workspaces/text.ts"
import type { Codebase } from "./codebase.ts"

/** Creates a codebase from a session's files. */
export function createWorkspaceCodebase(deps: { blobs: Blobs }, session: SessionLog): Codebase {
  async function open(signal: AbortSignal) {
    await session.catchUp({ signal })
    return openWorkspace(deps, session, { signal })
  }

  return {
    list: async (options) => codebaseAt(await open(options.signal)).list(options),
    read: async (path, options) => codebaseAt(await open(options.signal)).read(path, options),
    async apply(writes, { step, guard, signal }) {
      const workspace = await open(signal)
      const changes = writes.flatMap(({ path, text, ifSha256 }): Change[] => {
        const bytes = editableBytes(text, path)
        const node = workspace.stat(path)
        const current = node?.type === "file" ? node.sha256 : null
        if (current === createHash("sha256").update(bytes).digest("hex")) return []
        if (node?.type === "directory" || current !== ifSha256) {
          throw new AppError("workspace_conflict", "The file has changed.", { path, current_sha256: current })
        }
        return [{ op: "write", path, bytes, ifSha256 }]
      })
      await commitChanges(deps, session, changes, {
        ...(step !== undefined && { step }),
        ...(guard && { guard }),
        signal,
      })
    },
  }
}

/** Returns one version of a session's files as a codebase. Later commits don't affect it. */
export function codebaseAt(workspace: Workspace): Pick<Codebase, "list" | "read"> {
  return {
    async list() {
      return workspace.manifest.files.map(({ path, size, sha256 }) => ({ path, sizeBytes: size, stamp: sha256 }))
    },
    async read(path, { signal }) {
      const text = await workspace.readText(path, { signal })
      const node = workspace.stat(path)
      return { text, sha256: node?.type === "file" ? node.sha256 : "" }
    },
  }
}

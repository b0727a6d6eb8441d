import { createHash } from "node:crypto"
import * as z from "zod"
import { folderOf } from "../../files/worktrees/remote.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"

/**
 * The consents of owners to files that start programs. Each is a digest of their paths and contents, so it ends with the next
 * change of them.
 */
export interface StartConsents {
  /** Returns the digests that have the owner's consent in a repository; null stands for the sessions' own files. */
  digestsFor(owner: string, repository: string | null, options: { signal: AbortSignal }): Promise<string[]>
  /** Stores the consents of a run's session for its owner. May be repeated. */
  update(session: Pick<SessionLog, "state">, runId: string, options: { signal: AbortSignal }): Promise<void>
}

/** Digests for each repository, of which the oldest go first. Enough for its branches and programs. */
const MAX_DIGESTS = 50
const ATTEMPTS = 5
const Digests = z.object({ repository: z.string().nullable(), digests: z.array(z.string()) })

export function createStartConsents({
  records,
  index,
}: {
  records: Records
  index: Pick<RunIndex, "get">
}): StartConsents {
  async function read(owner: string, repository: string | null, options: { signal: AbortSignal }) {
    // A folder has one name, however its address is written.
    const name = repository === null ? null : (folderOf({ url: repository }) ?? repository)
    const sort = name === null ? "workspaces" : createHash("sha256").update(name).digest("hex")
    const key = { partition: `start-consents/${owner}`, sort }
    const stored = await records.get(key, options)
    return { key, name, stored, digests: stored ? Digests.parse(stored.value).digests : [] }
  }
  return {
    async digestsFor(owner, repository, options) {
      return (await read(owner, repository, options)).digests
    },
    async update({ state }, runId, options) {
      const given = state.questions.startFiles
      const ref = given.length > 0 ? await index.get(runId, options) : undefined
      if (!ref) return
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { key, name, stored, digests } = await read(ref.owner, state.session.repository, options)
        if (given.every((digest) => digests.includes(digest))) return
        const value = { repository: name, digests: [...new Set([...digests, ...given])].slice(-MAX_DIGESTS) }
        const condition = stored ? { ifVersion: stored.version } : { ifAbsent: true as const }
        if ((await records.put(key, { value }, { ...condition, ...options })) !== undefined) return
      }
    },
  }
}

import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { folderOf } from "../../files/worktrees/remote.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import type { Consent } from "./consent-schema.ts"

/**
 * Owners' consents to project files that start programs. Each consent is for a digest of the files' paths and contents,
 * so it no longer applies once the files change.
 */
export type StartConsents = ReturnType<typeof createStartConsents>

/** Maximum number of consents per repository, enough for its branches and programs. The oldest consents are dropped. */
const MAX_CONSENTS = 50
const ATTEMPTS = 5
const Given = z.object({ digest: z.string(), files: z.array(z.string()), given_at: z.number() })
const Stored = z.object({ repository: z.string().nullable(), consents: z.array(Given).default([]) })
type Stored = z.infer<typeof Stored>

export function createStartConsents(deps: {
  records: Records
  index: Pick<RunIndex, "get">
  clock: { now(): number }
}) {
  const { records, index, clock } = deps
  const partitionOf = (owner: string) => `start-consents/${owner}`
  const keyOf = (owner: string, repository: string | null) => {
    const name = nameOf(repository)
    return { partition: partitionOf(owner), sort: name === null ? "workspaces" : hashOf(name) }
  }

  /**
   * Replaces the consents for a repository with the result of `to`. If `to` returns undefined, leaves the consents
   * unchanged.
   */
  async function change(
    owner: string,
    repository: string | null,
    to: (before: Stored["consents"]) => Stored["consents"] | undefined,
    options: { signal: AbortSignal },
  ): Promise<void> {
    const key = keyOf(owner, repository)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const record = await records.get(key, options)
      const consents = to(record ? Stored.parse(record.value).consents : [])
      if (consents === undefined) return
      const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
      const value = { repository: nameOf(repository), consents }
      if ((await records.put(key, { value }, { ...condition, ...options })) !== undefined) return
    }
    throw new AppError("storage_conflict", "The consents were changed elsewhere. Try again.")
  }

  return {
    /**
     * Returns the digests that the owner has consented to in a repository, or in the sessions' own files if the
     * repository is null.
     */
    async digestsFor(owner: string, repository: string | null, options: { signal: AbortSignal }): Promise<string[]> {
      const record = await records.get(keyOf(owner, repository), options)
      return record ? Stored.parse(record.value).consents.map(({ digest }) => digest) : []
    },
    /** Stores the consents that an owner gave with a run. Idempotent. */
    async update({ state }: Pick<SessionLog, "state">, runId: string, options: { signal: AbortSignal }): Promise<void> {
      const given = state.questions.startFiles.filter((one) => one.runId === runId)
      const ref = given.length > 0 ? await index.get(runId, options) : undefined
      if (!ref) return
      const merge = (before: Stored["consents"]) => {
        const added = given.filter(({ digest }) => !before.some((one) => one.digest === digest))
        if (added.length === 0) return undefined
        const now = added.map(({ digest, files }) => ({ digest, files, given_at: clock.now() }))
        return [...before, ...now].slice(-MAX_CONSENTS)
      }
      await change(ref.owner, state.session.repository, merge, options)
    },
    async list(owner: string, options: { signal: AbortSignal }): Promise<Consent[]> {
      const stored = await Array.fromAsync(records.range(partitionOf(owner), options))
      return stored.flatMap(({ value }) => consentsIn(Stored.parse(value)))
    },
    /**
     * Withdraws a consent. Nothing that starts afterwards can rely on it. Returns false if there was no such consent.
     */
    async withdraw(owner: string, id: string, options: { signal: AbortSignal }): Promise<boolean> {
      for await (const { value } of records.range(partitionOf(owner), options)) {
        const stored = Stored.parse(value)
        const { repository } = stored
        if (!consentsIn(stored).some((one) => one.id === id)) continue
        const without = (before: Stored["consents"]) => before.filter(({ digest }) => idOf(repository, digest) !== id)
        await change(owner, repository, without, options)
        return true
      }
      return false
    },
  }
}

function consentsIn({ repository, consents }: Stored): Consent[] {
  return consents.map(({ given_at, digest, files }) => ({
    ...{ id: idOf(repository, digest), kind: "start_files", repository, given_at: new Date(given_at).toISOString() },
    ...{ digest, files },
  }))
}

/** Returns the same name for a folder however its URL is spelled. */
function nameOf(repository: string | null): string | null {
  return repository === null ? null : (folderOf({ url: repository }) ?? repository)
}

function idOf(repository: string | null, digest: string): string {
  return hashOf(JSON.stringify([repository, digest]))
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

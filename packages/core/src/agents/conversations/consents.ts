import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import { type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { Records } from "../../storage/records.ts"
import type { Consent } from "./consent-schema.ts"

/**
 * Owners' consents to agents that work in repositories on this machine without asking before each step. The owner
 * consents once per repository. A null repository stands for the sessions' own workspaces.
 */
export type Consents = ReturnType<typeof createConsents>

/**
 * Used in place of a repository's name, for the consent to all checks on this machine. No repository can have this
 * name.
 */
export const CHECKS_PLACE = "checks"
const SERVER_PLACES = "servers/"

/**
 * Returns the text used in place of a repository's name, for the consent to a session's server on a machine without a
 * sandbox.
 */
export function serverPlace(sessionId: string): string {
  return SERVER_PLACES + sessionId
}

const Stored = z.object({ repository: z.string().nullable(), given_at: z.number() })

export function createConsents({ records, clock }: { records: Records; clock: { now(): number } }) {
  const partitionOf = (owner: string) => `consents/${owner}`
  const keyOf = (owner: string, repository: string | null) => ({
    partition: partitionOf(owner),
    sort: repository === null ? "workspaces" : createHash("sha256").update(repository).digest("hex"),
  })
  return {
    async has(owner: string, repository: string | null, options: { signal?: AbortSignal }): Promise<boolean> {
      return (await records.get(keyOf(owner, repository), options)) !== undefined
    },
    async give(owner: string, repository: string | null, options: { signal?: AbortSignal }): Promise<void> {
      await records.put(keyOf(owner, repository), { value: { repository, given_at: clock.now() } }, options)
    },
    async list(owner: string, options: { signal?: AbortSignal }): Promise<Consent[]> {
      const given = await Array.fromAsync(records.range(partitionOf(owner), options))
      return given.map(({ key, value }) => {
        const { repository: place, given_at } = Stored.parse(value)
        const about = { id: key.sort, given_at: new Date(given_at).toISOString() }
        if (place === CHECKS_PLACE) return { ...about, kind: "checks", repository: null }
        if (place?.startsWith(SERVER_PLACES)) {
          return { ...about, kind: "server", repository: null, session_id: place.slice(SERVER_PLACES.length) }
        }
        return { ...about, kind: "commands", repository: place }
      })
    },
    /**
     * Withdraws a consent. Nothing that starts afterwards can rely on it. Returns false if there was no such consent.
     */
    async withdraw(owner: string, id: string, options: { signal?: AbortSignal }): Promise<boolean> {
      const key = { partition: partitionOf(owner), sort: id }
      if (!(await records.get(key, options))) return false
      await records.remove(key, options)
      return true
    },
  }
}

/**
 * Requires the owner's consent to unattended actions, once per place (a repository, the sessions' own files, or
 * checks). Throws `consent_required` if the owner hasn't consented. If the request contains a `consent` and the caller
 * may weaken protections, stores the consent. `request` describes what the consent is for, unless it is for agents.
 * `details` are added to the error.
 */
export async function requireConsent(
  consents: Consents,
  owner: string,
  {
    repository,
    consent,
    request,
    details,
  }: { repository: string | null; consent: boolean; request?: string; details?: Record<string, unknown> },
  options: ProtectedOptions,
): Promise<void> {
  if (consent && options.mayLoosen) return consents.give(owner, repository, options)
  if (await consents.has(owner, repository, options)) return
  if (consent) requireLoosening("what may run on this machine", options)
  const where = repository === null ? "the sessions' own files" : repository
  const asked = request ?? `Agents run commands on this machine without asking. To let them work in ${where}`
  const message = `${asked}, send "consent": true once.`
  throw new AppError("consent_required", message, { repository, ...details })
}

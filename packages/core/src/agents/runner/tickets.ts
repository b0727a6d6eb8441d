import { createHash, hkdfSync, randomBytes } from "node:crypto"
import * as z from "zod"
import { runnerTicketKey } from "../../kernel/keys.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import type { RunnerTicket } from "./credentials-schema.ts"

/**
 * Tickets that runners trade for credentials. Each trade gives the next ticket; the old one stays good until that is used, so
 * a lost reply costs nothing, and no ticket is of use later. They are kept where no runner can write.
 */
export interface RunnerTickets {
  /**
   * Makes the first ticket of a launch good. A repeated launch has the same, which makes nothing good again. Resolves to what it was
   * issued for first: launches of one ticket must ask for one task.
   */
  issue(
    ticket: RunnerTicket,
    options: { agent?: string | undefined; warm?: string | undefined; signal: AbortSignal },
  ): Promise<LaunchChoice>
  /** The next ticket; undefined if this one isn't good, or not for this executor. */
  exchange(ticket: RunnerTicket, executor: string, options: { signal: AbortSignal }): Promise<RunnerTicket | undefined>
  /** Whether a trade of this ticket would be granted. */
  isGood(ticket: RunnerTicket, executor: string, options: { signal: AbortSignal }): Promise<boolean>
}

/** The means of a launch: an image with one agent alone, and a runner that waits already; null for neither. */
const LaunchChoice = z.object({ agent: z.string().nullable(), warm: z.string().nullable() })
export type LaunchChoice = z.infer<typeof LaunchChoice>

const Stored = LaunchChoice.extend({
  current: z.string(),
  next: z.string().nullable(),
  executor: z.string().nullable(),
})

const A_DAY_MS = 86_400_000
/** Exchanges of one ticket at once are retries of a single runner. */
const TRIES = 3

export function createRunnerTickets({ records, now }: { records: Records; now: () => number }): RunnerTickets {
  const expiresAt = () => Math.ceil((now() + A_DAY_MS) / 1000)

  /** The ticket's record, if the ticket is good for this executor. */
  async function goodRecord(ticket: RunnerTicket, executor: string, { signal }: { signal: AbortSignal }) {
    const record = await records.get(runnerTicketKey(ticket), { signal })
    const stored = record && Stored.parse(record.value)
    const given = hashOf(ticket.secret)
    if (!stored || (given !== stored.current && given !== stored.next)) return undefined
    return stored.executor === null || stored.executor === executor ? { ...stored, version: record.version } : undefined
  }

  async function tryExchange(ticket: RunnerTicket, executor: string, { signal }: { signal: AbortSignal }) {
    const good = await goodRecord(ticket, executor, { signal })
    if (!good) return "refused"
    const secret = randomBytes(32).toString("base64url")
    const { version, ...stored } = good
    const value = { ...stored, current: hashOf(ticket.secret), next: hashOf(secret), executor }
    const condition = { ifVersion: version, expiresAt: expiresAt(), signal }
    const isPut = await records.put(runnerTicketKey(ticket), { value }, condition)
    return isPut === undefined ? "raced" : { ...ticket, secret }
  }

  return {
    async issue(ticket, { agent = null, warm = null, signal }) {
      const value = { current: hashOf(ticket.secret), next: null, executor: null, agent, warm }
      const condition = { ifAbsent: true, expiresAt: expiresAt(), signal } as const
      if ((await records.put(runnerTicketKey(ticket), { value }, condition)) !== undefined) return { agent, warm }
      const earlier = await records.get(runnerTicketKey(ticket), { signal })
      return LaunchChoice.parse(earlier?.value ?? { agent: null, warm: null })
    },
    async exchange(ticket, executor, options) {
      for (let tries = 0; tries < TRIES; tries++) {
        const result = await tryExchange(ticket, executor, options)
        if (result === "refused") return undefined
        if (result !== "raced") return result
      }
      return undefined
    },
    isGood: async (...given) => (await goodRecord(...given)) !== undefined,
  }
}

/** The first ticket of a launch: the same however often that is repeated, as ECS demands of the same request. */
export function firstTicket(
  masterKey: Uint8Array,
  { sid, generation, attempt }: Omit<RunnerTicket, "secret">,
): RunnerTicket {
  const secret = hkdfSync("sha256", masterKey, "", `switchyard/ticket/${sid}/${generation}/${attempt}`, 32)
  return { sid, generation, attempt, secret: Buffer.from(secret).toString("base64url") }
}

/**
 * Whether this executor may work in the session: nobody has claimed the generation that it was launched for yet, it is
 * the runner now, or it parked last and can be resumed. One that was replaced, or whose session was deleted, may not.
 */
export function mayServe(state: SessionState, { generation }: RunnerTicket, executor: string): boolean {
  const { runner } = state
  return isLive(state) && (runner.generation < generation || [runner.executor, runner.standby].includes(executor))
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url")
}

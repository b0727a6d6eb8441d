import { createHash, hkdfSync, randomBytes } from "node:crypto"
import * as z from "zod"
import { runnerTicketKey } from "../../kernel/keys.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import type { RunnerTicket } from "./credentials-schema.ts"

/**
 * Tickets that runners exchange for credentials. Each exchange returns the next ticket. The old ticket stays valid
 * until the next one is used, so a lost reply does no harm, and a used ticket soon becomes worthless. Runners can't
 * write to the ticket store.
 */
export interface RunnerTickets {
  /**
   * Issues the first ticket of a launch. If the launch is repeated, issues the same ticket, but doesn't make a used
   * ticket valid again. Returns the agent, the size and the warm runner of the first launch with this ticket, because
   * repeated launches must request the same task.
   */
  issue(
    ticket: RunnerTicket,
    options: Partial<Record<keyof LaunchChoice, string | undefined>> & { signal: AbortSignal },
  ): Promise<LaunchChoice>
  /** Returns the next ticket. Undefined if this ticket isn't valid for this executor. */
  exchange(ticket: RunnerTicket, executor: string, options: { signal: AbortSignal }): Promise<RunnerTicket | undefined>
  /** Returns true if this ticket could be exchanged. */
  isGood(ticket: RunnerTicket, executor: string, options: { signal: AbortSignal }): Promise<boolean>
}

/**
 * Kind of launch: with an image that contains only one agent, in a container of another size, or with a prestarted
 * runner. All fields are null for an ordinary launch.
 */
const LaunchChoice = z.object({
  agent: z.string().nullable(),
  size: z.string().nullable().default(null),
  warm: z.string().nullable(),
})
export type LaunchChoice = z.infer<typeof LaunchChoice>

const Stored = LaunchChoice.extend({
  current: z.string(),
  next: z.string().nullable(),
  executor: z.string().nullable(),
})

const A_DAY_MS = 86_400_000
/** Maximum number of attempts per exchange. Concurrent exchanges of the same ticket are retries by one runner. */
const TRIES = 3

export function createRunnerTickets({ records, now }: { records: Records; now: () => number }): RunnerTickets {
  const expiresAt = () => Math.ceil((now() + A_DAY_MS) / 1000)

  /** Returns the ticket's record if it is valid for this executor. */
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
    async issue(ticket, { agent = null, size = null, warm = null, signal }) {
      const value = { current: hashOf(ticket.secret), next: null, executor: null, agent, size, warm }
      const condition = { ifAbsent: true, expiresAt: expiresAt(), signal } as const
      if ((await records.put(runnerTicketKey(ticket), { value }, condition)) !== undefined) return { agent, size, warm }
      const earlier = await records.get(runnerTicketKey(ticket), { signal })
      return LaunchChoice.parse(earlier?.value ?? { agent: null, size: null, warm: null })
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

/**
 * Returns the first ticket of a launch. A repeated launch gets the same ticket, because ECS requires repeated requests
 * to be identical.
 */
export function firstTicket(
  masterKey: Uint8Array,
  { sid, generation, attempt }: Omit<RunnerTicket, "secret">,
): RunnerTicket {
  const secret = hkdfSync("sha256", masterKey, "", `switchyard/ticket/${sid}/${generation}/${attempt}`, 32)
  return { sid, generation, attempt, secret: Buffer.from(secret).toString("base64url") }
}

/**
 * True if this executor may work in the session. This is the case if no runner has claimed its generation yet, if it is
 * the current runner, or if it was the last runner to park and can be resumed. False if it was replaced, or if the
 * session was deleted.
 */
export function mayServe(state: SessionState, { generation }: RunnerTicket, executor: string): boolean {
  const { runner } = state
  return isLive(state) && (runner.generation < generation || [runner.executor, runner.standby].includes(executor))
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url")
}

import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import {
  type ArchiveRequest,
  CredentialsAnswer,
  type CredentialsRequest,
  type OwnerBudgetRequest,
  type RunnerTicket,
} from "@switchyard/core/agents/runner/credentials-schema"
import type { WarmRequest } from "@switchyard/core/agents/runner/warm-schema"
import { awsTime, repeatingOnlyWrongTimes } from "@switchyard/core/storage/aws-clock"
import { unavailable } from "@switchyard/core/storage/aws-errors"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

export interface SessionCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  expiration: Date
}

/** Provides credentials to AWS clients. The clients request new credentials five minutes before the old ones expire. */
export type ProvideCredentials = (given?: { forceRefresh?: boolean }) => Promise<SessionCredentials>

/** Calls the credentials function and returns its unvalidated reply. */
export type AskCredentials = (
  request: CredentialsRequest | OwnerBudgetRequest | ArchiveRequest | WarmRequest,
) => Promise<unknown>

/** Exchanges the ticket for credentials. Returns null if the ticket isn't valid. */
export type TradeTicket = (request: CredentialsRequest) => Promise<CredentialsAnswer["granted"]>

export interface RunnerFunction {
  ask: AskCredentials
  /** Returns AWS's time, once AWS has responded for the first time. The machine's own clock may be completely wrong. */
  now: () => number
}

/** Time limit for a reply, which may include a cold start of the function. */
const ANSWERED_WITHIN_MS = 15_000
/** Credentials are replaced this long before they expire. */
const EARLY_MS = 5 * 60_000

/**
 * Creates a client for a function that runners call. The role of the ECS task may invoke this function and nothing
 * else.
 */
export function invokeByName(functionName: string): RunnerFunction {
  const client = repeatingOnlyWrongTimes(new LambdaClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS) }))
  async function ask(request: object): Promise<unknown> {
    const { Payload, FunctionError } = await client.send(
      new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) }),
    )
    const text = Payload?.transformToString() ?? ""
    if (FunctionError) throw new Error(`The function ${functionName} failed: ${FunctionError}`)
    return JSON.parse(text)
  }
  return { ask, now: () => awsTime(client).getTime() }
}

/** Exchanges tickets through this function. */
export function exchangeTicketWith(ask: AskCredentials): TradeTicket {
  return async (request) => CredentialsAnswer.parse(await ask(request)).granted
}

/**
 * Manages a runner's credentials and current ticket. All clients share a pending exchange, because each ticket works
 * only once. `now` returns AWS's time, which also determines the expiry of the credentials. With a clock that is an
 * hour ahead, every request would exchange a ticket.
 */
export function createSessionCredentials(
  deps: { trade: TradeTicket; now: () => number },
  { ticket: first, executor }: { ticket: RunnerTicket; executor: string },
): { provide: ProvideCredentials; ticket: () => RunnerTicket } {
  let ticket = first
  let current: SessionCredentials | undefined
  let trading: Promise<SessionCredentials> | undefined

  async function trade(): Promise<SessionCredentials> {
    const granted = await deps.trade({ ticket, executor }).catch((error) => {
      // A failed request doesn't matter as long as the current credentials are valid.
      if (current && deps.now() < current.expiration.getTime()) return undefined
      throw unavailable(error)
    })
    if (granted === undefined && current) return current
    if (!granted)
      throw new Error(
        "This runner was denied credentials: another runner is serving its session, or the session was deleted.",
      )
    ticket = granted.ticket
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = granted
    current = { accessKeyId, secretAccessKey, sessionToken, expiration: new Date(expiration) }
    return current
  }

  async function provide({ forceRefresh = false } = {}): Promise<SessionCredentials> {
    const isFresh = current && current.expiration.getTime() - deps.now() > EARLY_MS
    if (current && isFresh && !forceRefresh) return current
    trading ??= trade().finally(() => {
      trading = undefined
    })
    return trading
  }

  return { provide, ticket: () => ticket }
}

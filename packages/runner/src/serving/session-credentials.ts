import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import {
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

/** Provides credentials to AWS's clients, which ask for new ones five minutes before these expire. */
export type ProvideCredentials = (given?: { forceRefresh?: boolean }) => Promise<SessionCredentials>

/** Asks the function that gives credentials, and resolves to its answer, which isn't checked. */
export type AskCredentials = (request: CredentialsRequest | OwnerBudgetRequest | WarmRequest) => Promise<unknown>

/** Trades the ticket for credentials. Null where it isn't good. */
export type TradeTicket = (request: CredentialsRequest) => Promise<CredentialsAnswer["granted"]>

/** A function for runners. */
export interface RunnerFunction {
  ask: AskCredentials
  /** The time at AWS, as far as it has been answered: the machine's clock may be wrong by any amount. */
  now: () => number
}

/** The function may have to start first. */
const ANSWERED_WITHIN_MS = 15_000
/** The time before their end from which credentials are replaced. */
const EARLY_MS = 5 * 60_000

/** Invokes a function for runners, which is all that the task's own role may do. */
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

/** Trades tickets by that function. */
export function tradeBy(ask: AskCredentials): TradeTicket {
  return async (request) => CredentialsAnswer.parse(await ask(request)).granted
}

/**
 * One runner's credentials, and its present ticket: all of its clients share a trade, for each ticket is good once. `now` is the
 * time at AWS, of which the credentials' end is: by a clock that is an hour ahead, they would have ended when they come, and each
 * request would trade a ticket.
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
      // What AWS doesn't answer for a moment is no reason to stop while these are still good.
      if (current && deps.now() < current.expiration.getTime()) return undefined
      throw unavailable(error)
    })
    if (granted === undefined && current) return current
    if (!granted) throw new Error("This runner gets no credentials: another one serves its session, or it was deleted.")
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

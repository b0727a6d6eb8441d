import type { Operation } from "@switchyard/client/operations"
import { locate, type Reads, type RequestOf } from "@switchyard/client/request"
import type { Clock } from "@switchyard/core/time"
import type * as z from "zod"
import { Refused } from "../errors/errors.ts"
import { type Connection, orUnreachable, type ServerRequest } from "../server/connection.ts"
import type { RetryPolicy } from "../server/retry.ts"

type Asked = Omit<ServerRequest, "signal"> &
  Waiting & {
    waitMs?: number
    /** True if the request must not be repeated. The server may process a request even if its reply is lost. */
    isOnce?: boolean
  }
/** A request that the API description defines. */
type Call<O extends Operation> = RequestOf<O> & Pick<Asked, "headers" | "signal" | "waitMs" | "isOnce">

export interface Waiting {
  /** Aborts the wait for the answer. By default, the first Ctrl-C does. */
  signal?: AbortSignal
}

/** Sends requests to the server. If the server can't be reached, retries them according to the retry policy. */
export type Requests = ReturnType<typeof createRequests>

/**
 * Maximum time to wait for an answer, in milliseconds. If the request itself asks the server to wait, that time is
 * added.
 */
export const ANSWER_MS = 30_000

export function createRequests(deps: {
  connection: Connection
  retries: RetryPolicy
  clock: Clock
  interrupted: AbortSignal
}) {
  const { connection, retries, clock, interrupted } = deps

  /** Sends a request to a path that the server has returned. */
  async function follow<T>(schema: z.ZodType<T>, asked: Asked): Promise<T> {
    const request = { ...asked, signal: asked.signal ?? interrupted }
    const once = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS + (request.waitMs ?? 0))])
      // The timeout of an attempt counts as a network failure, unless the caller's signal has aborted.
      const answer = async () => (await connection.send({ ...request, signal })).json()
      return orUnreachable(answer, "The server didn't send a valid response", request)
    }
    const parsed = schema.safeParse(asked.isOnce ? await once() : await retries.retry(once, request))
    if (parsed.success) return parsed.data
    throw new Refused(
      200,
      "unexpected_answer",
      `The server's response to ${request.path} has an unexpected format. The server may be running another version.`,
    )
  }

  return {
    follow,
    /**
     * Sends a request for an operation in the API description. Throws `Refused` if the server rejects the request, or
     * if the response has an unexpected format.
     */
    ask<O extends Operation, T>(operation: O, schema: z.ZodType<T> & Reads<O, T>, call: Call<O>): Promise<T> {
      const { body, headers, signal, waitMs, isOnce } = call
      return follow(schema, { ...locate(operation, call), body, headers, signal, waitMs, isOnce })
    },
    connection,
    clock,
  }
}

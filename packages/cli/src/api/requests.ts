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
    /** True if the request must not be repeated, because the server may have processed it without a reply. */
    isOnce?: boolean
  }
/** A request, as defined by the API description. */
type Call<O extends Operation> = RequestOf<O> & Pick<Asked, "headers" | "signal" | "waitMs" | "isOnce">

export interface Waiting {
  /** Aborts the wait for the answer. Defaults to the first interrupt. */
  signal?: AbortSignal
}

/** Requests to the server. If the server can't be reached, they are retried according to the retry policy. */
export type Requests = ReturnType<typeof createRequests>

/** Longest wait for an answer in milliseconds. Any wait that the request asks for is added. */
export const ANSWER_MS = 30_000

export function createRequests(deps: {
  connection: Connection
  retries: RetryPolicy
  clock: Clock
  interrupted: AbortSignal
}) {
  const { connection, retries, clock, interrupted } = deps

  /** Requests a path that the server returned. */
  async function follow<T>(schema: z.ZodType<T>, asked: Asked): Promise<T> {
    const request = { ...asked, signal: asked.signal ?? interrupted }
    const once = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS + (request.waitMs ?? 0))])
      // Our own timeout counts as a network failure. Only the caller's signal ends the retries.
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

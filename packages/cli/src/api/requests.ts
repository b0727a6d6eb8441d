import type { Operation } from "@switchyard/client/operations"
import { locate, type Reads, type RequestOf } from "@switchyard/client/request"
import type { Clock } from "@switchyard/core/time"
import type * as z from "zod"
import { Refused } from "../errors/errors.ts"
import { type Connection, orUnreachable, type ServerRequest } from "../server/connection.ts"
import type { RetryPolicy } from "../server/retry.ts"

type Asked = Omit<ServerRequest, "signal"> & Waiting & { waitMs?: number }
/** A request as the API's description defines it. */
type Call<O extends Operation> = RequestOf<O> & Pick<Asked, "headers" | "signal" | "waitMs">

export interface Waiting {
  /** Ends the wait for the answer. By default, the first interrupt does. */
  signal?: AbortSignal
}

/** Requests to the server. Each is retried while the server can't be reached, within the retry policy. */
export interface Requests {
  /**
   * Requests an operation of the API's description. Throws `Refused`, also for a response with an unexpected format.
   */
  ask<O extends Operation, T>(operation: O, schema: z.ZodType<T> & Reads<O, T>, call: Call<O>): Promise<T>
  /** Requests a path that the server has sent. */
  follow<T>(schema: z.ZodType<T>, request: Asked): Promise<T>
  connection: Connection
  clock: Clock
}

/** Time limit for an answer in milliseconds, in addition to requested waits. */
export const ANSWER_MS = 30_000

export function createRequests(deps: {
  connection: Connection
  retries: RetryPolicy
  clock: Clock
  interrupted: AbortSignal
}): Requests {
  const { connection, retries, clock, interrupted } = deps

  async function follow<T>(schema: z.ZodType<T>, asked: Asked): Promise<T> {
    const request = { ...asked, signal: asked.signal ?? interrupted }
    const once = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS + (request.waitMs ?? 0))])
      // Our own time-out counts as a network failure. Only the caller's signal ends the retries.
      const answer = async () => (await connection.send({ ...request, signal })).json()
      return orUnreachable(answer, "The server sent no valid response", request)
    }
    const parsed = schema.safeParse(await retries.retry(once, request))
    if (parsed.success) return parsed.data
    throw new Refused(
      200,
      "unexpected_answer",
      `The server's response to ${request.path} has an unexpected format. It may be another version.`,
    )
  }

  return {
    follow,
    ask(operation, schema, call) {
      const { body, headers, signal, waitMs } = call
      return follow(schema, { ...locate(operation, call), body, headers, signal, waitMs })
    },
    connection,
    clock,
  }
}

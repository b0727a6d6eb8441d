import * as z from "zod"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { openSockets } from "./sockets/open-sockets.ts"
import { pumpConnection } from "./sockets/pump.ts"

const env = withoutTracing(process.env)
const cloud = await openCloud(env, { writer: "pump" })
const sockets = openSockets(cloud, env)

const Payload = z.object({ connection: z.string() })

/** Time reserved to close a connection. */
const CLOSE_MS = 2000

/** Sends one connection all events of its session, for as long as the client is connected. */
export async function handler(payload: unknown, context: Invocation): Promise<void> {
  const { connection } = Payload.parse(payload)
  const startedAt = cloud.clock.monotonic()
  const signal = abortBeforeDeadline(context)
  const closing = abortBeforeDeadline(context, undefined, CLOSE_MS)
  await pumpConnection({ ...sockets, stopping: closing }, connection, { signal, closing })
  const durationMs = Math.round(cloud.clock.monotonic() - startedAt)
  cloud.logLine("pump", { connection_id: connection, duration_ms: durationMs })
}

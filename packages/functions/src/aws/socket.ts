import * as z from "zod"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { createInvoke } from "./invoke.ts"
import { openSockets } from "./sockets/open-sockets.ts"
import { type GatewayAnswer, GatewayEvent, handleGatewayEvent } from "./sockets/routes.ts"

const Settings = z.object({ ORIGIN_SECRET: z.string().min(32), PUMP: z.string().min(1) })

const env = withoutTracing(process.env)
const { ORIGIN_SECRET: originSecret, PUMP: pump } = Settings.parse(env)
const cloud = await openCloud(env, { writer: "socket" })
const sockets = openSockets(cloud, env)
const invoke = createInvoke()

/** Time reserved to send a reply after the last wait. */
const REPLY_MS = 2000

/** Handles API Gateway's WebSocket connections: admits clients and processes their messages. */
export async function handler(event: unknown, context: Invocation): Promise<GatewayAnswer> {
  const signal = abortBeforeDeadline(context, undefined, REPLY_MS)
  const startPump = (connection: string) => invoke(pump, { connection }, { signal })
  const parsed = GatewayEvent.parse(event)
  const answer = await handleGatewayEvent({ ...sockets, originSecret, startPump, stopping: signal }, parsed, { signal })
  const { routeKey: route, connectionId: connection_id } = parsed.requestContext
  if (route !== "$default") cloud.logLine("socket", { route, connection_id, status: answer.statusCode })
  return answer
}

import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline } from "./deadline.ts"
import { createEdgeApp } from "./edge-app.ts"
import { RUN_RESPONSE_PATH } from "./paths.ts"
import { streamed } from "./streamed.ts"

/**
 * Duration of a stream. Lambda doesn't notice when a client disconnects, and bills until the response ends. Therefore,
 * responses end early, and connected clients reconnect.
 */
const STREAM_MS = 4 * 60_000

const env = withoutTracing(process.env)
const cloud = await openCloud(env, { writer: "stream" })

export const handler = streamed(
  createEdgeApp(cloud, env, (context, path) =>
    abortBeforeDeadline(context, RUN_RESPONSE_PATH.test(path) ? undefined : STREAM_MS),
  ),
)

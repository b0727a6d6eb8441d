import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline } from "./deadline.ts"
import { createEdgeApp } from "./edge-app.ts"
import { streamed } from "./streamed.ts"

const env = withoutTracing(process.env)
const cloud = await openCloud(env, { writer: "api" })

/** Serves every request that is answered within a minute. */
export const handler = streamed(createEdgeApp(cloud, env, (context) => abortBeforeDeadline(context)))

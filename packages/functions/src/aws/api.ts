import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { beforeTheEnd } from "./deadline.ts"
import { createFront } from "./front.ts"
import { streamed } from "./streamed.ts"

const env = withoutTracing(process.env)
const cloud = openCloud(env, { writer: "api" })

/** Answers everything that is answered at once, or within a minute. */
export const handler = streamed(createFront(cloud, env, (context) => beforeTheEnd(context)))

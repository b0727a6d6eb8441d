import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { beforeTheEnd } from "./deadline.ts"
import { createFront } from "./front.ts"
import { ANSWER_OF_A_RUN } from "./paths.ts"
import { streamed } from "./streamed.ts"

/** Nobody tells us that a reader left, and we are billed to the end. A reader who is still there comes back. */
const STREAM_MS = 4 * 60_000

const env = withoutTracing(process.env)
const cloud = openCloud(env, { writer: "stream" })

/** Answers what comes bit by bit. */
export const handler = streamed(
  createFront(cloud, env, (context, path) => beforeTheEnd(context, ANSWER_OF_A_RUN.test(path) ? undefined : STREAM_MS)),
)

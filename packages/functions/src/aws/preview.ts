import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { createPreviewEdge } from "./preview-edge.ts"
import { streamed } from "./streamed.ts"

const env = withoutTracing(process.env)

/** Serves session files as pages. Each preview has its own host. */
export const handler = streamed(createPreviewEdge(await openCloud(env, { writer: "preview" }), env))

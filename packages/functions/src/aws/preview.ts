import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { createPreviewEdge } from "./preview-edge.ts"
import { streamed } from "./streamed.ts"

const env = withoutTracing(process.env)

/** Serves the files of sessions as pages, each at its own host. */
export const handler = streamed(createPreviewEdge(await openCloud(env, { writer: "preview" }), env))

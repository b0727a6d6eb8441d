import type { Hono } from "hono"
// Deprecated in favour of a package that doesn't exist yet, so no other file imports it.
import { type LambdaContext, streamHandle } from "hono/aws-lambda"

export type { LambdaContext }

/** Bindings of a request on Lambda. */
export interface StreamedEnv {
  Bindings: { context: LambdaContext }
}

/** Creates a Lambda handler that streams the app's responses. */
export function streamed(app: Hono<StreamedEnv>): ReturnType<typeof streamHandle> {
  return streamHandle(app)
}

import type { Hono } from "hono"
// Deprecated for a package that isn't there yet, so this is the only file that knows it.
import { type LambdaContext, streamHandle } from "hono/aws-lambda"

export type { LambdaContext }

/** The bindings of a request under Lambda. */
export interface StreamedEnv {
  Bindings: { context: LambdaContext }
}

/** A handler whose answers leave as they are made. */
export function streamed(app: Hono<StreamedEnv>): ReturnType<typeof streamHandle> {
  return streamHandle(app)
}

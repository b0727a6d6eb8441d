import { sweep } from "@switchyard/core/work/runs/sweep"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"

const { clock, logLine, core } = openCloud(withoutTracing(process.env), { writer: "sweep" })

/** Does what is due. The next one, in a minute, does what this one didn't get to. */
export async function handler(_event: unknown, context: Invocation): Promise<void> {
  const startedAt = clock.monotonic()
  await sweep(core.sweep, { signal: abortBeforeDeadline(context) })
  logLine("sweep", { request_id: context.awsRequestId, duration_ms: Math.round(clock.monotonic() - startedAt) })
}

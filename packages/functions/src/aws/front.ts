import { AppError } from "@switchyard/core/errors"
import type { AgentHost } from "@switchyard/core/sessions/agent-request"
import { type Context, Hono, type MiddlewareHandler } from "hono"
import * as z from "zod"
import { type Access, createAccess } from "../access.ts"
import { createApp } from "../app.ts"
import { warningsOf } from "../config.ts"
import { errorResponse } from "../http/errors.ts"
import { requireOrigin, VIEWER_HEADER } from "../http/origin.ts"
import type { Cloud } from "./cloud.ts"
import type { LambdaContext, StreamedEnv } from "./streamed.ts"

/** CloudFront, and many a proxy before it, gives up on an answer that hasn't begun after half a minute. */
const BEGIN_WITHIN_MS = 25_000

const FrontSettings = z.object({ ORIGIN_SECRET: z.string().min(32) })

/**
 * The app behind what the internet demands: who didn't come past the Router gets nothing, and every request leaves a
 * line. `ends` says when an answer must be over, for the reader comes back and Lambda stops us anyway.
 */
export function createFront(
  cloud: Cloud,
  env: Record<string, string | undefined>,
  ends: (context: LambdaContext, path: string) => AbortSignal,
): Hono<StreamedEnv> {
  const { ORIGIN_SECRET } = FrontSettings.parse(env)
  const { config, report, masterKey } = cloud
  if (!masterKey || !config.auth.adminToken)
    throw new Error("Whoever answers requests needs MASTER_KEY and ADMIN_TOKEN.")
  const access = createAccess(config, { ...cloud, ...cloud.core, masterKey })
  for (const message of warningsOf(config)) cloud.line("warning", { message })
  const never = new AbortController().signal
  const front = new Hono<StreamedEnv>()
  front.onError((error, c) => errorResponse(error, c, { report, stopping: never, verbose: false }))
  front.use(logRequests(cloud))
  front.use(requireOrigin(ORIGIN_SECRET))
  // One invocation is one request, and its end is the end of this "server": an app costs a millisecond.
  front.all("*", (c) => appOf(cloud, access, ends(c.env.context, c.req.path)).fetch(c.req.raw, fromViewer(c)))
  return front
}

function appOf(cloud: Cloud, access: Access, stopping: AbortSignal) {
  const { core, withAgents, ...rest } = cloud
  const newSessionId = () => crypto.randomUUID().replaceAll("-", "")
  const agents = withAgents ? elsewhere : undefined
  return createApp({ ...rest, ...core, access, stopping, newSessionId, agents, beginWithinMs: BEGIN_WITHIN_MS })
}

/** Agents work in containers, which have no folder that anybody could name. */
const elsewhere: AgentHost = {
  local: false,
  async checkFolder(path) {
    throw new AppError("task_invalid", "Agents here work in what is cloned from a URL.", { path })
  },
}

/** The connection as the app sees it: the Router's caller, not the Router. */
function fromViewer(c: Context<StreamedEnv>): object {
  return { ...c.env, requestContext: { http: { sourceIp: c.req.header(VIEWER_HEADER) ?? "unknown" } } }
}

/** A line when an answer begins. Queries may hold what isn't everyone's business, so they are left out. */
function logRequests({ line, clock }: Cloud): MiddlewareHandler<StreamedEnv> {
  return async (c, next) => {
    const began = clock.monotonic()
    await next()
    const durationMs = Math.round(clock.monotonic() - began)
    const { method, path } = c.req
    const request_id = c.env.context.awsRequestId
    line("request", { request_id, method, path, status: c.res.status, duration_ms: durationMs })
  }
}

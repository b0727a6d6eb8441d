import { AppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { AgentHost } from "@switchyard/core/sessions/requests/agent-host"
import { type Context, Hono, type MiddlewareHandler } from "hono"
import * as z from "zod"
import { type Access, createAccess } from "../access.ts"
import { createApp } from "../app.ts"
import { warningsOf } from "../config.ts"
import type { AppDeps } from "../deps.ts"
import { errorResponse } from "../http/errors.ts"
import { requireOrigin, VIEWER_HEADER } from "../http/origin.ts"
import type { Cloud } from "./cloud.ts"
import { pathWithoutSecrets } from "./paths.ts"
import type { LambdaContext, StreamedEnv } from "./streamed.ts"

/**
 * Maximum time until the first byte is sent. Without a first byte, CloudFront and many other proxies time out after 30
 * seconds.
 */
const FIRST_BYTE_WITHIN_MS = 25_000

const EdgeSettings = z.object({ ORIGIN_SECRET: z.string().min(32) })

/**
 * Creates the internet-facing app. It rejects requests that bypassed the Router, and logs every request. The signal
 * from `deadlineOf` ends a response before Lambda would; the client then reconnects.
 */
export function createEdgeApp(
  cloud: Cloud,
  env: Record<string, string | undefined>,
  deadlineOf: (context: LambdaContext, path: string) => AbortSignal,
): Hono<StreamedEnv> {
  const { ORIGIN_SECRET } = EdgeSettings.parse(env)
  const { config, report, masterKey } = cloud
  if (!masterKey || !config.auth.adminToken)
    throw new Error("MASTER_KEY and ADMIN_TOKEN are required to serve requests.")
  const access = createAccess(config, { ...cloud, ...cloud.core, masterKey })
  for (const message of warningsOf(config)) cloud.logLine("warning", { message })
  const never = new AbortController().signal
  const edge = new Hono<StreamedEnv>()
  edge.onError((error, c) => errorResponse(error, c, { report, stopping: never, verbose: false }))
  edge.use(logRequests(cloud))
  edge.use(requireOrigin(ORIGIN_SECRET))
  edge.use(sayVersion(cloud.version))
  // Each invocation handles one request, so create one app per request. It takes a millisecond.
  edge.all("*", (c) => {
    const onCaller = (caller: Principal) => c.set("principal", caller)
    const app = appOf(cloud, access, { stopping: deadlineOf(c.env.context, c.req.path), onCaller })
    return app.fetch(c.req.raw, viewerBindings(c))
  })
  return edge
}

function appOf(cloud: Cloud, access: Access, request: Required<Pick<AppDeps, "stopping" | "onCaller">>) {
  const { core, withAgents, ...rest } = cloud
  const newSessionId = () => crypto.randomUUID().replaceAll("-", "")
  const agents = withAgents ? remoteHost : undefined
  return createApp({
    ...rest,
    ...core,
    access,
    ...request,
    newSessionId,
    agents,
    firstByteWithinMs: FIRST_BYTE_WITHIN_MS,
  })
}

/** Host for agents in containers. They can't access a client's folders. */
const remoteHost: AgentHost = {
  local: false,
  async checkFolder(path) {
    throw new AppError("task_invalid", "Agents on this server work in clones. Provide a repository URL.", { path })
  },
}

/** Sends the code version with each response, because two versions are live during a deployment or rollback. */
function sayVersion(version: string): MiddlewareHandler<StreamedEnv> {
  return async (c, next) => {
    await next()
    c.header("X-Switchyard-Version", version)
  }
}

/** Returns bindings with the viewer's address in place of the Router's. */
function viewerBindings(c: Context<StreamedEnv>): object {
  return { ...c.env, requestContext: { http: { sourceIp: c.req.header(VIEWER_HEADER) ?? "unknown" } } }
}

/**
 * Logs each request and its owner when the response begins. Omits query strings, which may contain private data, and
 * secrets in paths.
 */
function logRequests({ logLine, clock }: Cloud): MiddlewareHandler<StreamedEnv> {
  return async (c, next) => {
    const startedAt = clock.monotonic()
    await next()
    const durationMs = Math.round(clock.monotonic() - startedAt)
    const { method } = c.req
    const path = pathWithoutSecrets(c.req.path)
    const request_id = c.env.context.awsRequestId
    const { owner = null, tokenId = null } = c.get("principal") ?? {}
    const about = { request_id, method, path, status: c.res.status, duration_ms: durationMs }
    logLine("request", { ...about, owner, token_id: tokenId })
  }
}

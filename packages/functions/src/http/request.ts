import { AppError } from "@switchyard/core/errors"
import { workspaceId } from "@switchyard/core/workspaces/id"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"

/** Whoever calls. Without log-in there is one: the person at this machine. */
export interface Principal {
  owner: string
}

export function principal(_c: Context): Principal {
  return { owner: "local" }
}

/** Aborts when the server stops. A request that is cut off goes on: what it began, it ends. */
export function requestSignal(deps: AppDeps): AbortSignal {
  return deps.stopping
}

/** Body, then query, then header, then `default`; blank counts as absent. */
export function namedWorkspace(c: Context, fromBody?: string): string {
  const named = [fromBody, c.req.query("workspace_id"), c.req.header("x-workspace-id")]
  return workspaceId(named.find((id) => id !== undefined && id.trim() !== ""))
}

/** The caller's model key: from the body, else from the header. */
export function callersKey(c: Context, fromBody?: string): string | undefined {
  return fromBody?.trim() || c.req.header("x-api-key")?.trim() || undefined
}

export function requireJson(c: Context): void {
  const type = c.req.header("content-type") ?? ""
  if (!/^application\/(.+\+)?json\b/i.test(type)) {
    throw new AppError("unsupported_media_type", "Send the body as application/json.", {
      content_type: type.slice(0, 100),
    })
  }
}

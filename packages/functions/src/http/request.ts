import { AppError } from "@switchyard/core/errors"
import { workspaceId } from "@switchyard/core/files/workspaces/id"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { ProtectedOptions } from "@switchyard/core/protections"
import type { RunCaller } from "@switchyard/core/sessions/requests/run-request"
import type { Context } from "hono"
import { mayLoosen, routeOf } from "./permissions.ts"

declare module "hono" {
  interface ContextVariableMap {
    principal: Principal | undefined
    /** CSRF token of a browser's login. */
    csrfToken: string | undefined
  }
}

/** Returns the caller of a request. Throws on a public route, which has no caller. */
export function principal(c: Context): Principal {
  const caller = c.get("principal")
  if (!caller) throw new Error(`No caller was authenticated for ${c.req.path}.`)
  return caller
}

/** Returns the options of a request's call that may change a protection of the caller's owner. */
export function protectedOptions(c: Context, { stopping: signal }: { stopping: AbortSignal }): ProtectedOptions {
  return { signal, mayLoosen: mayLoosen(principal(c), routeOf(c)) }
}

/**
 * Returns the workspace that a request names, if any: in its body, else its query, else a header. Blank counts as
 * absent.
 */
function requestedWorkspace(c: Context, fromBody?: string | null): string | undefined {
  const named = [fromBody, c.req.query("workspace_id"), c.req.header("x-workspace-id")].find((id) => id?.trim())
  return named ? workspaceId(named) : undefined
}

/** Returns the workspace that a request names, else `default`. */
export function workspaceOf(c: Context, fromBody?: string | null): string {
  return requestedWorkspace(c, fromBody) ?? workspaceId(undefined)
}

/** Returns the workspace that a path names. A blank id is an error here: it doesn't mean `default`. */
export function workspaceInPath(id: string): string {
  if (id.trim() === "") throw new AppError("workspace_validation_error", "The path has no workspace id.")
  return workspaceId(id)
}

/** Returns the caller's model key: from the body, else from the header. */
export function modelKey(c: Context, fromBody?: string | null): string | undefined {
  return fromBody?.trim() || c.req.header("x-api-key")?.trim() || undefined
}

/** Returns the sender of a request for a run. */
export function runCaller(c: Context, body: { api_key?: string | null; workspace_id?: string | null }): RunCaller {
  return {
    owner: principal(c).owner,
    apiKey: modelKey(c, body.api_key),
    workspace: () => requestedWorkspace(c, body.workspace_id),
  }
}

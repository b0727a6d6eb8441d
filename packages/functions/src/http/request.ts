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
    /** CSRF token for the browser's login. */
    csrfToken: string | undefined
  }
}

/** Returns the caller of a request. Throws on a public route, because its requests have no caller. */
export function principal(c: Context): Principal {
  const caller = c.get("principal")
  if (!caller) throw new Error(`No caller was authenticated for ${c.req.path}.`)
  return caller
}

/** Returns the options for a call that may change the protection of the request's owner. */
export function protectedOptions(c: Context, { stopping: signal }: { stopping: AbortSignal }): ProtectedOptions {
  return { signal, mayLoosen: mayLoosen(principal(c), routeOf(c)) }
}

/** Returns the workspace named in the request's body, query or header, in this order. A blank name counts as absent. */
function requestedWorkspace(c: Context, fromBody?: string | null): string | undefined {
  const named = [fromBody, c.req.query("workspace_id"), c.req.header("x-workspace-id")].find((id) => id?.trim())
  return named ? workspaceId(named) : undefined
}

/** Returns the workspace that a request names. If the request names none, returns `default`. */
export function workspaceOf(c: Context, fromBody?: string | null): string {
  return requestedWorkspace(c, fromBody) ?? workspaceId(undefined)
}

/** Returns the workspace named in a path. Unlike elsewhere, a blank ID is an error and doesn't stand for `default`. */
export function workspaceInPath(id: string): string {
  if (id.trim() === "") throw new AppError("workspace_validation_error", "The path is missing a workspace ID.")
  return workspaceId(id)
}

/** Returns the caller's model key from the body. If the body contains none, returns the key from the header. */
export function modelKey(c: Context, fromBody?: string | null): string | undefined {
  return fromBody?.trim() || c.req.header("x-api-key")?.trim() || undefined
}

/** Returns the caller of a request that starts a run. */
export function runCaller(c: Context, body: { api_key?: string | null; workspace_id?: string | null }): RunCaller {
  return {
    owner: principal(c).owner,
    apiKey: modelKey(c, body.api_key),
    workspace: () => requestedWorkspace(c, body.workspace_id),
  }
}

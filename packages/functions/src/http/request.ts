import { AppError } from "@switchyard/core/errors"
import { workspaceId } from "@switchyard/core/files/workspaces/id"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { RunCaller } from "@switchyard/core/sessions/run-request"
import type { Context } from "hono"

declare module "hono" {
  interface ContextVariableMap {
    principal: Principal | undefined
    /** Of a browser's login. */
    csrfToken: string | undefined
  }
}

/** The caller of a request. Throws for a route that anyone may call, which has none. */
export function principal(c: Context): Principal {
  const caller = c.get("principal")
  if (!caller) throw new Error(`Nobody asked who calls ${c.req.path}.`)
  return caller
}

/** The workspace that a request names, if it does: in its body, else its query, else a header. Blank counts as absent. */
function namedWorkspace(c: Context, fromBody?: string | null): string | undefined {
  const named = [fromBody, c.req.query("workspace_id"), c.req.header("x-workspace-id")].find((id) => id?.trim())
  return named ? workspaceId(named) : undefined
}

/** The workspace of a request: the one that it names, else `default`. */
export function workspaceOf(c: Context, fromBody?: string | null): string {
  return namedWorkspace(c, fromBody) ?? workspaceId(undefined)
}

/** The workspace that a path names. A blank name is none here, for nobody means `default` by it. */
export function workspaceInPath(id: string): string {
  if (id.trim() === "") throw new AppError("workspace_validation_error", "The path names no workspace.")
  return workspaceId(id)
}

/** The caller's model key: from the body, else from the header. */
function callersKey(c: Context, fromBody?: string | null): string | undefined {
  return fromBody?.trim() || c.req.header("x-api-key")?.trim() || undefined
}

/** The sender of a request for a run. */
export function runCaller(c: Context, body: { api_key?: string | null; workspace_id?: string | null }): RunCaller {
  return {
    owner: principal(c).owner,
    apiKey: callersKey(c, body.api_key),
    workspace: () => namedWorkspace(c, body.workspace_id),
  }
}

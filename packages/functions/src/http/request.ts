import { workspaceId } from "@switchyard/core/workspaces/id"
import type { Context } from "hono"

/** Whoever calls. Without log-in there is one: the person at this machine. */
export interface Principal {
  owner: string
}

export function principal(_c: Context): Principal {
  return { owner: "local" }
}

/** The workspace that a request names, if it does: in its body, else its query, else a header. Blank counts as absent. */
export function namedWorkspace(c: Context, fromBody?: string | null): string | undefined {
  const named = [fromBody, c.req.query("workspace_id"), c.req.header("x-workspace-id")].find((id) => id?.trim())
  return named ? workspaceId(named) : undefined
}

/** The workspace of a request: the one that it names, else `default`. */
export function workspaceOf(c: Context, fromBody?: string | null): string {
  return namedWorkspace(c, fromBody) ?? workspaceId(undefined)
}

/** The caller's model key: from the body, else from the header. */
export function callersKey(c: Context, fromBody?: string | null): string | undefined {
  return fromBody?.trim() || c.req.header("x-api-key")?.trim() || undefined
}

import { z } from "@hono/zod-openapi"

/**
 * Body field that names the workspace. A request can also name the workspace in the query or in a header. The default
 * is `default`.
 */
export const workspaceInBody = { workspace_id: z.string().nullish() }
export const WorkspaceQuery = z.object({ workspace_id: z.string().optional() })
export const WorkspaceHeaders = z.object({ "x-workspace-id": z.string().optional() })

/** Accepts any text. An invalid ID is treated like an unknown one. */
export const SessionId = z.object({ id: z.string().max(200) })

export const RunHeaders = WorkspaceHeaders.extend({
  "x-api-key": z.string().optional().describe("API key for the model's provider, unless it is in the body"),
})

/** Page parameters for a list of sessions. */
export const SessionPageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(30),
  before: z
    .string()
    .regex(/^[-\d]\d{14}\/[0-9a-f]{32}$/)
    .optional()
    .describe("`next` of the previous page"),
})

/** Position in a session's log. */
export const MomentQuery = z.object({
  at_seq: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("State after this event of the session. By default, the current state"),
})

/** A session whose expiry was extended. */
export const Touched = z.object({ workspace_id: z.string(), expires_at: z.iso.datetime() }).openapi("Touched")

/** A boolean query parameter, in all common spellings. */
export const flag = z.stringbool().default(false).openapi({ type: "boolean", default: false })

import * as z from "zod"

/** Kinds of tools, in a vocabulary shared by all agents. */
export const ToolKind = z.enum(["bash", "read", "write", "edit", "mcp", "glob", "grep", "other"])
export type ToolKind = z.infer<typeof ToolKind>

/** Reasons for a failed turn, grouped by what helps against them. */
export const ProblemKind = z.enum([
  "quota_exhausted",
  "context_full",
  "rate_limited",
  "billing",
  "auth",
  "model_not_found",
  "overloaded",
  "network",
  "timeout",
  "cancelled",
  "interrupted",
  "session_not_found",
  "repeating",
  "not_installed",
  "unknown",
])
export type ProblemKind = z.infer<typeof ProblemKind>

export const Problem = z.object({
  kind: ProblemKind,
  message: z.string(),
  /** Time when the limit resets, as reported by the provider. */
  resets_at: z.iso.datetime().optional(),
})
export type Problem = z.infer<typeof Problem>

/** Outcome of one turn of a command-line agent. */
export const Outcome = z.discriminatedUnion("type", [
  z.object({ type: z.literal("completed") }),
  z.object({ type: z.literal("needs_continuation") }).describe("The turn ended without its summary"),
  z.object({
    type: z.literal("limit"),
    kind: z.enum(["quota_exhausted", "context_full", "rate_limited", "billing"]),
    message: z.string(),
    resets_at: z.iso.datetime().optional(),
  }),
  z.object({ type: z.literal("auth"), message: z.string() }),
  z.object({ type: z.literal("failed"), problem: ProblemKind, message: z.string() }),
])
export type Outcome = z.infer<typeof Outcome>

/** A planned step, in the agent's own words. */
export const Todo = z
  .object({ text: z.string(), status: z.enum(["pending", "in_progress", "completed"]) })
  .meta({ id: "Todo" })
export type Todo = z.infer<typeof Todo>

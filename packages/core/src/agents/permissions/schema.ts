import * as z from "zod"
import { ToolKind } from "../clis/schema.ts"

/** What an agent may do without asking. `bypass` is for unattended agents. */
export const PermissionMode = z
  .enum(["ask", "accept_edits", "plan", "bypass"])
  .describe(
    "ask: before each change and command. accept_edits: only before commands and what lies outside the worktree. " +
      "plan: it reads and changes nothing. bypass: it never asks",
  )
export type PermissionMode = z.infer<typeof PermissionMode>

export const MAX_RULE_COMMAND_CHARS = 1000

/** Standing decision about a tool or some of its uses. */
export const PermissionRule = z
  .object({
    tool: z.union([ToolKind, z.literal("any")]),
    path: z
      .string()
      .max(1000)
      .optional()
      .describe("Only files of the worktree that match: * matches a part of a name, ** any folders"),
    command: z.string().max(MAX_RULE_COMMAND_CHARS).optional().describe("Only commands that begin with these words"),
    exact: z.boolean().optional().describe("Whether `command` is the whole command"),
    name: z.string().max(200).optional().describe("Only the tool of this name, as the agent's program calls it"),
    effect: z.enum(["allow", "deny", "ask"]),
  })
  .meta({ id: "PermissionRule" })
export type PermissionRule = z.infer<typeof PermissionRule>

/** Rules for all agents of a session. */
export const SessionRules = z
  .object({ rules: z.array(PermissionRule).max(50) })
  .meta({ id: "SessionRules", description: "Rules for all agents of a session" })
export type SessionRules = z.infer<typeof SessionRules>

/** Tool use that an agent asks permission for. */
export const PermissionRequest = z.object({
  tool: ToolKind,
  name: z.string().describe("The tool, as the agent's program calls it"),
  paths: z.array(z.string()).optional().describe("Its files, relative to the worktree if they are in it"),
  command: z.string().optional(),
  args: z.string().optional().describe("Its input, if that is neither files nor a command"),
  diff: z.string().optional().describe("The change to its files: lines that begin with - and +"),
  incomplete: z
    .boolean()
    .optional()
    .describe("Whether a part of it is unknown, cut or unreadable, so that no rule can exclude it"),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

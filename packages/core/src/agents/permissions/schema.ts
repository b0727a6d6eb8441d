import * as z from "zod"
import { ToolKind } from "../clis/schema.ts"

/**
 * Permission mode of an agent, which determines the actions it may take without asking. `bypass` is for unattended
 * agents.
 */
export const PermissionMode = z
  .enum(["ask", "accept_edits", "plan", "bypass"])
  .describe(
    "ask: asks before each change and command. accept_edits: asks only before commands, and outside the worktree. " +
      "plan: reads but doesn't change anything. bypass: never asks",
  )
export type PermissionMode = z.infer<typeof PermissionMode>

export const MAX_RULE_COMMAND_CHARS = 1000

/** Fixed decision about a tool, or about some uses of a tool. */
export const PermissionRule = z
  .object({
    tool: z.union([ToolKind, z.literal("any")]),
    path: z
      .string()
      .max(1000)
      .optional()
      .describe("Only matching files in the worktree: * matches part of a name, ** any number of folders"),
    command: z.string().max(MAX_RULE_COMMAND_CHARS).optional().describe("Only commands that begin with these words"),
    exact: z.boolean().optional().describe("Whether `command` is the whole command"),
    name: z.string().max(200).optional().describe("Only the tool with this name in the agent's program"),
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
  name: z.string().describe("The tool's name in the agent's program"),
  paths: z.array(z.string()).optional().describe("Files it uses, relative to the worktree if they are inside it"),
  command: z.string().optional(),
  args: z.string().optional().describe("Its input, if it isn't files or a command"),
  diff: z.string().optional().describe("Changes to its files, as lines that start with - or +"),
  incomplete: z
    .boolean()
    .optional()
    .describe("Whether part of it is unknown, truncated or unreadable, so that any rule might apply"),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

import * as z from "zod"
import { CliId } from "../clis/clis.ts"

/** ID of a native session. opencode's IDs contain an underscore. */
const NativeSessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)

/** Session of an agent's program that was started outside Switchyard, in the person's own terminal. */
export const ListedNativeSession = z
  .object({
    agent: CliId,
    session_id: NativeSessionId.describe("Value for a task's `resume_session`"),
    title: z.string().nullable().describe("Beginning of its first message; null if that is unknown"),
    updated_at: z.iso.datetime(),
    resumable: z.boolean().describe("True if a task can continue it"),
    command: z.string().describe("Shell command that continues it in a terminal"),
  })
  .meta({ id: "ListedNativeSession" })
export type ListedNativeSession = z.infer<typeof ListedNativeSession>

/** Command that continues an agent's session in the person's own terminal. */
export const TerminalCommand = z
  .object({
    agent_id: z.string(),
    agent: CliId,
    session_id: NativeSessionId,
    folder: z.string().describe("The agent's worktree"),
    command: z.string().describe("Shell command that continues the session in the worktree"),
  })
  .meta({ id: "TerminalCommand" })
export type TerminalCommand = z.infer<typeof TerminalCommand>

import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { CommandEnding } from "./schema.ts"

const node = { node_id: z.string() }

/** The commands of workers that are models. Each is a run of its own, in the session's runner. */
export const shellCommandEvents = [
  event("shell_command_requested", "A worker asked for a command, which is a run of its own.", {
    ...node,
    command_run_id: z.string(),
    round: z.int().positive().describe("The place of the call in the worker's conversation"),
    base: z.string().describe("The list of the project's files, without those of the worker"),
    files: z.string().describe("The list of all files in whose copy it runs"),
  }),
  event("shell_command_started", "The command is about to run. It doesn't do so a second time.", {
    ...node,
    command: large(z.string()),
  }),
  event("shell_command_finished", "The command has ended, or it isn't known what became of it.", {
    ...node,
    ending: CommandEnding,
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    output: large(z.string()).describe("The end of what it printed"),
    files: z.string().nullable().describe("The list of the files as it left them; null where they don't count"),
  }),
] as const

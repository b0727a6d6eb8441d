import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { CommandEnding } from "./schema.ts"

const node = { node_id: z.string() }

/** Events of commands that model workers request. Each command is a separate run in the session's runner. */
export const shellCommandEvents = [
  event("shell_command_requested", "A worker requested a command, which runs as a separate run.", {
    ...node,
    command_run_id: z.string(),
    round: z.int().positive().describe("Position of the call in the worker's conversation"),
    base: z.string().describe("Manifest of the project's files, excluding the worker's changes"),
    files: z.string().describe("Manifest of all files; the command runs in a copy of them"),
  }),
  event("shell_command_started", "The command is about to run. It never runs twice.", {
    ...node,
    command: large(z.string()),
  }),
  event("shell_command_finished", "The command ended, or its result is unknown.", {
    ...node,
    ending: CommandEnding,
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    output: large(z.string()).describe("End of the output"),
    files: z.string().nullable().describe("Manifest of the files afterwards; null if the changes were discarded"),
  }),
] as const

import * as z from "zod"

/** The longest that a command of a worker may take. */
export const MAX_COMMAND_SECONDS = 600
export const MAX_COMMAND_CHARS = 20_000

/** A command of a worker that is a model, and the files in whose copy it runs. */
export const ShellCommandInput = z.object({
  node_id: z.string(),
  command: z.string().min(1).max(MAX_COMMAND_CHARS),
  timeout_seconds: z.int().min(1).max(MAX_COMMAND_SECONDS),
  files: z.string().describe("The list of the files"),
})
export type ShellCommandInput = z.infer<typeof ShellCommandInput>

/** The way in which a command ended. With all but the first, its files are as if it had never run. */
export const CommandEnding = z.enum(["exited", "timed_out", "disk_full", "interrupted", "too_many_files"])
export type CommandEnding = z.infer<typeof CommandEnding>

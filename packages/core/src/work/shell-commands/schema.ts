import * as z from "zod"

/** Time limit of a command that a model worker requests. */
export const MAX_COMMAND_SECONDS = 600
/** Time limit of a worker's command that a person set. */
export const MAX_WORKER_COMMAND_SECONDS = 6 * 3600
export const MAX_COMMAND_CHARS = 20_000

/** A command of a worker, and the files that it runs in a copy of. */
export const ShellCommandInput = z.object({
  node_id: z.string(),
  command: z.string().min(1).max(MAX_COMMAND_CHARS),
  timeout_seconds: z.int().min(1).max(MAX_WORKER_COMMAND_SECONDS),
  network: z.boolean().optional().describe("True if it may reach the same hosts as agents; otherwise none"),
  files: z.string().describe("Manifest of the files"),
})
export type ShellCommandInput = z.infer<typeof ShellCommandInput>

/** End of a command. Except for `exited`, its changes to files are discarded. */
export const CommandEnding = z.enum(["exited", "timed_out", "disk_full", "interrupted", "too_many_files"])
export type CommandEnding = z.infer<typeof CommandEnding>

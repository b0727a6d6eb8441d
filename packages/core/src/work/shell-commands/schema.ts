import * as z from "zod"

/** Time limit for a command that a model worker requests. */
export const MAX_COMMAND_SECONDS = 600
/** Upper bound for the time limit of a command worker's command, which a person wrote. */
export const MAX_WORKER_COMMAND_SECONDS = 6 * 3600
export const MAX_COMMAND_CHARS = 20_000

/** A worker's command, which runs in a copy of the given files. */
export const ShellCommandInput = z.object({
  node_id: z.string(),
  command: z.string().min(1).max(MAX_COMMAND_CHARS),
  timeout_seconds: z.int().min(1).max(MAX_WORKER_COMMAND_SECONDS),
  network: z
    .boolean()
    .optional()
    .describe("True if the command may reach the same hosts as agents; otherwise it has no network access"),
  files: z.string().describe("Manifest of the files"),
})
export type ShellCommandInput = z.infer<typeof ShellCommandInput>

/** Type of a command's end. The command's file changes are discarded unless it `exited`. */
export const CommandEnding = z.enum(["exited", "timed_out", "disk_full", "interrupted", "too_many_files"])
export type CommandEnding = z.infer<typeof CommandEnding>

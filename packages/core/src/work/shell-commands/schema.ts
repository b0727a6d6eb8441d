import * as z from "zod"

/** The longest that a command may take that a worker, a model, asks for. */
export const MAX_COMMAND_SECONDS = 600
/** The same for one that a person named. */
export const MAX_WORKER_COMMAND_SECONDS = 6 * 3600
export const MAX_COMMAND_CHARS = 20_000

/** A command of a worker, and the files in whose copy it runs. */
export const ShellCommandInput = z.object({
  node_id: z.string(),
  command: z.string().min(1).max(MAX_COMMAND_CHARS),
  timeout_seconds: z.int().min(1).max(MAX_WORKER_COMMAND_SECONDS),
  network: z.boolean().optional().describe("Whether it reaches the hosts that agents may; otherwise none"),
  files: z.string().describe("The list of the files"),
})
export type ShellCommandInput = z.infer<typeof ShellCommandInput>

/** The way in which a command ended. With all but the first, its files are as if it had never run. */
export const CommandEnding = z.enum(["exited", "timed_out", "disk_full", "interrupted", "too_many_files"])
export type CommandEnding = z.infer<typeof CommandEnding>

import { createThread } from "../../concurrency/thread.ts"
import { type CommandText, plainCommand } from "./shell-command.ts"
import type { CommandFunctions } from "./thread-entry.ts"

/** Time limit for parsing one command. Parsing normally takes milliseconds. */
const WITHIN_MS = 30_000

const call = createThread<CommandFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/**
 * Calls `parseCommand` in a thread. Returns undefined if the text crashes the parser or takes too long to parse. Only
 * for runners.
 */
export async function parseCommandInThread(text: string): Promise<CommandText | undefined> {
  return plainCommand(text) ?? (await call("parseCommand", text))
}

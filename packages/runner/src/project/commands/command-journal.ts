import { join } from "node:path"
import type { CommandEnd } from "@switchyard/core/agents/runner/worktree-command-rules"
import { worktreeSlug } from "@switchyard/core/files/worktrees/names"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"

const Entry = z.object({
  command_id: z.string(),
  answer: z.record(z.string(), z.json()).nullable(),
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.json()) }).nullable(),
})

/**
 * Result of a worktree's latest command, stored on the same disk as the worktree. It is written after the command and
 * before the result is in the log. If this runner dies in between, the next one can report the result.
 */
export interface CommandJournal {
  write(commandId: string, end: CommandEnd): Promise<void>
  read(commandId: string): Promise<CommandEnd | undefined>
}

export function createCommandJournal(folder: string, worktree: string): CommandJournal {
  const slug = worktreeSlug(worktree)
  const file = join(folder, `command${slug && `-${slug}`}.json`)
  return {
    write: (command_id, { answer, error }) => writeAtomically(file, { command_id, answer, error }),
    async read(commandId) {
      const text = await readIfExists(file)
      const entry = text === undefined ? undefined : Entry.parse(JSON.parse(text))
      return entry?.command_id === commandId ? { answer: entry.answer, error: entry.error } : undefined
    },
  }
}

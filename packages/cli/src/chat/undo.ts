import { formatSeconds } from "@switchyard/core/format"
import type { Cli } from "../cli.ts"
import { CliError, isRefusal } from "../errors.ts"
import { sanitizeLine } from "../sanitize.ts"
import type { Conversation } from "./session.ts"

interface Options {
  signal: AbortSignal
}

const LOOK_EVERY_MS = 500

/**
 * Takes the last message, its answer and what that changed in the files back. In a repository that takes a moment; an interrupt
 * ends the wait for it, and not the rewind. Throws why nothing was undone.
 */
export async function undo({ cli, sessionId }: Conversation, _argument: string, options: Options): Promise<void> {
  const { messages } = sessionId === undefined ? { messages: [] } : await cli.api.chat(sessionId, options)
  const last = messages.findLast(({ role, system_event }) => role === "user" && !system_event)
  if (sessionId === undefined || !last) return cli.terminal.notice("There is nothing to undo.")
  await rewind(cli, { sessionId, toSeq: last.seq - 1 }, options)
  cli.terminal.notice(`Undone: ${sanitizeLine(last.content.trimStart().split("\n", 1)[0] ?? "")}`)
}

async function rewind(
  cli: Cli,
  { sessionId, toSeq }: { sessionId: string; toSeq: number },
  options: Options,
): Promise<void> {
  try {
    if (await cli.api.rewindChat(sessionId, toSeq, options)) return
  } catch (error) {
    // Asked again after a lost answer, it is under way already.
    const isBegun = isRefusal(error, "run_active") && (await restoringIn(cli, sessionId, options))?.kind === "rewind"
    if (!isBegun) throw error
  }
  await whenRewound(cli, sessionId, options)
}

async function whenRewound(cli: Cli, sessionId: string, options: Options): Promise<void> {
  const { clock, terminal } = cli
  const began = clock.monotonic()
  try {
    for (;;) {
      const restoring = await restoringIn(cli, sessionId, options)
      if (restoring === null) return
      if (restoring.error !== null) throw new CliError(`Nothing was undone. ${sanitizeLine(restoring.error)}`)
      terminal.status(`rewinding  ${formatSeconds(clock.monotonic() - began)}`)
      await clock.sleep(LOOK_EVERY_MS, options)
    }
  } finally {
    terminal.status(undefined)
  }
}

async function restoringIn({ api }: Cli, sessionId: string, options: Options) {
  return (await api.chat(sessionId, options)).restoring
}

import { formatSeconds } from "@switchyard/core/format"
import type { Cli } from "../cli.ts"
import { CliError, isRefusal } from "../errors.ts"
import type { Chat } from "../responses.ts"
import { sanitizeLine } from "../sanitize.ts"

interface Options {
  signal: AbortSignal
}

const LOOK_EVERY_MS = 500

const WORDS = {
  rewind: { now: "rewinding", failed: "Nothing was undone." },
  reset: { now: "resetting", failed: "Nothing was reset." },
  review: { now: "comparing", failed: "The review didn't begin." },
}

/**
 * Begins a change of the chat or its files as a whole, and waits for its end: in a repository it takes a run. An interrupt ends
 * the wait, and not the run. `begin` resolves to whether it is done at once. Throws why it came to nothing.
 */
export async function restore(
  cli: Cli,
  { sessionId, kind }: { sessionId: string; kind: keyof typeof WORDS },
  begin: () => Promise<boolean>,
  options: Options,
): Promise<void> {
  try {
    if (await begin()) return
  } catch (error) {
    // Asked again after a lost answer, it is under way already.
    const isBegun = isRefusal(error, "run_active") && (await cli.api.chat(sessionId, options)).restoring?.kind === kind
    if (!isBegun) throw error
  }
  const error = await whenOver(cli, sessionId, { what: WORDS[kind].now, of: ({ restoring }) => restoring, ...options })
  if (error !== null) throw new CliError(`${WORDS[kind].failed} ${sanitizeLine(error)}`)
}

/** The paths of all files that a chat is about. Those of a repository are read before, if nobody had that done. */
export async function readFiles(cli: Cli, sessionId: string, options: Options): Promise<string[]> {
  const known = await cli.api.chatFiles(sessionId, options)
  if (known.is_read) return known.files.map(({ path }) => path)
  await cli.api.readFiles(sessionId, options)
  const error = await whenOver(cli, sessionId, { what: "reading the files", of: ({ reading }) => reading, ...options })
  if (error !== null) throw new CliError(`The files could not be read. ${sanitizeLine(error)}`)
  return (await cli.api.chatFiles(sessionId, options)).files.map(({ path }) => path)
}

/** Waits until something is no longer under way in a chat. Resolves to why it came to nothing; null where it didn't. */
async function whenOver(
  { api, clock, terminal }: Cli,
  sessionId: string,
  { what, of, signal }: Options & { what: string; of: (chat: Chat) => { error: string | null } | null },
): Promise<string | null> {
  const began = clock.monotonic()
  try {
    for (;;) {
      const found = of(await api.chat(sessionId, { signal }))
      if (found === null || found.error !== null) return found?.error ?? null
      terminal.status(`${what}  ${formatSeconds(clock.monotonic() - began)}`)
      await clock.sleep(LOOK_EVERY_MS, { signal })
    }
  } finally {
    terminal.status(undefined)
  }
}

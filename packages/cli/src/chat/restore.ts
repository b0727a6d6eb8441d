import { formatSeconds } from "@switchyard/core/text/format"
import * as z from "zod"
import type { Chat } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { CliError, isRefusal } from "../errors/errors.ts"
import { sanitizeLine } from "../output/sanitize.ts"

interface Options {
  signal: AbortSignal
}

const LOOK_EVERY_MS = 500

const WORDS = {
  rewind: { now: "rewinding", failed: "Nothing was undone." },
  reset: { now: "resetting", failed: "Nothing was reset." },
  review: { now: "comparing", failed: "The review couldn't be started." },
}

/** Response to a request that changes files. It contains a run ID if the files are in a repository. */
export const Begun = z.looseObject({ run_id: z.string().optional() })

/**
 * Starts a change to the whole chat or to its files, and waits until it is done. In a repository, a run makes the
 * change. An interrupt ends only the wait, not the run. Throws `CliError` with the reason if the change fails.
 */
export async function restore(
  cli: Cli,
  { sessionId, kind }: { sessionId: string; kind: keyof typeof WORDS },
  begin: () => Promise<z.infer<typeof Begun>>,
  options: Options,
): Promise<void> {
  try {
    const { run_id } = await begin()
    if (run_id === undefined) return
  } catch (error) {
    // If the first reply was lost, the retried request reports that the change is already running.
    const isBegun = isRefusal(error, "run_active") && (await cli.api.chat(sessionId, options)).restoring?.kind === kind
    if (!isBegun) throw error
  }
  const error = await whenOver(cli, sessionId, { what: WORDS[kind].now, of: ({ restoring }) => restoring, ...options })
  if (error !== null) throw new CliError(`${WORDS[kind].failed} ${sanitizeLine(error)}`)
}

/** Lists the paths of a chat's files. If the files of a repository haven't been read yet, reads them first. */
export async function readFiles(cli: Cli, sessionId: string, options: Options): Promise<string[]> {
  const known = await cli.api.chatFiles(sessionId, options)
  if (known.is_read) return known.files.map(({ path }) => path)
  await cli.api.readFiles(sessionId, options)
  const error = await whenOver(cli, sessionId, { what: "reading the files", of: ({ reading }) => reading, ...options })
  if (error !== null) throw new CliError(`The files couldn't be read. ${sanitizeLine(error)}`)
  return (await cli.api.chatFiles(sessionId, options)).files.map(({ path }) => path)
}

/** Waits until a change to the chat is done. Returns its error, or null if it succeeded. */
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

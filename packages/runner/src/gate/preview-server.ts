import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { fileURLToPath } from "node:url"
import type { FromRunner } from "@switchyard/core/agents/runner/messages"
import type { NewEvent } from "@switchyard/core/events"
import { shortenOutput } from "@switchyard/core/work/gate/check-output"
import type { WantedPreview } from "@switchyard/core/work/preview/rules"
import { openTunnel, type Tunnel } from "./tunnel.ts"
import { runInWorkdir, type Workdir, type WorkdirDeps } from "./workdir.ts"

export interface PreviewServerDeps extends WorkdirDeps {
  send: (message: FromRunner) => void
}

/** A preview that this runner was asked to serve. */
export interface ServedPreview {
  wanted: WantedPreview
  /** Aborts when other sessions need a runner. */
  yielding: AbortSignal | undefined
  /** Appends an event, unless the preview has been replaced or stopped since. */
  tell: (event: NewEvent, options: { signal: AbortSignal }) => Promise<void>
}

/** Reason why the server is no longer running. */
export interface PreviewEnd {
  reason: string
  failed: boolean
  output: string
}

/**
 * Time after which an unused server is stopped, because it takes up memory and other sessions may be waiting for a
 * runner.
 */
const UNUSED_MS = 15 * 60_000
const TOLD_OUTPUT = 6000

const PROGRAM = fileURLToPath(new URL("serve-preview.js", import.meta.url))

/**
 * Starts the project's server in a prepared folder. Serves it until it exits, or until it has had no viewers for a
 * while.
 */
export async function runPreviewServer(
  deps: PreviewServerDeps,
  preview: ServedPreview,
  { workdir, command, startsWithinMs }: { workdir: Workdir; command: string; startsWithinMs: number },
  { signal }: { signal: AbortSignal },
): Promise<PreviewEnd> {
  const tunnel = await openTunnel(deps.clock.monotonic, workdir.user)
  const isAlone = (await deps.confinement()).means === "bubblewrap"
  const about = { command, limitMs: startsWithinMs, isAlone, port: preview.wanted.port }
  // The sandbox makes files visible if they are passed as program arguments.
  const args = [PROGRAM, tunnel.inside, JSON.stringify(about)]
  const unused = new AbortController()
  const either = AbortSignal.any([signal, unused.signal])
  const limits = { network: false, limitMs: null, signal: either }
  const program = runInWorkdir(deps, { file: process.execPath, args }, workdir, limits)
  const watching = announce(deps, preview, { tunnel, unused }, { signal: either }).catch(deps.report)
  try {
    const { output } = await program
    return failure("The server exited by itself.", shownOutput(output, workdir))
  } catch (error) {
    if (signal.aborted || !unused.signal.aborted) throw error
    return { reason: "It had no viewers for a while.", failed: false, output: "" }
  } finally {
    unused.abort()
    await watching
    deps.send({ type: "preview", socket: null })
    await tunnel.close()
  }
}

/**
 * Announces the server once it responds. Stops the server if it has been unused for a while, or if other sessions need
 * a runner.
 */
async function announce(
  { clock, send }: PreviewServerDeps,
  { wanted, yielding, tell }: ServedPreview,
  { tunnel, unused }: { tunnel: Tunnel; unused: AbortController },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const aborted = whenAborted(signal)
  await Promise.race([tunnel.opened, aborted])
  if (signal.aborted) return
  send({ type: "preview", socket: tunnel.outside })
  const page = await hasPage(tunnel.outside, { signal })
  await tell({ type: "server_preview_ready", workspace_version: wanted.version, page }, { signal })
  while (!signal.aborted) {
    const leftMs = yielding?.aborted ? 0 : tunnel.usedAt + UNUSED_MS - clock.monotonic()
    if (leftMs <= 0) return unused.abort()
    const woken = yielding ? AbortSignal.any([signal, yielding]) : signal
    await clock.sleep(leftMs, { signal: woken }).catch(() => undefined)
  }
}

const PAGE_WITHIN_MS = 5000

/** Returns true if the server responds to `/` with a page or a redirect, or if it is too slow to tell. */
async function hasPage(socketPath: string, { signal }: { signal: AbortSignal }): Promise<boolean> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(PAGE_WITHIN_MS)])
  try {
    const request = get({ socketPath, path: "/", headers: { host: "localhost", accept: "text/html" }, signal: within })
    const [response] = (await once(request, "response")) as [IncomingMessage]
    response.destroy()
    const { statusCode = 0, headers } = response
    return statusCode < 400 && (statusCode >= 300 || /^text\/html\b/i.test(headers["content-type"] ?? ""))
  } catch {
    return true
  }
}

export function failure(reason: string, output = ""): PreviewEnd {
  return { reason, failed: true, output }
}

/** Removes the path of the clean copy from an output, because this path means nothing to readers. */
export function shownOutput(output: string, { cwd }: Workdir): string {
  return shortenOutput(output.replaceAll(`${cwd}/`, "").trim(), TOLD_OUTPUT)
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

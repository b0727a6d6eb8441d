import { fileURLToPath } from "node:url"
import type { FromRunner } from "@switchyard/core/agents/runner/messages"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog, SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { type Check, findChecks } from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import { PREVIEW_LIMIT_SECONDS, type RepositoryChecks, USUAL_LIMIT_SECONDS } from "@switchyard/core/work/gate/schema"
import {
  appendPreviewEvents,
  awaitsPreview,
  endedPreview,
  STOPPED,
  type WantedPreview,
  wantedPreview,
} from "@switchyard/core/work/preview/rules"
import type { Commit } from "./commit-files.ts"
import { whyNotGuarded } from "./guarded.ts"
import { filesBeside } from "./preview-files.ts"
import { openTunnel, type Tunnel } from "./tunnel.ts"
import { missingProgram, whyNotFetched } from "./why-not-run.ts"
import {
  diskOf,
  findWorkdir,
  type ProgramEnd,
  prepareWorkdir,
  runInWorkdir,
  type Workdir,
  type WorkdirDeps,
} from "./workdir.ts"

export interface ServerPreviewDeps extends WorkdirDeps, SessionLogDeps {
  send: (message: FromRunner) => void
  /** Returns the head commit of the session's worktree, or of its repository; undefined if this machine has neither. */
  commitOf: (session: SessionLog, options: { signal: AbortSignal }) => Promise<Commit | undefined>
}

/** Serves a preview of the session's project. */
export interface ServerPreview {
  /** True if a server is starting or running. */
  readonly busy: boolean
  /** Starts, replaces and stops the server as requested in the session log. Returns once it has stopped. */
  serve(options: { signal: AbortSignal }): Promise<void>
}

/** Time until an unused server is stopped: it takes up memory and may keep other sessions waiting for a runner. */
const UNUSED_MS = 15 * 60_000
const TOLD_OUTPUT = 6000

const PROGRAM = fileURLToPath(new URL("serve-preview.js", import.meta.url))

type End = { reason: string; failed: boolean; output: string }

export function createServerPreview(
  deps: ServerPreviewDeps,
  session: SessionLog,
  { generation, yielding }: { generation: number; yielding: AbortSignal | undefined },
): ServerPreview {
  const { clock, send, report } = deps
  const { sid } = session
  let current: { wanted: WantedPreview; over: AbortController; done: Promise<void> } | undefined

  /** Replaces the running server with the requested one if they differ. */
  async function follow(signal: AbortSignal): Promise<void> {
    const state = await session.catchUp({ signal })
    const wanted = wantedPreview(state, current?.wanted)
    if (!current && wanted && state.preview.stage === "requested" && !awaitsPreview(state, clock.now())) {
      const late = { reason: "No runner was available in time.", failed: true, output: "" }
      return tell({ seq: wanted.requestSeq }, [endedPreview(wanted.version, late)], signal)
    }
    const isSame = wanted?.requestSeq === current?.wanted.requestSeq && wanted?.version === current?.wanted.version
    if (isSame && (wanted !== undefined || state.preview.stage !== "stopping")) return
    const before = current
    before?.over.abort()
    await before?.done
    if (wanted) return begin(wanted, signal)
    if (state.preview.request) await tell(state.preview.request, [ended(state.preview.request.version)], signal)
  }

  function begin(wanted: WantedPreview, signal: AbortSignal): void {
    const over = new AbortController()
    const run = show(wanted, AbortSignal.any([signal, over.signal]))
      .then((end) => tell({ seq: wanted.requestSeq }, [endedPreview(wanted.version, end)], signal))
      .catch(async (error) => {
        if (over.signal.aborted || signal.aborted) return
        report(error)
        await tell(
          { seq: wanted.requestSeq },
          [endedPreview(wanted.version, failure("It couldn't be started."))],
          signal,
        )
      })
    const started = { wanted, over, done: run }
    current = started
    started.done = run.finally(() => {
      if (current === started) current = undefined
    })
  }

  /** Appends events, unless the preview has since been replaced or stopped. */
  async function tell(request: { seq: number }, events: NewEvent[], signal: AbortSignal): Promise<void> {
    await session.decide(appendPreviewEvents(generation, request.seq, events), { signal }).catch((error) => {
      if (!isAppError(error, "run_superseded")) throw error
    })
  }

  /** Installs, builds and starts these files, and serves them until the server exits. */
  async function show(wanted: WantedPreview, signal: AbortSignal): Promise<End> {
    const { state } = session
    const workspace = await openWorkspace(deps, { sid, state }, { at: wanted, signal })
    const commands: RepositoryChecks = { ...wanted.commands, ...state.workspace.checkCommands }
    const seconds = commands.limits_seconds ?? {}
    const own = { project: await readProject(workspace, { signal }), manifest: workspace.manifest }
    const commit = await deps.commitOf(session, { signal })
    const beside = commit && (await filesBeside(commit, own, { signal }))
    const checks = findChecks(beside?.project ?? own.project, commands)
    const start = checks.find(({ name, page }) => name === "start" && page === undefined)
    if (!start) return failure(whyNoStart(state, commit))
    const before = checks.filter(({ name }) => name === "install" || name === "build")
    const unguarded = await whyNotGuarded(deps, before)
    if (unguarded !== undefined) return failure(unguarded)
    const workdir = await findWorkdir(deps, { purpose: "previews", sid }, [...before, start])
    if ("missing" in workdir) return failure(missingProgram(workdir))
    await prepareWorkdir(deps, workdir, { sid, incarnation: state.session.incarnation }, workspace.manifest, { signal })
    await beside?.addTo(workdir, { signal })
    const starting = ({ command }: Check): NewEvent => {
      return { type: "server_preview_starting", workspace_version: wanted.version, command }
    }
    try {
      for (const check of before) {
        await tell({ seq: wanted.requestSeq }, [starting(check)], signal)
        const shell = { file: "/bin/sh", args: ["-c", check.command] }
        const limitMs = (seconds[check.name] ?? USUAL_LIMIT_SECONDS) * 1000
        const limits = { network: check.network ?? false, limitMs, signal }
        const end = await runInWorkdir(deps, shell, workdir, limits)
        if (end.exitCode !== 0) return failure(reasonOf(check, end, limitMs), told(end.output, workdir))
      }
      await tell({ seq: wanted.requestSeq }, [starting(start)], signal)
      const startsWithinMs = (seconds.start ?? PREVIEW_LIMIT_SECONDS) * 1000
      return await serveFrom(workdir, { command: start.command, startsWithinMs }, wanted, signal)
    } finally {
      await diskOf(workdir).remove(workdir.cwd)
    }
  }

  async function serveFrom(
    workdir: Workdir,
    { command, startsWithinMs }: { command: string; startsWithinMs: number },
    wanted: WantedPreview,
    signal: AbortSignal,
  ): Promise<End> {
    const tunnel = await openTunnel(clock.monotonic, workdir.user)
    const isAlone = (await deps.confinement()).means === "bubblewrap"
    const { port } = wanted
    const about = { command, limitMs: startsWithinMs, isAlone, port }
    // The sandbox exposes files that are passed as program arguments.
    const args = [PROGRAM, tunnel.inside, JSON.stringify(about)]
    const unused = new AbortController()
    const either = AbortSignal.any([signal, unused.signal])
    const program = runInWorkdir(deps, { file: process.execPath, args }, workdir, {
      network: false,
      limitMs: null,
      signal: either,
    })
    const watching = announce(tunnel, wanted, either, unused).catch(report)
    try {
      const { output } = await program
      return failure("The server exited by itself.", told(output, workdir))
    } catch (error) {
      if (signal.aborted || !unused.signal.aborted) throw error
      return { reason: "It had no viewers for a while.", failed: false, output: "" }
    } finally {
      unused.abort()
      await watching
      send({ type: "preview", socket: null })
      await tunnel.close()
    }
  }

  /** Announces the server once it responds. Stops it if it is unused for a while or other sessions are waiting. */
  async function announce(
    tunnel: Tunnel,
    wanted: WantedPreview,
    signal: AbortSignal,
    unused: AbortController,
  ): Promise<void> {
    const aborted = whenAborted(signal)
    await Promise.race([tunnel.opened, aborted])
    if (signal.aborted) return
    send({ type: "preview", socket: tunnel.outside })
    const ready: NewEvent = { type: "server_preview_ready", workspace_version: wanted.version }
    await tell({ seq: wanted.requestSeq }, [ready], signal)
    while (!signal.aborted) {
      const leftMs = yielding?.aborted ? 0 : tunnel.usedAt + UNUSED_MS - clock.monotonic()
      if (leftMs <= 0) return unused.abort()
      const woken = yielding ? AbortSignal.any([signal, yielding]) : signal
      await clock.sleep(leftMs, { signal: woken }).catch(() => undefined)
    }
  }

  return {
    get busy() {
      return current !== undefined
    },
    async serve({ signal }) {
      try {
        await follow(signal)
        for await (const event of deps.log.tail(logName(sid), session.state.head, { signal })) {
          if (CONCERNS.has(event.type)) await follow(signal)
        }
      } finally {
        current?.over.abort()
        await current?.done
      }
    },
  }
}

const CONCERNS: ReadonlySet<string> = new Set([
  "server_preview_requested",
  "server_preview_stop_requested",
  "workspace_committed",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "session_deleted",
])

function ended(version: number): NewEvent {
  return endedPreview(version, { reason: STOPPED, failed: false, output: "" })
}

function whyNoStart({ session }: SessionLog["state"], commit: Commit | undefined): string {
  if (session.repository === null || commit) return "The project has no start command."
  return "The repository hasn't been cloned yet. The session's first task will clone it."
}

function failure(reason: string, output = ""): End {
  return { reason, failed: true, output }
}

function reasonOf({ network, command }: Check, end: ProgramEnd, limitMs: number): string {
  const failed = end.isTooLate ? `${command} exceeded its time limit of ${limitMs / 1000} s.` : undefined
  return (network ? whyNotFetched(end) : undefined) ?? failed ?? `${command} failed.`
}

/** Removes the copy's path, which means nothing to readers. */
function told(output: string, { cwd }: Workdir): string {
  return output.replaceAll(`${cwd}/`, "").trim().slice(-TOLD_OUTPUT)
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

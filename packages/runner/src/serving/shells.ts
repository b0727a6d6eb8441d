import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Attachments } from "../agents/attachments.ts"
import { openTerminalProgram, type TerminalProgramDeps } from "../agents/terminal-program.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import { locate } from "../programs/locate.ts"
import type { Preparation } from "../project/setup/preparation.ts"
import { lateNotice } from "./input-notices.ts"

/** People's shells in a session's worktrees. */
export interface Shells {
  /** True if at least one shell has a viewer. */
  readonly isWatched: boolean
  readonly areOpen: boolean
  /** Opens a shell and returns its terminal. The terminal ends when its program or the runner ends. */
  open(worktree: Worktree, name: string, size: Size): Promise<{ pty: string }>
  /** Ends all shells. */
  close(): Promise<void>
}

export interface ShellsDeps extends Omit<TerminalProgramDeps, "openLog" | "sessionSeq"> {
  openLog: (about: { incarnation: number; pty: string }) => ReturnType<TerminalProgramDeps["openLog"]>
  attachments: Attachments
  preparation: Preparation
  /** The runner's own environment. */
  host: Record<string, string | undefined>
  /** Folder for pipes and recordings. */
  folder: string
}

interface Size {
  rows: number
  cols: number
}

const MAX_SHELLS = 8
const CLOSE_WITHIN_MS = 10_000

export function createShells(deps: ShellsDeps, session: SessionLog, generation: number): Shells {
  const { attachments, preparation, folder, host } = deps
  const terminals = attachments.ofAgent("")
  const open = new Map<string, { viewers: Set<string>; end: () => Promise<void> }>()
  /** Number of shells that are being opened. They count toward the limit too. */
  let opening = 0

  async function append(events: NewEvent[], signal: AbortSignal): Promise<void> {
    await session.decide(appendAsRunner(generation, events), { signal })
  }

  async function openShell(worktree: Worktree, name: string, { rows, cols }: Size): Promise<{ pty: string }> {
    const shell = await shellOf(host)
    const { program, env } = await preparation.place(worktree, name, { file: shell, args: [] })
    const user = preparation.userOf(worktree, name)
    const pty = deps.newId("pty")
    terminals.expectTerminal(pty)
    const { incarnation } = session.state.session
    const title = name === "main" ? "Shell" : `Shell in ${name}`
    await append([{ type: "terminal_opened", pty, kind: "shell", title, rows, cols }], deps.ended)
    const about = { ...deps, openLog: () => deps.openLog({ incarnation, pty }), sessionSeq: () => session.state.head }
    const shown = await openTerminalProgram(about, pty, {
      ...{ ...program, cwd: worktree.tree, env: { ...env, SHELL: shell }, piped: false },
      ...{ folder, rows, cols, title, ...(user && { user }) },
    })
    const viewers = new Set<string>()
    const handler = shown.attached(shown.program.type)
    terminals.addTerminal(pty, {
      ...handler,
      watched(client) {
        viewers.add(client)
        handler.watched(client)
      },
      left(client) {
        viewers.delete(client)
        handler.left(client)
      },
    })
    const ended = shown.program.exited.then(async () => {
      terminals.removeTerminal(pty)
      open.delete(pty)
      const { events } = await shown.close()
      const notices = shown.leftTextUnread() ? [lateNotice("")] : []
      await append([...events, ...notices], AbortSignal.timeout(CLOSE_WITHIN_MS))
    })
    const settled = ended.catch((error) => {
      if (!isAppError(error, "run_superseded")) deps.report(error)
    })
    open.set(pty, {
      viewers,
      async end() {
        await shown.program.kill()
        await settled
      },
    })
    return { pty }
  }

  return {
    get isWatched() {
      return [...open.values()].some(({ viewers }) => viewers.size > 0)
    },
    get areOpen() {
      return open.size > 0
    },
    async open(worktree, name, size) {
      if (open.size + opening >= MAX_SHELLS) {
        throw new AppError("limit_reached", `This session already has ${MAX_SHELLS} shells open.`)
      }
      opening++
      try {
        return await openShell(worktree, name, size)
      } finally {
        opening--
      }
    },
    async close() {
      await Promise.all([...open.values()].map(({ end }) => end()))
    },
  }
}

/** Returns the person's own shell. If they have none, returns bash or sh. */
async function shellOf(host: Record<string, string | undefined>): Promise<string> {
  for (const name of [host.SHELL, "bash"]) {
    const found = name && (await locate(name, host.PATH ?? "/usr/bin:/bin"))
    if (found) return found.file
  }
  return "/bin/sh"
}

import { clis, isBuiltIn } from "../../agents/clis/clis.ts"
import { cliTitle } from "../../agents/clis/titles.ts"
import { findAgent } from "../../agents/conversations/rules.ts"
import { MAIN_AGENT } from "../../agents/conversations/schema.ts"
import type { AgentState } from "../../agents/conversations/state.ts"
import type { TerminalCommand } from "../../agents/native-sessions/schema.ts"
import { terminalCommand } from "../../agents/native-sessions/terminal-command.ts"
import { AppError } from "../../errors.ts"
import { type SavedFile, SavedProject } from "../../files/worktrees/checkpoint-schema.ts"
import { readWorktree } from "../../files/worktrees/latest.ts"
import { worktreeOf } from "../../files/worktrees/state.ts"
import { logName, savedPiece } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { activeRun } from "../../work/runs/state.ts"
import { type AgentHost, nativeSessionsOf } from "../requests/agent-host.ts"
import type { OwnedSession } from "./agents.ts"

interface OwnTerminalDeps {
  log: Log
  blobs: Blobs
  agents?: AgentHost
}

/**
 * Copies an agent's own session to the home of this machine's user. Returns the command that continues the session there,
 * in the agent's worktree. Throws `run_active` while the agent works, and `task_invalid` if its session can't be copied.
 */
export async function continueInTerminal(
  deps: OwnTerminalDeps,
  session: OwnedSession,
  named: string,
  options: { signal: AbortSignal },
): Promise<TerminalCommand> {
  const sessions = nativeSessionsOf(deps.agents, session.owner)
  const agent = findAgent(session.state, named)
  if (activeRun(session.state, agent.agentId)) {
    throw new AppError("run_active", "The agent is working. Its session can be continued elsewhere when it is idle.")
  }
  const { cli, session_id, files } = await readSaved(deps, session, agent, options)
  const report = await readWorktree(deps, session, { worktree: agent.worktree, ...options })
  const folder = report?.status.path
  if (!folder) throw new AppError("task_invalid", "The agent's worktree no longer exists.")
  await sessions.write(files)
  return { agent_id: agent.agentId, agent: cli, session_id, folder, command: terminalCommand(cli, session_id, folder) }
}

/** Reads the agent's native session from the last save of its work. */
async function readSaved(
  deps: OwnTerminalDeps,
  session: SessionHandle,
  { agentId, program, worktree, nativeSession }: AgentState,
  options: { signal: AbortSignal },
) {
  const saved = await lastSave(deps, session, worktree, options)
  const state = saved?.memories.find(({ agent_id = MAIN_AGENT, cli, account, native_session_id }) => {
    const isProgram = cli === program?.cli && account === program.account
    return agent_id === agentId && isProgram && native_session_id === nativeSession
  })
  if (!state) throw new AppError("task_invalid", "The agent has no saved session.")
  const { cli } = state
  if (!isBuiltIn(cli) || !clis[cli].sessionFiles.moves) {
    throw new AppError("task_invalid", `Sessions of ${cliTitle(cli)} can't be copied.`)
  }
  const { sid } = session
  const { incarnation } = session.state.session
  const read = (file: SavedFile) => readPieces(deps.blobs, { sid, incarnation }, file, options)
  const files = await Promise.all(state.files.map(async (file) => ({ path: file.path, content: await read(file) })))
  return { cli, session_id: state.native_session_id, files }
}

async function lastSave(
  { log, blobs }: OwnTerminalDeps,
  { sid, state }: SessionHandle,
  worktree: string,
  options: { signal: AbortSignal },
): Promise<SavedProject | undefined> {
  const { savedSeq } = worktreeOf(state, worktree)
  if (savedSeq === null) return undefined
  for await (const event of log.read(logName(sid), savedSeq - 1, options)) {
    return event.type === "project_saved" ? readField(blobs, event.save, SavedProject, options) : undefined
  }
  return undefined
}

async function readPieces(
  blobs: Blobs,
  place: { sid: string; incarnation: number },
  { path, pieces }: SavedFile,
  options: { signal: AbortSignal },
): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const sha256 of pieces) {
    const source = await blobs.get(savedPiece(place, sha256), options)
    if (!source) throw new AppError("storage_damaged", `A stored piece of ${path} is missing.`)
    parts.push(await readAll(source))
  }
  return Buffer.concat(parts)
}

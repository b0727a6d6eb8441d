import {
  type AgentApp,
  type AgentContext,
  agent as createAgent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
  type StopReason,
} from "@agentclientprotocol/sdk"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { SessionEvent } from "@switchyard/core/events"
import { RELEASE } from "@switchyard/core/release"
import type { Api } from "../api/api.ts"
import { SessionEvents, SessionList } from "../api/responses.ts"
import { askForConsent } from "../errors/consent.ts"
import { CliError, isRefusal, Refused } from "../errors/errors.ts"
import { type FollowDeps, followRun } from "../streams/follow.ts"
import { promptText } from "./prompt-text.ts"
import { createQuestions } from "./questions.ts"
import { SHOWN_TYPES, updatesOf } from "./updates.ts"

/** Text that is added to hints about options, because people who use an editor don't type a command line. */
const IN_EDITOR = " to Switchyard's arguments in the settings of your editor"

export interface EditorAgentOptions {
  /** Account name or agent ID of the agent that does the work. */
  agent: string
  model?: string
  mode?: PermissionMode
  consent?: boolean
}

export interface EditorAgentDeps extends FollowDeps {
  api: Api
  newKey: () => string
  /** Returns the repository that belongs to a folder that is open in an editor. Undefined if there is none. */
  repositoryFor(folder: string, options: { signal: AbortSignal }): Promise<string | undefined>
}

/** State of an editor's session. */
interface OpenSession {
  mode: PermissionMode
  /** Aborts when the editor cancels the current prompt. */
  turn?: AbortController
}

const MODES: Record<PermissionMode, { name: string; description: string }> = {
  ask: { name: "Ask", description: "Asks before each change and command" },
  accept_edits: { name: "Accept edits", description: "Asks before running commands or leaving the worktree" },
  plan: { name: "Plan", description: "Reads but doesn't change anything" },
  bypass: { name: "Don't ask", description: "Never asks" },
}

/**
 * Creates the agent that an editor talks to. Each session in the editor is a Switchyard session, and each prompt is a
 * run in that session.
 */
export function createEditorAgent(deps: EditorAgentDeps, options: EditorAgentOptions): AgentApp {
  const { api } = deps
  const sessions = new Map<string, OpenSession>()

  function open(sessionId: string): SessionModeState {
    const mode = options.mode ?? "ask"
    sessions.set(sessionId, { mode })
    const availableModes = PermissionMode.options.map((id) => ({ id, ...MODES[id] }))
    return { currentModeId: mode, availableModes }
  }

  function sessionOf(sessionId: string): OpenSession {
    const session = sessions.get(sessionId)
    if (!session) throw RequestError.sessionNotFound(sessionId)
    return session
  }

  async function prompt(sessionId: string, text: string, client: AgentContext, signal: AbortSignal) {
    const session = sessionOf(sessionId)
    const turn = new AbortController()
    session.turn = turn
    try {
      const { agent, model, consent } = options
      const { run_id } = await api
        .startRun(
          {
            ...{ kind: "agent", user_prompt: text, workspace_id: sessionId, coding_agent: agent, coding_model: model },
            ...{ mode: session.mode, consent },
          },
          { idempotencyKey: deps.newKey(), signal },
        )
        .catch(askForConsent("In this mode, an agent runs commands", IN_EDITOR))
      return await show({ sessionId, runId: run_id, turn: turn.signal }, client, signal)
    } finally {
      if (session.turn === turn) session.turn = undefined
    }
  }

  /** Shows a run until it ends. Returns the reason why the turn stopped. */
  async function show(
    { sessionId, runId, turn }: { sessionId: string; runId: string; turn: AbortSignal },
    client: AgentContext,
    signal: AbortSignal,
  ): Promise<StopReason> {
    const questions = createQuestions(deps, { sessionId, client, turn, signal })
    const stop = () => void api.cancelRun(runId, { signal }).catch((error) => deps.notice(wordsOf(error)))
    if (turn.aborted) stop()
    turn.addEventListener("abort", stop, { once: true })
    try {
      for await (const event of followRun(deps, runId, { since: 0, signal })) {
        const known = SessionEvent.safeParse(event).data
        if (!known) continue
        await tell(sessionId, known, client)
        questions.take(known)
        if (known.type === "run_completed") return "end_turn"
        if (known.type === "run_cancelled") return "cancelled"
        if (known.type === "run_failed") throw RequestError.internalError(undefined, known.message)
      }
      return "end_turn"
    } finally {
      questions.close()
      turn.removeEventListener("abort", stop)
    }
  }

  async function tell(sessionId: string, event: SessionEvent, client: AgentContext): Promise<void> {
    // Skip the prompt that the user has sent, because the editor already shows it.
    const isOwn = event.type === "user_message" && event.source === "task"
    for (const update of isOwn ? [] : updatesOf(event)) {
      await client.notify(methods.client.session.update, { sessionId, update })
    }
    if (event.type !== "agent_mode_changed") return
    sessionOf(sessionId).mode = event.mode
    const update = { sessionUpdate: "current_mode_update", currentModeId: event.mode } as const
    await client.notify(methods.client.session.update, { sessionId, update })
  }

  async function replay(sessionId: string, client: AgentContext, signal: AbortSignal): Promise<void> {
    for await (const event of shownEvents(api, sessionId, signal)) {
      const known = SessionEvent.safeParse(event).data
      for (const update of known ? updatesOf(known) : []) {
        await client.notify(methods.client.session.update, { sessionId, update })
      }
    }
  }

  return createAgent({ name: "switchyard" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "switchyard", title: "Switchyard", version: RELEASE },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: false, audio: false },
        sessionCapabilities: { list: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params: { cwd }, signal }) =>
      translated(async () => {
        const repository = await deps.repositoryFor(cwd, { signal })
        const { id } = await api.openSession({ repository }, { signal })
        return { sessionId: id, modes: open(id) }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId }, client, signal }) =>
      translated(async () => {
        await api.session(sessionId, { signal }).catch(asUnknownSession(sessionId))
        const modes = open(sessionId)
        await replay(sessionId, client, signal)
        return { modes }
      }),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor }, signal }) =>
      translated(async () => {
        const query = { before: cursor ?? undefined }
        const page = await api.ask("GET /api/v1/sessions", SessionList, { query, signal })
        const listed = page.sessions.map(({ id, name, repository, last_activity }) => {
          return { sessionId: id, cwd: repository ?? "", title: name, updatedAt: last_activity }
        })
        // Keep only sessions with a folder on this machine. Other sessions don't belong to any of the editor's folders.
        const here = listed.filter((one) => one.cwd.startsWith("/") && (!cwd || one.cwd === cwd))
        return { sessions: here, nextCursor: page.next }
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) => {
      const mode = PermissionMode.safeParse(modeId).data
      if (!mode) throw RequestError.invalidParams({ modeId }, "This mode doesn't exist.")
      sessionOf(sessionId).mode = mode
      return {}
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      translated(async () => {
        const text = promptText(params.prompt)
        return { stopReason: await prompt(params.sessionId, text, client, signal) }
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort())
}

/** Yields a session's events so far, limited to the types that editors show. */
async function* shownEvents(api: Api, id: string, signal: AbortSignal) {
  for (let since = 0; ; ) {
    const query = { since_seq: since, event_types: [...SHOWN_TYPES].join(",") }
    const page = await api.ask("GET /api/v1/sessions/{id}/events", SessionEvents, { path: { id }, query, signal })
    yield* page.events
    if (page.to_seq >= page.latest_seq) return
    since = page.to_seq
  }
}

/** Runs a task. Converts expected failures to errors that the editor can show, with the server's message. */
async function translated<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    if (isRefusal(error, "unauthorized")) throw RequestError.authRequired(undefined, error.message)
    if (error instanceof CliError) throw new RequestError(-32603, wordsOf(error), codeOf(error))
    throw error
  }
}

function asUnknownSession(sessionId: string): (error: unknown) => never {
  return (error) => {
    throw isRefusal(error, "session_not_found") ? RequestError.sessionNotFound(sessionId) : error
  }
}

function codeOf(error: CliError): { code: string } | undefined {
  return error instanceof Refused ? { code: error.code } : undefined
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AgentId, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { type IndexedTerminal, terminalsNewestFirst } from "@switchyard/core/agents/terminals/terminal-index"
import { AppError } from "@switchyard/core/errors"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { runningAgent } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("terminals")
const ofAgent = z.object({ agent_id: AgentId.default(MAIN_AGENT).describe("An agent in the session") })
const Accepted = z
  .object({ success: z.literal(true), session_id: z.string() })
  .openapi("HandOver", { description: "Accepted. An event reports when the terminal is open" })

export const routes = {
  takeOver: endpoint.post("/api/v1/sessions/{id}/take-over", {
    summary: "Take over the agent's session in the agent's own UI",
    description:
      "Interrupts the agent's turn and opens a terminal of kind `tui`, which receives all your input. The task continues when the session is handed back or the program exits.",
    request: { params: SessionId, query: ofAgent },
    responses: answers(Accepted, "Accepted"),
  }),
  handBack: endpoint.post("/api/v1/sessions/{id}/hand-back", {
    summary: "Hand the session back to the agent",
    request: { params: SessionId, query: ofAgent },
    responses: answers(Accepted, "Accepted"),
  }),
}

/** Lets a person take over a working agent and hand it back. */
export function takeoverRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  async function takeOver(session: SessionHandle, agent_id: string): Promise<void> {
    const current = await openTerminalOf(session, agent_id)
    if (current.view.kind === "tui") return
    if (!(await hasSession(session, current))) throw refused("The agent hasn't started yet. Try again in a moment.")
    await deps.inboxes.send(session, [{ type: "agent_take_over", agent_id }], options)
  }

  async function handBack(session: SessionHandle, agent_id: string): Promise<void> {
    const { view } = await openTerminalOf(session, agent_id)
    if (view.kind !== "tui") throw refused("The agent hasn't been taken over.")
    await deps.inboxes.send(session, [{ type: "agent_hand_back", agent_id }], options)
  }

  /** Returns the working agent's terminal. */
  async function openTerminalOf(session: SessionHandle, agentId: string): Promise<IndexedTerminal> {
    const working = runningAgent(session.state, agentId)
    if (!working) throw refused("No agent is working in this session.")
    for await (const terminal of terminalsNewestFirst(deps, session, options)) {
      if (terminal.view.open && terminal.view.run_id === working.runId) return terminal
      if (terminal.openedSeq < working.firstSeq) break
    }
    throw refused("The agent hasn't started yet. Try again in a moment.")
  }

  /** True if the program in the terminal has reported its session ID, which is needed to resume its session. */
  async function hasSession({ sid }: SessionHandle, { view, openedSeq }: IndexedTerminal): Promise<boolean> {
    for await (const event of deps.log.read(logName(sid), openedSeq, options)) {
      if (event.type === "agent_session_opened" && event.run_id === view.run_id) return true
    }
    return false
  }

  return createRoutes()
    .openapi(routes.takeOver, async (c) => {
      const { id } = c.req.valid("param")
      await takeOver(await find(c, id), c.req.valid("query").agent_id)
      return c.json({ success: true as const, session_id: id }, 200)
    })
    .openapi(routes.handBack, async (c) => {
      const { id } = c.req.valid("param")
      await handBack(await find(c, id), c.req.valid("query").agent_id)
      return c.json({ success: true as const, session_id: id }, 200)
    })
}

function refused(message: string): AppError {
  return new AppError("terminal_invalid", message)
}

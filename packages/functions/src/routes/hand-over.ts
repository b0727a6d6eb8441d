import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi"
import { type KnownTerminal, terminalsBack } from "@switchyard/core/agents/terminals/terminal-index"
import { AppError } from "@switchyard/core/errors"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { runningInWorktree } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { principal } from "../http/request.ts"
import { answers, createRoutes } from "../http/routing.ts"
import { SessionId } from "../http/schemas.ts"

const tags = ["terminals"]
const Asked = z
  .object({ success: z.literal(true), session_id: z.string() })
  .openapi("HandOver", { description: "It is on its way: the log tells of the terminal that opens" })

export const routes = {
  takeOver: createRoute({
    method: "post",
    path: "/api/v1/sessions/{id}/take-over",
    tags,
    summary: "Go on in the agent's own screen, in its session",
    description:
      "The agent's turn is interrupted, and a terminal of kind `tui` opens, in which every key is the program's. The task goes on when it is handed back, or the program is left.",
    request: { params: SessionId },
    responses: answers(Asked, "It is on its way"),
  }),
  handBack: createRoute({
    method: "post",
    path: "/api/v1/sessions/{id}/hand-back",
    tags,
    summary: "Let the agent go on with its task by itself",
    request: { params: SessionId },
    responses: answers(Asked, "It is on its way"),
  }),
}

/** Takeover of an agent that is at work by a person, and back. */
export function handOverRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  async function takeOver(session: SessionHandle): Promise<void> {
    const shown = await shownBy(session)
    if (shown.view.kind === "tui") return
    if (!(await hasSession(session, shown))) throw refused("The agent hasn't begun yet. Take it over in a moment.")
    await deps.inboxes.send(session, [{ type: "agent_take_over" }], options)
  }

  async function handBack(session: SessionHandle): Promise<void> {
    const { view } = await shownBy(session)
    if (view.kind !== "tui") throw refused("Nobody has taken the agent over.")
    await deps.inboxes.send(session, [{ type: "agent_hand_back" }], options)
  }

  /** The terminal in which an agent works now. */
  async function shownBy(session: SessionHandle): Promise<KnownTerminal> {
    const working = runningInWorktree(session.state)
    if (!working) throw refused("No agent works here.")
    for await (const terminal of terminalsBack(deps, session, options)) {
      if (terminal.view.open && terminal.view.run_id === working.runId) return terminal
      if (terminal.openedSeq < working.firstSeq) break
    }
    throw refused("The agent hasn't begun yet. Take it over in a moment.")
  }

  /** Whether the program in the terminal has said by what name its session can be gone on with. */
  async function hasSession({ sid }: SessionHandle, { openedSeq }: KnownTerminal): Promise<boolean> {
    for await (const event of deps.log.read(logName(sid), openedSeq, options)) {
      if (event.type === "agent_session_opened") return true
    }
    return false
  }

  const answered = async (c: Context, id: string, act: (session: SessionHandle) => Promise<void>) => {
    await act(await find(c, id))
    return { success: true as const, session_id: id }
  }

  return createRoutes()
    .openapi(routes.takeOver, async (c) => c.json(await answered(c, c.req.valid("param").id, takeOver), 200))
    .openapi(routes.handBack, async (c) => c.json(await answered(c, c.req.valid("param").id, handBack), 200))
}

function refused(message: string): AppError {
  return new AppError("terminal_invalid", message)
}

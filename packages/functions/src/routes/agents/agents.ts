import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { isOver } from "@switchyard/core/agents/conversations/agent-reply"
import {
  AcceptedMessage,
  Agent,
  AgentChanges,
  AgentDetails,
  AgentReply,
  ConversationMessage,
  Interrupt,
  Interrupted,
  NewAgent,
  NewAgentMessage,
} from "@switchyard/core/agents/conversations/agent-schema"
import { readConversationPage } from "@switchyard/core/agents/conversations/read-conversation"
import { findAgent } from "@switchyard/core/agents/conversations/rules"
import type { OwnedSession } from "@switchyard/core/sessions/agents/agents"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("agents")
const ofAgent = SessionId.extend({ agent: z.string().min(1).max(100).describe("The agent's ID or name") })
const Agents = z.object({ agents: z.array(Agent) }).openapi("Agents", { description: "The agents, main first" })
const Page = z
  .object({
    agent_id: z.string(),
    messages: z.array(ConversationMessage).describe("Oldest first"),
    before: z.int().positive().nullable().describe("Cursor for the previous page; null if there is none"),
  })
  .openapi("AgentMessages")

const LONGEST_WAIT_S = 50

export const routes = {
  list: endpoint.get("/api/v1/sessions/{id}/agents", {
    summary: "List a session's agents",
    request: { params: SessionId },
    responses: answers(Agents, "The open agents"),
  }),
  create: endpoint.post("/api/v1/sessions/{id}/agents", {
    summary: "Add an agent to a session, with its own worktree",
    request: { params: SessionId, body: jsonBody(NewAgent) },
    responses: answers(Agent, "The agent", 201),
  }),
  closeAll: endpoint.delete("/api/v1/sessions/{id}/agents", {
    summary: "Close all agents in a session except main",
    request: { params: SessionId },
    responses: answers(Agents, "The closed agents"),
  }),
  get: endpoint.get("/api/v1/sessions/{id}/agents/{agent}", {
    summary: "Get an agent and its queued messages; a closed agent can only be found by ID",
    request: { params: ofAgent },
    responses: answers(AgentDetails, "The agent"),
  }),
  change: endpoint.patch("/api/v1/sessions/{id}/agents/{agent}", {
    summary:
      "Change an agent's name, program, mode or draft; the mode applies immediately, the program from the next turn",
    request: { params: ofAgent, body: jsonBody(AgentChanges) },
    responses: answers(Agent, "The agent"),
  }),
  close: endpoint.delete("/api/v1/sessions/{id}/agents/{agent}", {
    summary: "Close an agent: stops its turn, discards its queued messages and keeps its worktree",
    request: { params: ofAgent },
    responses: answers(Agent, "The agent"),
  }),
  messages: endpoint.get("/api/v1/sessions/{id}/agents/{agent}/messages", {
    summary: "Get the conversation with an agent: the latest messages, or those before an event",
    request: {
      params: ofAgent,
      query: z.object({
        before: z.coerce.number().int().min(1).max(1e15).optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    },
    responses: answers(Page, "Messages to the agent, its answers and its actions"),
  }),
  say: endpoint.post("/api/v1/sessions/{id}/agents/{agent}/messages", {
    summary: "Send a message to an agent",
    description:
      "An idle agent starts a turn with the message. For a busy agent, messages are queued and delivered together as its next turn. At most 20 messages can be queued; more are refused with 409 `queue_full`. Unlike `POST /api/v1/sessions/{id}/messages`, this never affects the current turn.",
    request: { params: ofAgent, body: jsonBody(NewAgentMessage) },
    responses: answers(AcceptedMessage, "Accepted", 202),
  }),
  interrupt: endpoint.post("/api/v1/sessions/{id}/agents/{agent}/interrupt", {
    summary: "Stop an agent's turn, then send a message",
    description:
      "Asks the agent's program to stop, through its protocol, and kills it if it doesn't. The turn's questions are withdrawn. Repeating the request while the turn is stopping only adds the new message.",
    request: { params: ofAgent, body: jsonBody(Interrupt) },
    responses: answers(Interrupted, "Accepted", 202),
  }),
  wait: endpoint.get("/api/v1/sessions/{id}/agents/{agent}/wait", {
    summary: "Wait until an agent is idle, then get its last answer",
    request: {
      params: ofAgent,
      query: z.object({ seconds: z.coerce.number().int().min(0).max(LONGEST_WAIT_S).default(0) }),
    },
    responses: {
      ...answers(AgentReply, "The agent is idle"),
      202: { description: "Not idle yet", content: { "application/json": { schema: AgentReply } } },
    },
  }),
}

/** Serves a session's agents and their conversations. */
export function agentRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  /** Loads the agents' module on demand, because most function instances never serve these routes. */
  async function agents() {
    const { createSessionAgents } = await import("@switchyard/core/sessions/agents/agents")
    return createSessionAgents(deps)
  }

  async function find(c: Context, id: string): Promise<OwnedSession> {
    const { owner } = principal(c)
    return { ...(await deps.sessions.find(owner, id, options)), owner }
  }

  return createRoutes()
    .openapi(routes.list, async (c) => {
      return c.json({ agents: (await agents()).list(await find(c, c.req.valid("param").id)) }, 200)
    })
    .openapi(routes.create, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      return c.json(await (await agents()).create(session, c.req.valid("json"), protectedOptions(c, deps)), 201)
    })
    .openapi(routes.closeAll, async (c) => {
      return c.json({ agents: await (await agents()).closeAll(await find(c, c.req.valid("param").id), options) }, 200)
    })
    .openapi(routes.get, async (c) => {
      const { id, agent } = c.req.valid("param")
      return c.json(await (await agents()).get(await find(c, id), agent, options), 200)
    })
    .openapi(routes.change, async (c) => {
      const { id, agent } = c.req.valid("param")
      return c.json(
        await (await agents()).change(await find(c, id), agent, c.req.valid("json"), protectedOptions(c, deps)),
        200,
      )
    })
    .openapi(routes.close, async (c) => {
      const { id, agent } = c.req.valid("param")
      return c.json(await (await agents()).close(await find(c, id), agent, options), 200)
    })
    .openapi(routes.messages, async (c) => {
      const { id, agent } = c.req.valid("param")
      const { before = Number.POSITIVE_INFINITY, limit } = c.req.valid("query")
      const session = await find(c, id)
      const { agentId } = findAgent(session.state, agent)
      const page = await readConversationPage(deps, session, { agentId, before, limit, ...options })
      return c.json({ agent_id: agentId, ...page }, 200)
    })
    .openapi(routes.say, async (c) => {
      const { id, agent } = c.req.valid("param")
      return c.json(await (await agents()).say(await find(c, id), agent, c.req.valid("json"), options), 202)
    })
    .openapi(routes.interrupt, async (c) => {
      const { id, agent } = c.req.valid("param")
      const asked = c.req.valid("json")
      return c.json(
        await (await agents()).interrupt(await find(c, id), agent, asked.then ?? asked.message, options),
        202,
      )
    })
    .openapi(routes.wait, async (c) => {
      const { id, agent } = c.req.valid("param")
      const signal = AbortSignal.any([deps.stopping, c.req.raw.signal])
      const enough = AbortSignal.timeout(c.req.valid("query").seconds * 1000)
      const reply = await (await agents()).reply(await find(c, id), agent, { signal, enough })
      return c.json(reply, isOver(reply.status) ? 200 : 202)
    })
}

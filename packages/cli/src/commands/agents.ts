import { text } from "node:stream/consumers"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { formatCount } from "@switchyard/core/text/format"
import { Agent, AgentList, type AgentReply, Reply, SentMessage } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import type { Terminal } from "../output/terminal.ts"

export interface AgentsOptions {
  add?: string
  /** Account name or agent ID. */
  agent?: string
  model?: string
  mode?: PermissionMode
  worktree?: string
  /** Folder in the worktree in which the agent starts. */
  cwd?: string
  consent?: boolean
  close?: string
}

/** Adds or closes an agent if requested. Then lists a session's agents. */
export async function agents(cli: Cli, sessionId: string, options: AgentsOptions): Promise<void> {
  const { api, terminal } = cli
  const path = { id: sessionId }
  const { add, agent, model, mode, worktree, cwd, consent, close } = options
  if (add === undefined && (agent ?? model ?? mode ?? worktree ?? cwd ?? consent) !== undefined) {
    throw new UsageError("--agent, --model, --mode, --worktree, --cwd and --consent need --add.")
  }
  if (add !== undefined) {
    if (agent === undefined) throw new UsageError("--add needs --agent.")
    const body = { name: add, coding_agent: agent, coding_model: model, mode, worktree, cwd, consent }
    await api.ask("POST /api/v1/sessions/{id}/agents", Agent, { path, body })
  }
  if (close !== undefined) {
    await api.ask("DELETE /api/v1/sessions/{id}/agents/{agent}", Agent, { path: { ...path, agent: close } })
  }
  const { agents: found } = await api.ask("GET /api/v1/sessions/{id}/agents", AgentList, { path })
  if (terminal.json) terminal.printJson({ agents: found })
  else for (const one of found) show(terminal, one)
}

const WAITS: { [reason: string]: string } = {
  agents: "too many agents are working",
  worktree: "another agent is working in its worktree",
  team: "its team is halted",
}

function show(terminal: Terminal, { agent_id, name, status, coding_agent, worktree, queued, waits_for }: Agent): void {
  const id = name === agent_id ? "" : `(${agent_id})`
  terminal.print(
    [name.padEnd(12), status.padEnd(11), coding_agent ?? "-", `worktree ${worktree}`, id].join("  ").trimEnd(),
  )
  if (queued > 0) {
    const reason = waits_for && WAITS[waits_for] ? `, because ${WAITS[waits_for]}` : ""
    terminal.print(`  ${formatCount(queued, "message")} waiting${reason}.`)
  }
}

export async function say(cli: Cli, sessionId: string, agent: string, message: string): Promise<void> {
  const { terminal } = cli
  const sent = await send(cli, sessionId, agent, message)
  if (terminal.json) terminal.printJson(sent)
  else if (sent.queued_at === null) terminal.notice("The agent has started.")
  else terminal.notice(`${formatCount(sent.queued_at, "message")} waiting for the agent, including this one.`)
}

/** Sends a message to an agent, waits until the agent is idle, and prints its last answer. */
export async function ask(cli: Cli, sessionId: string, agent: string, message: string): Promise<number> {
  const { terminal } = cli
  const { agent_id } = await send(cli, sessionId, agent, message)
  const reply = await replyOf(cli, sessionId, agent_id)
  terminal.show(reply, ...(reply.text ?? "").split("\n"))
  return reply.text === null ? EXIT.failed : EXIT.done
}

async function send(cli: Cli, sessionId: string, agent: string, message: string) {
  const content = message === "-" ? await text(process.stdin) : message
  if (!content.trim()) throw new UsageError("The message is empty.")
  const body = { content, source: "cli" as const, message_id: cli.newKey() }
  const asked = { path: { id: sessionId, agent }, body, signal: cli.interrupts.second }
  return cli.api.ask("POST /api/v1/sessions/{id}/agents/{agent}/messages", SentMessage, asked)
}

const WAIT_SECONDS = 45

/** Waits for the agent's reply. If the agent asks a person a question in the meantime, prints a notice once. */
async function replyOf({ api, terminal }: Cli, id: string, agent: string): Promise<AgentReply> {
  const asked = { path: { id, agent }, query: { seconds: WAIT_SECONDS }, waitMs: WAIT_SECONDS * 1000 }
  let isTold = false
  for (;;) {
    const reply = await api.ask("GET /api/v1/sessions/{id}/agents/{agent}/wait", Reply, asked)
    if (reply.status === "idle" || reply.status === "closed") return reply
    if (reply.status !== "needs_input" || isTold) continue
    terminal.notice("The agent is waiting for an answer. Run `switchyard questions` to see its question.")
    isTold = true
  }
}

#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"

/**
 * A stand-in for Mistral Vibe, which needs Python 3.12: it is configured as Vibe is, asks its model in the same dialect, and
 * speaks the Agent Client Protocol. What it proves is this side of the dialogue, and nothing of Vibe's own promises.
 */

// biome-ignore lint/suspicious/noExplicitAny: messages of two protocols, of which a field or two is read
type Message = any

const sessionsFolder = join(process.env.VIBE_HOME ?? "", "logs")
const [{ api_base: apiBase }] = JSON.parse(process.env.VIBE_PROVIDERS ?? "[]")
const waiting = new Map<string, (answer: Message) => void>()
let cwd = ""
let history: Message[] = []
let stop = new AbortController()

const KINDS: Record<string, string> = { read_file: "read", write_file: "edit", bash: "execute" }

const tools = ["read_file", "write_file", "bash"].map((name) => {
  return { type: "function", function: { name, description: name, parameters: { type: "object", properties: {} } } }
})

for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line))

async function take({ id, method, params, result }: Message): Promise<void> {
  if (method === undefined) return waiting.get(id)?.(result)
  if (method === "session/cancel") return stop.abort()
  try {
    send({ id, result: await answerTo(method, params) })
  } catch (error) {
    send({ id, error: { code: -32603, message: error instanceof Error ? error.message : String(error) } })
  }
}

async function answerTo(method: string, params: Message): Promise<object> {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: { loadSession: true } }
  if (method === "session/new") {
    cwd = params.cwd
    return { sessionId: randomUUID() }
  }
  if (method === "session/load") {
    cwd = params.cwd
    history = JSON.parse(readFileSync(join(sessionsFolder, `${params.sessionId}.json`), "utf8"))
    return {}
  }
  if (method === "session/prompt") return { stopReason: await work(params) }
  throw new Error(`There is no ${method}.`)
}

/** One turn: asks the model, uses the tools that it calls, and asks again until it calls none. */
async function work({ sessionId, prompt }: Message): Promise<string> {
  stop = new AbortController()
  history.push({ role: "user", content: prompt[0].text })
  for (;;) {
    const message = await think().catch((error) => {
      if (stop.signal.aborted) return undefined
      throw error
    })
    if (!message) return "cancelled"
    history.push(message)
    update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: message.content } })
    const calls = message.tool_calls ?? []
    const results = await Promise.all(calls.map((call: Message) => use(sessionId, call)))
    if (stop.signal.aborted) return "cancelled"
    history.push(...results)
    mkdirSync(sessionsFolder, { recursive: true })
    writeFileSync(join(sessionsFolder, `${sessionId}.json`), JSON.stringify(history))
    if (calls.length === 0) return "end_turn"
  }
}

async function think(): Promise<Message> {
  const response = await fetch(`${apiBase}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.MISTRAL_API_KEY}` },
    body: JSON.stringify({ model: "devstral", messages: history, tools }),
    signal: stop.signal,
  })
  if (!response.ok) throw new Error(`API error (status ${response.status}): ${await response.text()}`)
  return ((await response.json()) as Message).choices[0].message
}

async function use(sessionId: string, call: Message): Promise<Message> {
  const name: string = call.function.name
  const input = JSON.parse(call.function.arguments)
  const path = input.file_path === undefined ? undefined : resolve(cwd, input.file_path)
  const toolCall = { toolCallId: call.id, title: name, kind: KINDS[name], rawInput: input, status: "pending" }
  update(sessionId, { sessionUpdate: "tool_call", ...toolCall })
  const isAllowed = name === "read_file" || (await mayI(sessionId, toolCall))
  const output = isAllowed ? run(name, input, path) : "The user refused."
  const status = isAllowed ? "completed" : "failed"
  const content = [{ type: "content", content: { type: "text", text: output } }]
  update(sessionId, { sessionUpdate: "tool_call_update", toolCallId: call.id, status, content })
  return { role: "tool", tool_call_id: call.id, content: output }
}

function run(name: string, input: Message, path = ""): string {
  if (name === "bash") return execFileSync("sh", ["-c", input.command], { cwd, encoding: "utf8" })
  if (name === "read_file") return readFileSync(path, "utf8")
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, input.content)
  return "Written."
}

/** Asks whether a tool may be used; who stops the turn says no. */
async function mayI(sessionId: string, toolCall: object): Promise<boolean> {
  const id = randomUUID()
  const options = ["allow_once", "allow_always", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }))
  const answered = new Promise<Message>((done) => {
    waiting.set(id, done)
    stop.signal.addEventListener("abort", () => done({ outcome: { outcome: "cancelled" } }))
  })
  send({ id, method: "session/request_permission", params: { sessionId, toolCall, options } })
  const { outcome } = await answered
  return outcome.outcome === "selected" && outcome.optionId.startsWith("allow")
}

function update(sessionId: string, about: object): void {
  send({ method: "session/update", params: { sessionId, update: about } })
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

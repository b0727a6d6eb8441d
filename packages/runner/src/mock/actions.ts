import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { MockSettings } from "@switchyard/core/agents/clis/mock-settings"
import type { Knobs } from "./knobs.ts"
import { block, say, text } from "./say.ts"

/** Properties of a turn that its actions need. */
export interface Turn {
  knobs: Knobs
  number: number
  signal: AbortSignal
  ask(tool: string, input?: object): Promise<PermissionAnswer>
  /** Number of the attempt that this turn reviews. Undefined if the turn does the work itself. */
  reviews: number | undefined
  /** True if the agent asks for permission before it writes. */
  asks: boolean
  /** URL of the agent's tools. */
  tools: string
  /** API of the agent's model. Undefined if the agent's account has none. */
  api: { url: string; key: string | undefined } | undefined
  model: string | undefined
  /** Limits simulated by the agent's account. */
  simulated: MockSettings
}

export interface PermissionAnswer {
  behavior: "allow" | "deny"
  message?: string
}

export async function write(turn: Turn, path: string, content: string): Promise<void> {
  await use(turn, "Write", { file_path: join(process.cwd(), path), content }, () => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return "written"
  })
}

export async function edit(turn: Turn, { path, from, to }: Knobs["edits"][number]): Promise<void> {
  const input = { file_path: join(process.cwd(), path), old_string: from, new_string: to }
  await use(turn, "Edit", input, () => {
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to))
    return `The file ${path} has been updated.`
  })
}

export async function run(turn: Turn, command: string): Promise<void> {
  await use(turn, "Bash", { command }, () => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }))
}

/** Uses a tool. If the agent asks for permission, uses the tool only if permission is granted. */
async function use({ ask, asks, knobs }: Turn, name: string, input: object, effect: () => string): Promise<void> {
  const id = randomUUID()
  block({ type: "tool_use", id, name, input }, knobs.tokens)
  const { behavior, message } = asks ? await ask(name, input) : { behavior: "allow", message: undefined }
  const content = behavior === "allow" ? effect() : message
  const result = { type: "tool_result", tool_use_id: id, content, is_error: behavior === "deny" }
  say({ type: "user", message: { role: "user", content: [result] } })
  if (behavior === "deny") text(`I was told: ${message}`)
}

/** Calls a session tool through an MCP client. */
export async function callTool({ signal, tools }: Turn, { name, args }: Knobs["tools"][number]): Promise<void> {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
  const client = new Client({ name: "mock", version: "0" })
  const id = randomUUID()
  block({ type: "tool_use", id, name: `mcp__switchyard__${name}`, input: args })
  await client.connect(new StreamableHTTPClientTransport(new URL(tools)))
  const { content, isError } = await client.callTool({ name, arguments: args }, { signal })
  await client.close()
  const [first] = content
  const answer = first?.type === "text" ? first.text : ""
  const result = { type: "tool_result", tool_use_id: id, content: answer, is_error: isError === true }
  say({ type: "user", message: { role: "user", content: [result] } })
  text(`${name}: ${answer}`)
}

/**
 * Calls the model and prints the status of the response. Makes several calls in parallel if the instructions say so.
 */
export async function askModel({ knobs: { calls, calls_at_once: width }, api, signal }: Turn): Promise<void> {
  const ask = async () => {
    const headers = { "content-type": "application/json", "x-api-key": api?.key ?? "" }
    const body = JSON.stringify({ model: "mock", max_tokens: 10, messages: [{ role: "user", content: "Go on." }] })
    const answer = await fetch(`${api?.url}/v1/messages`, { method: "POST", headers, body, signal })
    text(`My model answered with ${answer.status}.`)
  }
  for (let left = calls; left > 0; left -= width) await Promise.all(Array.from({ length: Math.min(left, width) }, ask))
}

/** Simulates the work of a sub-agent with the same messages as the real program. */
export function help({ task, commands, says }: NonNullable<Knobs["helper"]>): void {
  const parent = randomUUID()
  const tell = (content: object) =>
    say({ type: "assistant", parent_tool_use_id: parent, message: { id: randomUUID(), content: [content] } })
  const answer = (id: string, content: string) =>
    say({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] } })
  block({ type: "tool_use", id: parent, name: "Task", input: { description: task, prompt: task } })
  for (const command of commands) {
    const id = randomUUID()
    tell({ type: "tool_use", id, name: "Bash", input: { command } })
    answer(id, execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }))
  }
  tell({ type: "text", text: says })
  answer(parent, says)
}

/** Generates files with different contents. Puts a hundred files in each folder. */
export function generate(count: number): void {
  const id = randomUUID()
  block({ type: "tool_use", id, name: "Bash", input: { command: `generate ${count} files` } })
  for (let index = 0; index < count; index++) {
    const path = join("generated", `${Math.floor(index / 100)}`, `${index}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `generated ${index}\n`)
  }
  say({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] } })
}

export function remove(path: string): void {
  const place = resolve(path)
  const isInside = place === process.cwd() || place.startsWith(`${process.cwd()}/`)
  if (isInside) rmSync(place, { recursive: true, force: true })
}

export function initRepository(): void {
  const identity = ["-c", "user.name=Mock", "-c", "user.email=mock@localhost"]
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "Mine"],
  ]) {
    execFileSync("git", [...identity, ...args], { stdio: "ignore" })
  }
}

/** Starts programs in a session and process group of their own. Their parent process exits soon. */
export function orphanProgram(): void {
  spawn("/bin/sh", ["-c", "sleep 1000 & sleep 1000"], { detached: true, stdio: "ignore" }).unref()
}

/** Writes output and waits when the output's buffer is full, as any program does. */
export async function flood(bytes: number): Promise<void> {
  const line = Buffer.from(`${"0123456789abcdef".repeat(64)}\r\n`)
  for (let written = 0; written < bytes; written += line.length) {
    if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once("drain", resolve))
  }
}

export function writeTodos({ todos, todos_done: done }: Knobs): void {
  const statusOf = (at: number) => (at < done ? "completed" : at === done ? "in_progress" : "pending")
  const list = todos.map((content, at) => ({ content, status: statusOf(at) }))
  block({ type: "tool_use", id: randomUUID(), name: "TodoWrite", input: { todos: list } })
}

const STREAM_MS = 30

/** Streams one message in many chunks, like a model. */
export async function stream(words: string, signal: AbortSignal): Promise<void> {
  const id = randomUUID()
  for (const piece of words.match(/\S+\s*/g) ?? []) {
    say({ type: "assistant", message: { id, content: [{ type: "text", text: piece }] } })
    await delay(STREAM_MS, undefined, { signal })
  }
}

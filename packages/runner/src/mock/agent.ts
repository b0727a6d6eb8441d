import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { Knobs, knobsIn, reviewedAttempt, usualKnobs } from "./knobs.ts"
import { showScreen } from "./screen.ts"

/**
 * An agent without a model: it speaks Claude's control protocol on its standard input and output, and does what its task
 * says. A program of its own, like those that it stands for.
 */
export async function runMockAgent(args: string[], home: string, tools = ""): Promise<number> {
  const model = args.includes("--model") ? args[args.indexOf("--model") + 1] : undefined
  const resumed = args[args.indexOf("--resume") + 1]
  const sessionId = args.includes("--resume") && resumed ? resumed : randomUUID()
  const session = join(home, ".mock", `${sessionId}.json`)
  const before = args.includes("--resume") ? memoryOf(session) : { turns: 0, knobs: usualKnobs, told: [] }
  if (before === undefined) return refuse(sessionId)
  if (args.includes("--screen")) return showScreen(sessionId)
  return converse(sessionId, session, { before, asks: args.includes("--ask"), tools, model })
}

interface Turn {
  knobs: Knobs
  number: number
  signal: AbortSignal
  ask(tool: string, input?: object): Promise<PermissionAnswer>
  /** The attempt that it reviews, where it doesn't work itself. */
  reviews: number | undefined
  /** Whether it asks before it writes. */
  asks: boolean
  /** The address of its tools. */
  tools: string
  model: string | undefined
}

interface PermissionAnswer {
  behavior: "allow" | "deny"
  message?: string
}

/** The state that a session is resumed with. */
interface Memory {
  turns: number
  knobs: Knobs
  /** The beginnings of what it was told, for whoever wants to know what reached it. */
  told: string[]
}

const TOLD_CHARS = 2000

async function converse(
  sessionId: string,
  session: string,
  { before, asks, tools, model }: Pick<Turn, "asks" | "tools" | "model"> & { before: Memory },
): Promise<number> {
  const answers = new Map<string, (answer: PermissionAnswer) => void>()
  let { turns, knobs, told } = before
  let exitCode = 0
  let current: AbortController | undefined
  let working = Promise.resolve()
  say({ type: "system", subtype: "init", session_id: sessionId, model: "mock" })

  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line)
    if (message.type === "control_request") {
      if (message.request.subtype === "interrupt") current?.abort()
      say({ type: "control_response", response: { subtype: "success", request_id: message.request_id } })
    } else if (message.type === "control_response") {
      answers.get(message.response.request_id)?.(message.response.response)
    } else if (message.type === "user") {
      const { text } = message.message.content[0]
      const asked = knobsIn(text)
      working = working.then(async () => {
        current = new AbortController()
        turns++
        knobs = asked ?? knobs
        told = [...told, text.slice(0, TOLD_CHARS)]
        mkdirSync(dirname(session), { recursive: true, mode: 0o700 })
        writeFileSync(session, JSON.stringify({ turns, knobs, told }), { mode: 0o600 })
        await work({
          knobs,
          number: turns,
          signal: current.signal,
          ask,
          asks,
          tools,
          model,
          reviews: reviewedAttempt(told[0]),
        })
        exitCode = knobs.exit_code
      })
    }
  }
  await working
  return exitCode

  function ask(tool: string, input = {}): Promise<PermissionAnswer> {
    const id = randomUUID()
    say({ type: "control_request", request_id: id, request: { subtype: "can_use_tool", tool_name: tool, input } })
    return new Promise((resolve) => answers.set(id, resolve))
  }
}

async function work(turn: Turn): Promise<void> {
  const { knobs, signal, reviews } = turn
  if (reviews !== undefined) return review(turn, reviews)
  if (knobs.stubborn) for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => {})
  for (let orphan = 0; orphan < knobs.orphans; orphan++) orphanProgram()
  if (knobs.garbage) process.stderr.write(Buffer.from([0xff, 0xc3, 0x28, 0xe2, 0x82, 0x1b, 0x5b, 0x33]))
  await flood(knobs.flood_bytes)
  try {
    if (knobs.thinks !== undefined) block({ type: "thinking", thinking: knobs.thinks })
    if (knobs.todos.length > 0) writeTodos(knobs)
    text(knobs.say)
    await stream(knobs.streams ?? "", signal)
    for (let step = 0; step < 10 && knobs.duration_ms > 0; step++) {
      await delay(knobs.duration_ms / 10, undefined, { signal })
      text(`Step ${step + 1} of 10.`)
    }
    await tellQuota(turn)
    if (knobs.unanswered !== undefined) {
      block({ type: "tool_use", id: randomUUID(), name: "Bash", input: { command: knobs.unanswered } })
    }
    if (knobs.hangs) await delay(2 ** 31 - 1, undefined, { signal })
    for (const { repeats } = knobs; repeats !== undefined; await delay(20, undefined, { signal })) text(repeats)
    for (const question of knobs.questions) await turn.ask(question)
    for (const { question, options, multi } of knobs.choices) {
      const asked = {
        question,
        header: "",
        multiSelect: multi,
        options: options.map((label) => ({ label, description: "" })),
      }
      await turn.ask("AskUserQuestion", { questions: [asked] })
    }
    if (knobs.plan !== undefined) await turn.ask("ExitPlanMode", { plan: knobs.plan })
    for (const tool of knobs.tools) await callTool(turn, tool)
    if (knobs.helper) help(knobs.helper)
    for (const [index, command] of commandsOf(turn).entries()) {
      if (knobs.limit?.after === index && meetsLimit(turn)) return
      await run(turn, command)
    }
    for (const path of knobs.deletes) remove(path)
    if (knobs.generates > 0) generate(knobs.generates)
    for (const one of knobs.edits) await edit(turn, one)
    for (const [path, content] of Object.entries(filesOf(turn))) await write(turn, path, content)
    if (knobs.inits) initRepository()
    finish(turn)
  } catch (error) {
    if (!signal.aborted) throw error
    say({ type: "result", subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" })
  }
}

/** Reads the work of another agent, and says what it thinks of it. */
async function review(turn: Turn, attempt: number): Promise<void> {
  const { reviews } = turn.knobs
  const { passed = true, findings = [], writes, first, fails, hangs } = reviews[attempt - 1] ?? reviews.at(-1) ?? {}
  if (hangs) return delay(2 ** 31 - 1, undefined, { signal: turn.signal }).catch(() => undefined)
  if (writes !== undefined) await write(turn, writes, "The reviewer was here.\n")
  if (meetsLimit(turn)) return
  if (fails) {
    const { status, message: result } = fails
    return say({ type: "result", subtype: "success", is_error: true, api_error_status: status, result })
  }
  const verdict = { passed, summary: passed ? "It does what the task says." : "It isn't done.", findings }
  const words = turn.number === 1 && first !== undefined ? first : `\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\``
  text(words)
  sayDone(words)
}

function sayDone(result: string): void {
  const usage = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 }
  say({ type: "result", subtype: "success", is_error: false, usage, total_cost_usd: 0, result })
}

/** Says how much of a limit is used, and waits to be stopped for that. */
async function tellQuota({ knobs: { quota }, model, signal }: Turn): Promise<void> {
  if (quota?.model !== model) return
  for (const used of quota?.used ?? []) {
    sayLimit({ status: "allowed", utilization: used / 100, rateLimitType: quota?.window })
  }
  if (quota) await delay(2 ** 31 - 1, undefined, { signal })
}

function sayLimit(info: object): void {
  say({ type: "rate_limit_event", rate_limit_info: info })
}

/** Whether the account's limit is met now; says so as Claude does. */
function meetsLimit({ knobs: { limit }, model, number }: Turn): boolean {
  if (!limit || number > limit.turns) return false
  if (limit.models && !limit.models.includes(model ?? "")) return false
  const resetsAt = Math.floor((limit.until ? Date.parse(limit.until) : Date.now() + 1000) / 1000)
  sayLimit({ status: "rejected", resetsAt, rateLimitType: limit.window })
  const result = "You've hit your limit · resets later"
  say({ type: "result", subtype: "success", is_error: true, api_error_status: 429, result })
  return true
}

function finish(turn: Turn): void {
  const { knobs, number } = turn
  if (meetsLimit(turn)) return
  if (knobs.fails) {
    const { status, message } = knobs.fails
    say({ type: "result", subtype: "success", is_error: true, api_error_status: status, result: message })
    return
  }
  const summary = {
    change_summary: "The mock agent did what its task says.",
    files_changed: Object.keys(knobs.files),
    completion_status: knobs.status,
  }
  const done = typeof knobs.summary === "number" ? number >= knobs.summary : knobs.summary
  if (done) text(`\`\`\`json\n${JSON.stringify(summary)}\n\`\`\``)
  sayDone(knobs.say)
}

/** The commands of this turn. */
function commandsOf({ knobs: { commands, circles }, number }: Turn): string[] {
  const times = circles && number <= circles.turns ? circles.times : 1
  return Array.from({ length: times }, () => commands).flat()
}

/** The files of this turn. */
function filesOf({ knobs: { files, later }, number }: Turn): Record<string, string> {
  return (number > 1 ? (later[number - 2] ?? later.at(-1)) : undefined) ?? files
}

async function write(turn: Turn, path: string, content: string): Promise<void> {
  await use(turn, "Write", { file_path: join(process.cwd(), path), content }, () => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return "written"
  })
}

async function edit(turn: Turn, { path, from, to }: Knobs["edits"][number]): Promise<void> {
  const input = { file_path: join(process.cwd(), path), old_string: from, new_string: to }
  await use(turn, "Edit", input, () => {
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to))
    return `The file ${path} has been updated.`
  })
}

function writeTodos({ todos, todos_done: done }: Knobs): void {
  const statusOf = (at: number) => (at < done ? "completed" : at === done ? "in_progress" : "pending")
  const list = todos.map((content, at) => ({ content, status: statusOf(at) }))
  block({ type: "tool_use", id: randomUUID(), name: "TodoWrite", input: { todos: list } })
}

/** One message in many pieces, as a model writes it. */
async function stream(words: string, signal: AbortSignal): Promise<void> {
  const id = randomUUID()
  for (const piece of words.match(/\S+\s*/g) ?? []) {
    say({ type: "assistant", message: { id, content: [{ type: "text", text: piece }] } })
    await delay(STREAM_MS, undefined, { signal })
  }
}

const STREAM_MS = 30

/** A sub-agent's work, as the program that has one tells of it. */
function help({ task, commands, says }: NonNullable<Knobs["helper"]>): void {
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

async function run(turn: Turn, command: string): Promise<void> {
  await use(turn, "Bash", { command }, () => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }))
}

/** Uses a tool, if it may. */
async function use({ ask, asks }: Turn, name: string, input: object, effect: () => string): Promise<void> {
  const id = randomUUID()
  block({ type: "tool_use", id, name, input })
  const { behavior, message } = asks ? await ask(name, input) : { behavior: "allow", message: undefined }
  const content = behavior === "allow" ? effect() : message
  const result = { type: "tool_result", tool_use_id: id, content, is_error: behavior === "deny" }
  say({ type: "user", message: { role: "user", content: [result] } })
  if (behavior === "deny") text(`I was told: ${message}`)
}

/** Calls a tool of the session's, by the protocol's own client. */
async function callTool({ signal, tools }: Turn, { name, args }: Knobs["tools"][number]): Promise<void> {
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

/** A hundred to a folder, and each with a content of its own. */
function generate(count: number): void {
  const id = randomUUID()
  block({ type: "tool_use", id, name: "Bash", input: { command: `generate ${count} files` } })
  for (let index = 0; index < count; index++) {
    const path = join("generated", `${Math.floor(index / 100)}`, `${index}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `generated ${index}\n`)
  }
  say({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] } })
}

function remove(path: string): void {
  const place = resolve(path)
  const isInside = place === process.cwd() || place.startsWith(`${process.cwd()}/`)
  if (isInside) rmSync(place, { recursive: true, force: true })
}

function initRepository(): void {
  const identity = ["-c", "user.name=Mock", "-c", "user.email=mock@localhost"]
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "Mine"],
  ]) {
    execFileSync("git", [...identity, ...args], { stdio: "ignore" })
  }
}

/** In a session and a process group of its own, and soon without its parent. */
function orphanProgram(): void {
  spawn("/bin/sh", ["-c", "sleep 1000 & sleep 1000"], { detached: true, stdio: "ignore" }).unref()
}

/** Waits for whoever reads, as a program does that just writes. */
async function flood(bytes: number): Promise<void> {
  const line = Buffer.from(`${"0123456789abcdef".repeat(64)}\r\n`)
  for (let written = 0; written < bytes; written += line.length) {
    if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once("drain", resolve))
  }
}

function text(content: string): void {
  block({ type: "text", text: content })
}

function block(content: object): void {
  say({ type: "assistant", message: { id: randomUUID(), content: [content] } })
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function refuse(sessionId: string): number {
  const errors = [`No conversation found with session ID: ${sessionId}`]
  say({ type: "result", subtype: "error_during_execution", is_error: true, errors })
  return 1
}

function memoryOf(session: string): Memory | undefined {
  try {
    const { turns, knobs, told = [] } = JSON.parse(readFileSync(session, "utf8"))
    return { turns, knobs: Knobs.parse(knobs), told }
  } catch {
    return undefined
  }
}

import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { NO_MOCK_SETTINGS } from "@switchyard/core/agents/clis/mock-settings"
import {
  askModel,
  callTool,
  edit,
  flood,
  generate,
  help,
  initRepository,
  orphanProgram,
  type PermissionAnswer,
  remove,
  run,
  stream,
  type Turn,
  write,
  writeTodos,
} from "./actions.ts"
import { Knobs, knobsIn, reviewedAttempt, usualKnobs } from "./knobs.ts"
import { block, say, sayDone, sayLimit, text } from "./say.ts"
import { showScreen } from "./screen.ts"

/**
 * Runs an agent that doesn't use a model. It speaks Claude's control protocol on stdin and stdout, and follows the
 * instructions in its task. Like a real agent, it is a separate program.
 */
export async function runMockAgent(
  args: string[],
  home: string,
  {
    tools = "",
    api,
    simulated = NO_MOCK_SETTINGS,
  }: { tools?: string; api?: Turn["api"]; simulated?: Turn["simulated"] } = {},
): Promise<number> {
  const model = args.includes("--model") ? args[args.indexOf("--model") + 1] : undefined
  const resumed = args[args.indexOf("--resume") + 1]
  const sessionId = args.includes("--resume") && resumed ? resumed : randomUUID()
  const session = join(home, ".mock", `${sessionId}.json`)
  const before = args.includes("--resume") ? memoryOf(session) : { turns: 0, knobs: usualKnobs, told: [] }
  if (before === undefined) return refuse(sessionId)
  if (args.includes("--screen")) return showScreen(sessionId)
  return converse(sessionId, session, { before, asks: args.includes("--ask"), tools, api, model, simulated })
}

/** Saved state of a session. */
interface Memory {
  turns: number
  knobs: Knobs
  /** Beginnings of the messages that the agent has received, for tests. */
  told: string[]
}

const TOLD_CHARS = 2000

async function converse(
  sessionId: string,
  session: string,
  {
    before,
    asks,
    tools,
    api,
    model,
    simulated,
  }: Pick<Turn, "asks" | "tools" | "api" | "model" | "simulated"> & {
    before: Memory
  },
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
          api,
          model,
          simulated,
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
    await askModel(turn)
    if (tellSimulated(turn)) return
    const durationMs = knobs.duration_ms || (turn.simulated.run_seconds ?? 0) * 1000
    for (let step = 0; step < 10 && durationMs > 0; step++) {
      await delay(durationMs / 10, undefined, { signal })
      text(`Step ${step + 1} of 10.`)
    }
    await tellQuota(turn)
    await tellContext(turn)
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

/** Reviews another agent's work, and prints the verdict. */
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

/**
 * Reports the limits that the account simulates. Returns true if one of them is used up, because that ends the turn.
 */
function tellSimulated({ simulated: { remaining_usage: usage, remaining_context: room } }: Turn): boolean {
  if (room !== null) {
    block({ type: "text", text: "I read on." }, Math.max(1, Math.round((1 - room) * SIMULATED_WINDOW)))
    say({ type: "user", message: { role: "user", content: [] } })
  }
  if (usage === 0) {
    sayUsedUp({ until: new Date(Date.now() + SIMULATED_RESET_MS).toISOString(), window: "five_hour" })
    return true
  }
  if (usage !== null) sayLimit({ status: "allowed", utilization: 1 - usage, rateLimitType: "five_hour" })
  return false
}

const SIMULATED_WINDOW = 200_000
const SIMULATED_RESET_MS = 60_000

/** Reports how much of a limit is used, then waits until the turn is stopped. */
async function tellQuota({ knobs: { quota }, model, signal }: Turn): Promise<void> {
  if (quota?.model !== model) return
  for (const used of quota?.used ?? []) {
    sayLimit({ status: "allowed", utilization: used / 100, rateLimitType: quota?.window })
  }
  if (quota) await delay(2 ** 31 - 1, undefined, { signal })
}

/** Reports the conversation's size, as Claude does in each response. */
async function tellContext({ knobs: { context }, model, number, signal }: Turn): Promise<void> {
  if (context?.model !== model) return
  for (const used of context?.used[number - 1] ?? []) {
    block({ type: "text", text: "I read on." }, used)
    say({ type: "user", message: { role: "user", content: [] } })
  }
  if (context?.waits && number === context.used.length) await delay(2 ** 31 - 1, undefined, { signal })
}

/** If the account's limit has been reached, reports this as Claude does, and returns true. */
function meetsLimit({ knobs: { limit }, model, number }: Turn): boolean {
  if (!limit || number > limit.turns) return false
  if (limit.models && !limit.models.includes(model ?? "")) return false
  sayUsedUp(limit)
  return true
}

function sayUsedUp({ until, window }: { until?: string | undefined; window: string }): void {
  const resetsAt = Math.floor((until ? Date.parse(until) : Date.now() + 1000) / 1000)
  sayLimit({ status: "rejected", resetsAt, rateLimitType: window })
  const result = "You've hit your limit · resets later"
  say({ type: "result", subtype: "success", is_error: true, api_error_status: 429, result })
}

function finish(turn: Turn): void {
  const { knobs, number } = turn
  if (meetsLimit(turn)) return
  if (knobs.fails && number <= (knobs.fails.turns ?? Number.POSITIVE_INFINITY)) {
    const { status, message } = knobs.fails
    say({ type: "result", subtype: "success", is_error: true, api_error_status: status, result: message })
    return
  }
  const summary = {
    change_summary: knobs.did,
    files_changed: knobs.claims ?? Object.keys(knobs.files),
    completion_status: knobs.status,
  }
  // Remaining context is measured between turns, so a conversation that simulates it needs two turns.
  const first = turn.simulated.remaining_context === null ? 1 : 2
  const done = number >= first && (typeof knobs.summary === "number" ? number >= knobs.summary : knobs.summary)
  if (done) text(`\`\`\`json\n${JSON.stringify(summary)}\n\`\`\``)
  const window = turn.simulated.remaining_context === null ? undefined : SIMULATED_WINDOW
  sayDone(knobs.say, knobs.context?.window ?? window)
}

function commandsOf({ knobs: { commands, circles }, number }: Turn): string[] {
  const times = circles && number <= circles.turns ? circles.times : 1
  return Array.from({ length: times }, () => commands).flat()
}

function filesOf({ knobs: { files, later }, number }: Turn): Record<string, string> {
  return (number > 1 ? (later[number - 2] ?? later.at(-1)) : undefined) ?? files
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

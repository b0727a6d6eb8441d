import { readFileSync } from "node:fs"
import type { ProblemKind } from "@switchyard/core/agents/clis/schema"
import { problemOf } from "@switchyard/core/agents/protocols/api-refusal"
import { turnOutcome } from "@switchyard/core/agents/protocols/outcome"
import { problemFrom, problemInStderr } from "@switchyard/core/agents/protocols/problems"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"

/** Time of the API answers in the corpus. */
const NOW = Date.parse("2026-11-24T12:00:00Z")

/** One text or answer with its class. Null means no problem of the account or its API. */
export interface LimitCase {
  name: string
  expected: string | null
  actual: string | null
}

/** Returns all cases of the corpus, classified. */
export function classifiedCorpus(): LimitCase[] {
  return [...apiCases(), ...errorCases(), ...stderrCases(), ...saidCases()]
}

function apiCases(): LimitCase[] {
  return read("api").map(({ provider, status, headers, body, kind, resets_at }) => {
    const { problem } = problemOf({ status, headers, body, now: NOW })
    const withReset = (kind: string, at: string | undefined) => (at === undefined ? kind : `${kind} until ${at}`)
    return {
      name: `${provider} ${status} ${JSON.stringify(headers)} ${body}`,
      expected: kind === null ? null : withReset(kind, resets_at),
      actual: problem ? withReset(problem.kind, problem.resets_at) : null,
    }
  })
}

function errorCases(): LimitCase[] {
  return read("errors").map(({ kind, ...reported }) => ({
    name: `error field: ${JSON.stringify(reported)}`,
    expected: kind,
    actual: limiting(problemFrom(reported).kind),
  }))
}

function stderrCases(): LimitCase[] {
  return read("stderr").map(({ text, kind }) => ({
    name: `standard error: ${JSON.stringify(text)}`,
    expected: kind,
    actual: limiting(problemInStderr(text)?.kind ?? "unknown"),
  }))
}

/** Returns the cases for texts of agents and their tools, both in the protocol and in the output. */
function saidCases(): LimitCase[] {
  return read("said").map(({ text }) => {
    const task = {
      prompt: "",
      root: "/project",
      cwd: "/project",
      home: "/home",
      model: null,
      reasoning: null,
      resume: null,
    }
    const protocol = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })
    const result = { type: "tool_result", tool_use_id: "t", is_error: true, content: text }
    const lines = [
      { type: "assistant", message: { id: "m", content: [{ type: "text", text }] } },
      { type: "user", message: { content: [result] } },
      { type: "result", is_error: false, result: text },
    ]
    const { events } = protocol.parse(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")))
    const end = events.find((event) => event.type === "turn_completed" || event.type === "turn_failed")
    const process = { retrying: undefined, stopped: undefined, exitCode: 0, signal: null, stderr: `${text}\n` }
    const outcome = turnOutcome({ ...process, end, summarised: true })
    return { name: `said: ${text}`, expected: null, actual: outcome.type === "completed" ? null : outcome.type }
  })
}

const LIMITING: ReadonlySet<ProblemKind> = new Set([
  ...(["rate_limited", "quota_exhausted", "billing", "auth", "overloaded", "network", "timeout"] as const),
])

/** Other kinds concern one request or one agent, so they aren't limits. */
function limiting(kind: ProblemKind): string | null {
  return LIMITING.has(kind) ? kind : null
}

// biome-ignore lint/suspicious/noExplicitAny: the cases are data of four shapes, which the callers know
function read(name: string): any[] {
  const file = new URL(`../../../fixtures/limits/${name}.jsonl`, import.meta.url)
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

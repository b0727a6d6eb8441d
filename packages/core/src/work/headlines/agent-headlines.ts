import { formatDuration } from "../../format.ts"
import type { PayloadRef } from "../../log/event.ts"
import { debug, type Headline, inlined, row } from "./headline.ts"
import { type TokenCounts, usageMeta } from "./workflow-headlines.ts"

/** The events of command-line agents and of their terminals. */
export const agentHeadlines = {
  user_message: ({ source, content }: { source: string; content: string | PayloadRef }) =>
    row(source === "continuation" ? "system" : "you", inlined(content) ?? ""),
  assistant_message: ({ blocks }: { blocks: readonly Block[] | PayloadRef }) => {
    const texts = (inlined(blocks) ?? []).flatMap(({ kind, content }) => (kind === "text" ? [content] : []))
    return row("agent", texts.join("\n"))
  },
  progress: ({ summary, next_step, location }: { summary: string; next_step?: string; location?: string }) =>
    row("agent", [summary, next_step].filter(Boolean).join(" Next: "), location ? [location] : []),
  milestone: ({ title, summary }: { title: string; summary: string }): Headline => ({
    ...row("agent", `${title}: ${summary}`),
    severity: "success",
  }),
  agent_turn_started: ({ cli, attempt }: { cli: string; attempt: number }) =>
    row("agent", `${cli} started`, attempt > 1 ? [`attempt ${attempt}`] : []),
  agent_turn_finished: ({ outcome, duration_ms }: FinishedTurn): Headline => {
    const took = [formatDuration(duration_ms)]
    if (outcome.type === "completed") return row("agent", "Agent finished", took)
    if (outcome.type === "needs_continuation") return row("agent", "The agent stopped without a summary", took)
    return { ...row("agent", outcome.message ?? outcome.type, took), severity: "error" }
  },
  agent_session_opened: () => debug("agent", "Agent session opened"),
  agent_retried: ({ message, problem }: { message: string; problem: string }): Headline => ({
    ...row("agent", message, [problem]),
    severity: "warn",
  }),
  agent_notice: ({ text }: { text: string }): Headline => ({ ...row("agent", text), severity: "warn" }),
  agent_usage: ({ usage }: { usage: TokenCounts }) => debug("agent", "Tokens used", usageMeta(usage)),
  agent_quota: ({ used_percent, window }: { used_percent: number; window: string }) =>
    debug("agent", `${used_percent} % of the ${window} limit used`),
  agent_permitted: ({ tool }: { tool: string }) => debug("agent", `Allowed to use ${tool}`),
  terminal_opened: ({ title, cols, rows }: { title: string; cols: number; rows: number }) =>
    debug("agent", `Terminal ${title} opened`, [`${cols} × ${rows}`]),
  terminal_closed: ({ exit_code }: { exit_code: number | null }) =>
    debug("agent", "Terminal closed", exit_code === null ? [] : [`exit ${exit_code}`]),
  terminal_output: () => debug("agent", "Last screen of the terminal saved"),
}

interface Block {
  kind: string
  content: string
}

interface FinishedTurn {
  outcome: { type: string; message?: string }
  duration_ms: number
}

import { agentTitle, cliTitle } from "../../agents/clis/titles.ts"
import type { PayloadRef } from "../../log/event.ts"
import { formatCount, formatDuration } from "../../text/format.ts"
import { debug, failure, inlined, row, success, warning } from "./headline.ts"
import { type AskedQuestion, questionTitle } from "./question-title.ts"
import { type TokenCounts, usageMeta } from "./workflow-headlines.ts"

interface Switched {
  from_provider: string
  to_provider: string
  from_account: string | null
  to_account: string | null
  reason: string
  /** Null if a person chose the replacement. */
  problem: string | null
}

/** Headlines for events of command-line agents and their terminals. */
export const agentHeadlines = {
  user_message: ({ source, content, display_as }: QueuedMessage) => {
    const [, sender] = /^agent:(.+)$/.exec(source) ?? []
    const who = SYSTEM.has(source) ? "system" : sender === undefined ? "you" : "agent"
    return row(who, display_as ?? inlined(content) ?? "", sender === undefined ? [] : [`from ${sender}`])
  },
  assistant_message: ({ blocks }: { blocks: readonly Block[] | PayloadRef }) => {
    const texts = (inlined(blocks) ?? []).flatMap(({ kind, content }) => (kind === "text" ? [content] : []))
    return row("agent", texts.join("\n"))
  },
  agent_created: ({ name, cli, worktree }: { name: string; cli: string; worktree: string }) =>
    row("system", `${agentTitle(name, cli)} joined`, [cliTitle(cli), worktree]),
  agent_renamed: ({ name }: { name: string }) => debug("you", `Agent renamed to ${name}`),
  agent_program_changed: ({ cli, model }: { cli: string; model: string | null }) =>
    row("you", `The agent switches to ${cliTitle(cli)} with its next turn`, model === null ? [] : [model]),
  agent_draft_changed: () => debug("you", "Draft saved"),
  agent_message_queued: ({ content, display_as, source }: QueuedMessage) =>
    debug("you", `Queued: ${display_as ?? inlined(content) ?? ""}`, [source]),
  agent_message_delivered: ({ message_ids }: { message_ids: readonly unknown[] }) =>
    debug("system", `${formatCount(message_ids.length, "message")} delivered`),
  agent_ask_released: () => debug("agent", "Continues without the answer, which will arrive as a message"),
  agent_ask_ended: ({ reason, answer }: { reason: string; answer: string | PayloadRef }) =>
    debug(
      "agent",
      reason === "answered" ? `Answered an agent: ${inlined(answer) ?? ""}` : "Question between agents closed",
    ),
  agent_closed: ({ reason }: { reason: string }) => row("system", `Agent closed: ${reason}`),
  progress: ({ summary, next_step, location }: { summary: string; next_step?: string; location?: string }) =>
    row("agent", [summary, next_step].filter(Boolean).join(" Next: "), location ? [location] : []),
  milestone: ({ title, summary }: { title: string; summary: string }) => success("agent", `${title}: ${summary}`),
  agent_turn_started: ({ cli, attempt }: { cli: string; attempt: number }) =>
    row("agent", `${cliTitle(cli)} started`, attempt > 1 ? [`attempt ${attempt}`] : []),
  agent_turn_finished: ({ outcome, duration_ms }: FinishedTurn) => {
    const took = [formatDuration(duration_ms)]
    if (outcome.type === "completed") return row("agent", "Agent finished", took)
    if (outcome.type === "needs_continuation") return row("agent", "The agent stopped without a summary", took)
    return failure("agent", outcome.message ?? outcome.type, took)
  },
  agent_session_opened: () => debug("agent", "Agent session opened"),
  agent_retried: ({ message, problem }: { message: string; problem: string }) => warning("agent", message, [problem]),
  agent_todos_changed: ({ todos }: { todos: readonly { text: string; status: string }[] }) => {
    const done = todos.filter(({ status }) => status === "completed").length
    const now = todos.find(({ status }) => status === "in_progress")
    return debug("agent", now ? `Now: ${now.text}` : "Updated its to-do list", [`${done} of ${todos.length} done`])
  },
  agent_notice: ({ text }: { text: string }) => warning("agent", text),
  agent_usage: ({ usage }: { usage: TokenCounts }) => debug("agent", "Tokens used", usageMeta(usage)),
  agent_quota: ({ used_percent, window }: { used_percent: number; window: string }) =>
    debug("agent", `${used_percent} % of the ${window} limit used`),
  agent_context: ({ used_tokens }: { used_tokens: number }) =>
    debug("agent", `${used_tokens.toLocaleString("en")} tokens of its context used`),
  provider_switched: ({ reason, problem, ...switched }: Switched) => {
    const [from, to] = [switched.from_account ?? switched.from_provider, switched.to_account ?? switched.to_provider]
    const text = `${to} continues: ${reason}`
    return problem === null ? row("system", text, [`${from} → ${to}`]) : warning("system", text, [`${from} → ${to}`])
  },
  context_condensed: () => debug("system", "Summarized the work for the next agent"),
  agent_permitted: ({ tool }: { tool: string }) => debug("agent", `Allowed to use ${tool}`),
  agent_refused: ({ tool, reason }: { tool: string; reason: string }) =>
    warning("agent", `Not allowed to use ${tool}: ${reason}`),
  agent_mode_changed: ({ mode }: { mode: string }) => row("you", `Mode: ${MODE_NAMES[mode] ?? mode}`),
  agent_tool_allowed: ({ rule }: { rule: AllowedTool }) =>
    row("you", `Always allowed in this session: ${rule.command ?? rule.name ?? rule.tool}`),
  start_files_allowed: ({ files }: { files: readonly string[] }) =>
    row("you", "Allowed files that start programs", files.slice(0, 3)),
  session_rules_set: ({ rules }: { rules: readonly unknown[] }) =>
    row("you", rules.length === 0 ? "All session rules removed" : `${formatCount(rules.length, "rule")} set`),
  repository_rules_read: ({ rules, fault }: ReadRules) =>
    fault === undefined
      ? row("system", rules ? `The repository's rules apply: ${rulesText(rules)}` : "The repository has no rules")
      : warning("system", fault),
  agent_changes_reverted: ({ files, file_count, reason }: RevertedChanges) =>
    warning("system", `Restored ${formatCount(file_count, "file")}: ${reason}`, files.slice(0, 3)),
  question_asked: ({ question }: { question: AskedQuestion | PayloadRef }) =>
    warning("agent", `${questionTitle(inlined(question))}`),
  question_answered: ({ answer, by }: { answer: { choice: string; text?: string }; by: string }) =>
    row("you", [ANSWER_NAMES[answer.choice] ?? answer.choice, answer.text].filter(Boolean).join(": "), [by]),
  question_withdrawn: ({ reason }: { reason: string }) => debug("agent", `Question withdrawn: ${reason}`),
  question_kept: () => debug("agent", "Continues without the answer, which will arrive as a message"),
  budget_set: ({ scope, ...budget }: SetBudget) => row("you", `Budget of this ${scope}: ${budgetText(budget)}`),
  terminal_opened: ({ title, cols, rows }: { title: string; cols: number; rows: number }) =>
    debug("agent", `Terminal ${title} opened`, [`${cols} × ${rows}`]),
  terminal_closed: ({ exit_code }: { exit_code: number | null }) =>
    debug("agent", "Terminal closed", exit_code === null ? [] : [`exit ${exit_code}`]),
  terminal_output: () => debug("agent", "Terminal screen saved"),
}

interface SetBudget {
  scope: string
  usd: number | null
  tokens: number | null
  minutes: number | null
}

function budgetText({ usd, tokens, minutes }: Omit<SetBudget, "scope">): string {
  const limits = [
    usd === null ? [] : `$${usd.toFixed(2)}`,
    tokens === null ? [] : formatCount(tokens, "token"),
    minutes === null ? [] : formatCount(minutes, "minute"),
  ].flat()
  return limits.join(" or ") || "no limit"
}

interface ReadRules {
  rules: { [kind in "deny" | "ask" | "allow" | "read_only"]: readonly unknown[] } | null
  fault?: string
}

function rulesText({ deny, ask, allow, read_only }: NonNullable<ReadRules["rules"]>): string {
  const readOnly = `read-only: ${read_only.join(", ")}`
  const counts = Object.entries({ deny, ask, allow }).flatMap(([kind, rules]) =>
    rules.length > 0 ? [`${formatCount(rules.length, "rule")} to ${kind}`] : [],
  )
  return [...counts, readOnly].join(", ")
}

interface RevertedChanges {
  files: readonly string[]
  file_count: number
  reason: string
}

/** Sources of messages that the product itself generates. */
const SYSTEM: ReadonlySet<string> = new Set(["continuation", "collisions"])

const MODE_NAMES: { [mode: string]: string } = {
  ask: "ask before changes and commands",
  accept_edits: "accept edits",
  plan: "plan",
  bypass: "never ask",
}

const ANSWER_NAMES: { [choice: string]: string } = {
  allow: "Allowed",
  allow_session: "Allowed for this session",
  allow_all: "Allowed, with all edits from now on",
  deny: "Denied",
}

interface AllowedTool {
  tool: string
  name?: string
  command?: string
}

interface QueuedMessage {
  source: string
  content: string | PayloadRef
  display_as?: string
}

interface Block {
  kind: string
  content: string
}

interface FinishedTurn {
  outcome: { type: string; message?: string }
  duration_ms: number
}

import type { SessionUpdate, ToolKind } from "@agentclientprotocol/sdk"
import type { ToolKind as AgentTool } from "@switchyard/core/agents/clis/schema"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { SessionEvent } from "@switchyard/core/events"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"

/** Event types that are shown in editors. */
export const SHOWN_TYPES = [
  "user_message",
  "assistant_message",
  "agent_notice",
  "progress",
  "tool_call_started",
  "tool_call_finished",
  "question_asked",
  "question_answered",
  "question_withdrawn",
] as const

/**
 * Returns the updates that an editor shows for an event. Returns an empty list for events that are only for programs.
 */
export function updatesOf(event: SessionEvent): SessionUpdate[] {
  switch (event.type) {
    case "user_message":
      // Skip continuations, because they are messages from Switchyard to the agent.
      if (event.source === "continuation" || typeof event.content !== "string") return []
      return [{ sessionUpdate: "user_message_chunk", content: textBlock(event.content) }]
    case "assistant_message":
      return Array.isArray(event.blocks) ? event.blocks.map(spoken) : []
    case "agent_notice":
      return [{ sessionUpdate: "agent_thought_chunk", content: textBlock(`${event.text}\n\n`) }]
    case "progress":
      return [planOf(event)]
    case "tool_call_started":
      return [startedTool(event)]
    case "tool_call_finished":
      return [finishedTool(event)]
    case "question_asked":
      return [askedQuestion(event.question_id, QuestionContent.safeParse(event.question).data)]
    case "question_answered":
      return [endedQuestion(event.question_id, event.answer.choice === "deny" ? "failed" : "completed")]
    case "question_withdrawn":
      return [endedQuestion(event.question_id, "failed")]
    default:
      return []
  }
}

/** Returns a message's text followed by a blank line, because editors join consecutive chunks. */
function spoken({ kind, content }: { kind: "text" | "thinking"; content: string }): SessionUpdate {
  const sessionUpdate = kind === "thinking" ? "agent_thought_chunk" : "agent_message_chunk"
  return { sessionUpdate, content: textBlock(`${content}\n\n`) }
}

/** Returns a plan with the agent's current step and its next step, as reported by the agent. */
function planOf({ summary, next_step }: { summary: string; next_step?: string | undefined }): SessionUpdate {
  const now = { content: summary, priority: "medium", status: "in_progress" } as const
  const next = next_step ? [{ content: next_step, priority: "medium", status: "pending" } as const] : []
  return { sessionUpdate: "plan", entries: [now, ...next] }
}

type Started = Extract<SessionEvent, { type: "tool_call_started" }>
type Finished = Extract<SessionEvent, { type: "tool_call_finished" }>

function startedTool({ tool_call_id, tool, name, path, command, args }: Started): SessionUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: tool_call_id,
    title: command ?? [name ?? tool, path].filter(Boolean).join(" "),
    kind: KINDS[tool],
    status: "in_progress",
    content: args === undefined ? [] : [{ type: "content", content: textBlock(args) }],
  }
}

function finishedTool({ tool_call_id, exit_code, llm_summary }: Finished): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: tool_call_id,
    status: exit_code === 0 ? "completed" : "failed",
    // Without a summary, the editor keeps the existing content.
    ...(llm_summary !== "" && { content: [{ type: "content", content: textBlock(llm_summary) }] }),
  }
}

function askedQuestion(id: string, question: QuestionContent | undefined): SessionUpdate {
  const text = question && detailsOf(question)
  return {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: questionTitle(question),
    kind: question?.kind === "permission" ? KINDS[question.tool] : "other",
    status: "pending",
    content: text ? [{ type: "content", content: textBlock(text) }] : [],
  }
}

function endedQuestion(toolCallId: string, status: "completed" | "failed"): SessionUpdate {
  return { sessionUpdate: "tool_call_update", toolCallId, status }
}

/** Returns the information that a person needs to decide, in Markdown. */
function detailsOf(question: QuestionContent): string | undefined {
  if (question.kind === "plan") return question.plan
  if (question.kind === "text") return question.text
  if (question.kind === "choice") {
    const options = question.questions.flatMap((one) => one.options)
    return options.map(({ label, description }) => `- **${label}**: ${description}`).join("\n")
  }
  if (question.diff !== undefined) return fenced(question.diff, "diff")
  return question.args === undefined ? undefined : fenced(question.args, "json")
}

/** Returns a code block with a fence that doesn't occur in the text. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function textBlock(text: string) {
  return { type: "text" as const, text }
}

const KINDS: Record<AgentTool, ToolKind> = {
  bash: "execute",
  read: "read",
  write: "edit",
  edit: "edit",
  glob: "search",
  grep: "search",
  mcp: "other",
  other: "other",
}

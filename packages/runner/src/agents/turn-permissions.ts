import type { PermissionDecision } from "@switchyard/core/agents/clis/protocol"
import { renderQuestion } from "@switchyard/core/agents/conversations/rendering"
import { decidePermission, ruleFor } from "@switchyard/core/agents/permissions/decide"
import { parseCommandInThread } from "@switchyard/core/agents/permissions/in-thread"
import type { PermissionRequest } from "@switchyard/core/agents/permissions/schema"
import type { CommandText } from "@switchyard/core/agents/permissions/shell-command"
import { isOwnTool } from "@switchyard/core/agents/protocols/tool-kinds"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { NewEvent } from "@switchyard/core/events"
import type { EventQueue } from "./event-queue.ts"
import type { TurnDeps, TurnPlan } from "./turn.ts"
import type { PermissionAsked, TurnControl } from "./turn-control.ts"

/** Permission requests in one turn. The agent's policy or a person decides about them. */
export interface TurnPermissions {
  asked(request: PermissionAsked): void
  /** Withdraws all unanswered questions except the one that parked the turn. */
  close(): void
  /** Question that parked the turn because it wasn't answered in time. Undefined if there is none. */
  readonly parkedFor: string | undefined
}

/** Reply to a question that only a person can answer, if no person is available. */
const NOBODY_ANSWERS = "No person can answer now. Decide yourself, and give your choice and the reason in your summary."
const DENIED = "A person denied this."

export function createTurnPermissions(
  {
    clock,
    decisions,
    newId,
    patience,
    report,
  }: Pick<TurnDeps, "clock" | "decisions" | "newId" | "patience" | "report">,
  { drive: { protocol }, resolvePaths }: Pick<TurnPlan, "drive" | "resolvePaths">,
  {
    queue,
    control,
  }: { queue: Pick<EventQueue, "push">; control: Pick<TurnControl, "send" | "show" | "pause" | "stop"> },
): TurnPermissions {
  const over = new AbortController()
  let parkedFor: string | undefined

  async function resolveRequest(request: PermissionAsked): Promise<void> {
    const question = withRule(await withoutLinks(request.question))
    const text = question.kind === "permission" ? await parseCommandInThread(question.command ?? "") : undefined
    const unasked = decideUnasked(question, text)
    if (unasked) return conclude(request.id, unasked.decision, unasked.events)
    await ask(request.id, question, text)
  }

  /** Resolves links in paths if rules may apply to them. Otherwise, a link could be used to bypass a rule. */
  async function withoutLinks(question: QuestionContent): Promise<QuestionContent> {
    const { mode, rules } = decisions.policy
    if (question.kind !== "permission" || !question.paths || (mode === "bypass" && rules.length === 0)) return question
    return { ...question, paths: await resolvePaths(question.paths) }
  }

  function decideUnasked(
    question: QuestionContent,
    text: CommandText | undefined,
  ): { decision: PermissionDecision; events: NewEvent[] } | undefined {
    const { policy } = decisions
    if (question.kind !== "permission") {
      if (policy.mode !== "bypass") return undefined
      if (question.kind === "plan") return { decision: { effect: "allow" }, events: [] }
      return { decision: { effect: "deny", reason: NOBODY_ANSWERS }, events: [] }
    }
    // Skip Switchyard's own tools, because they ask for permission themselves.
    const isOwn = question.tool === "mcp" && isOwnTool(question.name)
    const decided = isOwn ? ({ effect: "allow" } as const) : decidePermission(policy, question, text)
    if (decided.effect === "ask" && decisions.takeAllowed(question)) {
      return { decision: { effect: "allow" }, events: [{ type: "agent_permitted", tool: nameOf(question) }] }
    }
    if (decided.effect === "ask") return undefined
    const tool = nameOf(question)
    if (decided.effect === "allow") {
      return { decision: { effect: "allow" }, events: [{ type: "agent_permitted", tool }] }
    }
    const { reason } = decided
    return {
      decision: { effect: "deny", reason },
      events: [{ type: "agent_refused", tool, reason }],
    }
  }

  async function ask(id: string, question: QuestionContent, text: CommandText | undefined): Promise<void> {
    const question_id = newId("que")
    const settled = new AbortController()
    const signal = AbortSignal.any([over.signal, settled.signal])
    const resume = control.pause()
    const answered = decisions.answerTo(question_id, { signal })
    // The question can also be decided by a rule or mode that is set while it is open.
    decisions.onChange(() => decideUnasked(question, text) && settled.abort(), { signal })
    queue.push([{ type: "question_asked", question_id, kind: question.kind, question }])
    control.show(renderQuestion(question))
    clock.sleep(patience.answerMs, { signal }).then(
      () => park(question_id),
      () => {},
    )
    const answer = await answered
    settled.abort()
    resume()
    if (answer) return conclude(id, decisionOf(answer), [])
    if (parkedFor === question_id) return
    const unasked = over.signal.aborted ? undefined : decideUnasked(question, text)
    const reason = unasked ? "The agent's permissions have changed." : "The agent's turn is over."
    queue.push([{ type: "question_withdrawn", question_id, reason }])
    if (unasked) conclude(id, unasked.decision, unasked.events)
  }

  /**
   * Parks and ends the turn, because no process should keep running while the answer is pending. The answer restarts
   * the agent.
   */
  function park(questionId: string): void {
    if (parkedFor !== undefined || over.signal.aborted) return
    parkedFor = questionId
    control.stop("parked")
  }

  function conclude(id: string, decision: PermissionDecision, events: NewEvent[]): void {
    queue.push(events)
    control.send(protocol.encodeDecision?.(id, decision) ?? "")
  }

  /** Denies a permission request that couldn't be handled, because the agent needs a reply. */
  function refuse(id: string, error: unknown): void {
    report(error)
    conclude(id, { effect: "deny", reason: "This question couldn't be asked." }, [])
  }

  return {
    asked: (request) => void resolveRequest(request).catch((error) => refuse(request.id, error)),
    close: () => over.abort(),
    get parkedFor() {
      return parkedFor
    },
  }
}

/** Adds the rule that a person can create when answering the question. */
function withRule(question: QuestionContent): QuestionContent {
  if (question.kind !== "permission") return question
  const rule = ruleFor(question)
  return rule ? { ...question, rule } : question
}

function nameOf({ name, command }: PermissionRequest): string {
  return command === undefined ? name : `${name}: ${command.slice(0, 200)}`
}

function decisionOf({ choice, text, answers }: Answer): PermissionDecision {
  if (choice !== "deny") return { effect: "allow", answers }
  return { effect: "deny", reason: DENIED, instead: text?.trim() ? text : undefined }
}

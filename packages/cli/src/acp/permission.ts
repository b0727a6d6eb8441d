import type { PermissionOption } from "@agentclientprotocol/sdk"
import { ruleText } from "@switchyard/core/agents/permissions/rule-text"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"

/** A choice offered to an editor's user. */
export interface Choice {
  title?: string
  options: PermissionOption[]
}

type Part = Extract<QuestionContent, { kind: "choice" }>["questions"][number]

const ALLOWING = ["allow", "allow_session", "allow_all"] as const
const DENY: PermissionOption = { optionId: "deny", name: "Deny", kind: "reject_once" }

/**
 * Returns the choices to offer, in order. A permission or a plan needs a single choice. A question can need several.
 */
export function choicesOf(question: QuestionContent): Choice[] {
  if (question.kind === "choice") return question.questions.map(choiceOf)
  // Editors don't offer a text field, so the only option is to let the agent decide.
  if (question.kind === "text") return [{ title: question.text, options: [{ ...DENY, name: "Let the agent decide" }] }]
  return [{ options: question.kind === "plan" ? planOptions : permissionOptions(question) }]
}

/**
 * Returns the answer for the chosen options, with one option ID per choice. If one choice is denied, the whole question
 * is denied.
 */
export function answerOf(question: QuestionContent, chosen: string[]): Answer {
  if (chosen.includes(DENY.optionId)) return { choice: "deny" }
  if (question.kind !== "choice") return { choice: ALLOWING.find((choice) => choice === chosen[0]) ?? "deny" }
  const labels = question.questions.map(({ question, options }, at) => {
    return [question, options[Number(chosen[at])]?.label ?? ""] as const
  })
  return { choice: "allow", answers: Object.fromEntries(labels) }
}

const planOptions: PermissionOption[] = [
  { optionId: "allow", name: "Do it", kind: "allow_once" },
  { optionId: "allow_all", name: "Do it, and allow all edits", kind: "allow_always" },
  { ...DENY, name: "Don't" },
]

function permissionOptions({ tool, rule }: Extract<QuestionContent, { kind: "permission" }>): PermissionOption[] {
  const allowed = { optionId: "allow", name: "Allow", kind: "allow_once" } as const
  if (tool === "write" || tool === "edit") {
    return [allowed, { optionId: "allow_all", name: "Allow all edits", kind: "allow_always" }, DENY]
  }
  if (!rule) return [allowed, DENY]
  const name = `Allow in this session ${ruleText(rule)}`
  return [allowed, { optionId: "allow_session", name, kind: "allow_always" }, DENY]
}

/**
 * Returns the choice for one part of a question. Option IDs are indexes, because two options may have the same label.
 */
function choiceOf({ question, options }: Part): Choice {
  const offered = options.map(({ label }, at) => ({ optionId: String(at), name: label, kind: "allow_once" as const }))
  return { title: question, options: [...offered, { ...DENY, name: "None of these" }] }
}

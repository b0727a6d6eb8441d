import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { BudgetScope } from "../../people/budget/schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import { Answer, QuestionContent, QuestionKind } from "./schema.ts"

/** Questions of agents to people, and what agents may do unasked. */
export const questionEvents = [
  event("question_asked", "An agent asks a person, and waits for the answer.", {
    question_id: z.string(),
    kind: QuestionKind,
    budget: BudgetScope.optional().describe("Whose budget it is about, if it is about one"),
    question: large(QuestionContent),
  }),
  event("question_answered", "A person answered. The first answer counts.", {
    question_id: z.string(),
    answer: Answer,
    by: z.string().describe("The owner or the token that answered"),
  }),
  event("question_kept", "The agent no longer waits: its turn may end, and the answer comes to it as a message.", {
    question_id: z.string(),
  }),
  event("question_withdrawn", "The question needs no answer any more.", {
    question_id: z.string(),
    reason: z.string(),
  }),
  event("agent_mode_changed", "What the agent may do unasked changed.", { mode: PermissionMode }),
  event("session_rules_set", "A person set the rules for all agents of the session.", {
    rules: z.array(PermissionRule),
  }),
  event("agent_changes_reverted", "Changes that the agent may not make, and never asked for, were put back.", {
    files: z.array(z.string()).describe("The first hundred"),
    file_count: z.int().positive(),
    reason: z.string(),
  }),
  event(
    "start_files_allowed",
    "Files of the project that start programs have consent, and the agent works with them.",
    {
      digest: z.string().describe("Of their paths and contents"),
      files: z.array(z.string()).describe("The first hundred"),
      given_before: z.boolean().optional().describe("Whether the consent was stored before; else the task gave it"),
    },
  ),
  event("agent_tool_allowed", "The agent needs no permission any more for uses of a tool like this.", {
    rule: PermissionRule,
  }),
] as const

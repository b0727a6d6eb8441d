import * as z from "zod"
import { inWorktree } from "../../files/worktrees/names-schema.ts"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { BudgetScope } from "../../people/budget/schema.ts"
import { ReadRules } from "../permissions/repository-rules-schema.ts"
import { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import { Answer, QuestionContent, QuestionKind } from "./schema.ts"

/** Events about agents' questions to people, and about agents' permissions. */
export const questionEvents = [
  event("question_asked", "An agent asked a person something and is waiting for the answer.", {
    question_id: z.string(),
    kind: QuestionKind,
    budget: BudgetScope.optional().describe("Scope of the budget in question, if any"),
    question: large(QuestionContent),
  }),
  event("question_answered", "A person answered. The first answer counts.", {
    question_id: z.string(),
    answer: Answer,
    by: z.string().describe("Owner or token that answered"),
  }),
  event("question_kept", "The agent is no longer waiting. Its turn may end, and the answer will arrive as a message.", {
    question_id: z.string(),
  }),
  event("question_withdrawn", "The question no longer needs an answer.", {
    question_id: z.string(),
    reason: z.string(),
  }),
  event("agent_mode_changed", "The agent's permission mode changed.", { mode: PermissionMode }),
  event("session_rules_set", "A person set the rules for all agents in the session.", {
    rules: z.array(PermissionRule),
  }),
  event("repository_rules_read", "The rules in the repository's file apply to agents in the worktree.", {
    ...inWorktree,
    ...ReadRules.shape,
  }),
  event("agent_changes_reverted", "Changes that the agent made without permission were reverted.", {
    files: z.array(z.string()).describe("The first hundred"),
    file_count: z.int().positive(),
    reason: z.string(),
  }),
  event(
    "start_files_allowed",
    "The owner consented to files that start programs or set up worktrees, so they are used.",
    {
      digest: z.string().describe("Digest of their paths and contents"),
      files: z.array(z.string()).describe("The first hundred"),
      given_before: z
        .boolean()
        .optional()
        .describe("True if the consent was given earlier; otherwise it came with the task"),
    },
  ),
  event("agent_tool_allowed", "The agent no longer needs permission to use a tool in this way.", {
    rule: PermissionRule,
  }),
] as const

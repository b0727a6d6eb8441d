import * as z from "zod"
import { BudgetScope, WorkBudget } from "../../people/budget/schema.ts"
import { charLimit } from "../../text-limits-schema.ts"
import { PermissionRequest, PermissionRule } from "../permissions/schema.ts"

const Choice = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multi: z.boolean().describe("Whether several options can be chosen"),
})

/** The content of an agent's question to a person. */
export const QuestionContent = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("permission"),
      ...PermissionRequest.shape,
      rule: PermissionRule.optional().describe(
        "What `allow_session` allows from then on; absent if only this use can be allowed",
      ),
    })
    .describe("May it use this tool"),
  z
    .object({
      kind: z.literal("choice"),
      questions: z.array(Choice),
      budget: WorkBudget.extend({ scope: BudgetScope })
        .optional()
        .describe("Of a budget that is used up: what the first option makes of it"),
    })
    .describe("Which of these"),
  z.object({ kind: z.literal("plan"), plan: z.string() }).describe("Shall it do this"),
  z.object({ kind: z.literal("text"), text: z.string() }).describe("Anything that a person can answer in words"),
])
export type QuestionContent = z.infer<typeof QuestionContent>

export const QuestionKind = z.enum(["permission", "choice", "plan", "text"])
export type QuestionKind = z.infer<typeof QuestionKind>

/** A person's answer. */
export const Answer = z
  .object({
    choice: z
      .enum(["allow", "allow_session", "allow_all", "deny"])
      .describe(
        "allow: this once. allow_session: also what the question's `rule` says, for this agent in this session. " +
          "allow_all: also all edits in its worktree. deny: not this",
      ),
    text: z
      .string()
      .max(...charLimit("answer"))
      .optional()
      .describe("With deny: what the agent shall do instead. Of a text: the answer"),
    answers: z
      .record(z.string().max(1000), z.string().max(...charLimit("answer")))
      .optional()
      .describe("Of a choice: each of its questions with the chosen label; several are separated by commas"),
  })
  .meta({ id: "Answer" })
export type Answer = z.infer<typeof Answer>

/** A question that waits for an answer, as the API shows it. */
export const Question = z
  .object({
    question_id: z.string(),
    session_id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    seq: z.int().positive().describe("Its event in the session's log"),
    asked_at: z.iso.datetime(),
    question: QuestionContent,
  })
  .meta({ id: "Question" })
export type Question = z.infer<typeof Question>

export const QuestionList = z
  .object({ questions: z.array(Question) })
  .meta({ id: "Questions", description: "The questions that wait for an answer" })
export type QuestionList = z.infer<typeof QuestionList>

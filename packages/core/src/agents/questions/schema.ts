import * as z from "zod"
import { BudgetScope, WorkBudget } from "../../people/budget/schema.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { PermissionRequest, PermissionRule } from "../permissions/schema.ts"

const Choice = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multi: z.boolean().describe("True if several options can be chosen"),
})

/** Content of an agent's question to a person. */
export const QuestionContent = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("permission"),
      ...PermissionRequest.shape,
      rule: PermissionRule.optional().describe(
        "Permission granted by `allow_session`; absent if only this use can be allowed",
      ),
    })
    .describe("Permission to use a tool"),
  z
    .object({
      kind: z.literal("choice"),
      questions: z.array(Choice),
      budget: WorkBudget.extend({ scope: BudgetScope })
        .optional()
        .describe("For a used-up budget: its new value if the first option is chosen"),
    })
    .describe("Choice between options"),
  z.object({ kind: z.literal("plan"), plan: z.string() }).describe("Approval of a plan"),
  z.object({ kind: z.literal("text"), text: z.string() }).describe("Question to answer in words"),
])
export type QuestionContent = z.infer<typeof QuestionContent>

export const QuestionKind = z.enum(["permission", "choice", "plan", "text"])
export type QuestionKind = z.infer<typeof QuestionKind>

export const Answer = z
  .object({
    choice: z
      .enum(["allow", "allow_session", "allow_all", "deny"])
      .describe(
        "allow: this once. allow_session: also everything covered by the question's `rule`, for this agent in this session. " +
          "allow_all: also all edits in its worktree. deny: refuses this",
      ),
    text: z
      .string()
      .max(...charLimit("answer"))
      .optional()
      .describe("With deny: what the agent should do instead. For a text question: the answer"),
    answers: z
      .record(z.string().max(1000), z.string().max(...charLimit("answer")))
      .optional()
      .describe("For a choice: the chosen label for each question, or several labels separated by commas"),
  })
  .meta({ id: "Answer" })
export type Answer = z.infer<typeof Answer>

/** Open question as shown in the API. */
export const Question = z
  .object({
    question_id: z.string(),
    session_id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    agent_name: z.string().describe("Name of the agent or worker; its id if it has none"),
    seq: z.int().positive().describe("Number of its event in the session's log"),
    asked_at: z.iso.datetime(),
    question: QuestionContent,
  })
  .meta({ id: "Question" })
export type Question = z.infer<typeof Question>

export const QuestionList = z
  .object({ questions: z.array(Question) })
  .meta({ id: "Questions", description: "Open questions" })
export type QuestionList = z.infer<typeof QuestionList>

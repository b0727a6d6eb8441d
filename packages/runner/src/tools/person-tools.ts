import type { People } from "@switchyard/core/agents/conversations/people"
import type { QuestionContent } from "@switchyard/core/agents/questions/schema"
import * as z from "zod"
import { Content, WAIT_MS } from "./limits.ts"
import { type AgentTool, agentTool } from "./tool.ts"

const MAX_OPTIONS = 10

/** Creates the tool for asking people questions. */
export function personTools(
  people: People,
  { timeout }: { timeout: (ms: number) => AbortSignal },
): Record<string, AgentTool> {
  return {
    ask_person: agentTool({
      title: "Ask a person",
      description:
        "Asks the people in this session something that only they can decide, and waits up to 50 seconds for the answer. You " +
        "receive a later answer as a message.",
      readOnly: false,
      input: z.object({
        question: Content.max(4000),
        options: z.array(z.string().trim().min(1).max(200)).min(2).max(MAX_OPTIONS).optional(),
      }),
      call: async ({ question, options: labels }, { signal }) => {
        const answer = await people.ask(contentOf(question, labels), { signal, enough: timeout(WAIT_MS) })
        return (
          answer ??
          "There is no answer yet. You will receive it as a message. Continue with something else, or end your turn."
        )
      },
    }),
  }
}

function contentOf(question: string, labels: string[] | undefined): QuestionContent {
  if (!labels) return { kind: "text", text: question }
  const options = labels.map((label) => ({ label, description: "" }))
  return { kind: "choice", questions: [{ question, header: "", options, multi: false }] }
}

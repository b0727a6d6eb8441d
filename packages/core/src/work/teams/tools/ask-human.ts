import * as z from "zod"
import type { Answer } from "../../../agents/questions/schema.ts"
import { defineDurableTool } from "../../harness/durable-tools.ts"
import { askPerson } from "./ask-person.ts"
import type { Member } from "./member.ts"

/** Returns a person's answer as text for a model. */
export function answerForModel({ text, choice }: Answer): string {
  return text ?? (choice === "deny" ? "The person declined to answer." : "Yes.")
}

/** Returns the tool for asking a person a question. The run parks until the person answers. */
export function askHumanTool(member: Member) {
  return defineDurableTool({
    name: "ask_human",
    description: "Ask a person something you can't continue without. Waits for the answer.",
    parameters: z.object({ question: z.string().min(1).max(4000) }),
    async run({ question }) {
      const answer = await askPerson(member, { kind: "text", text: question })
      return { answer: answerForModel(answer) }
    },
  })
}

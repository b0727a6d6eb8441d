import { showBidiControls } from "../../text/bidi-controls.ts"

/** Fields of a question used in its headline. */
export type AskedQuestion =
  | {
      kind: "permission"
      tool: string
      name: string
      paths?: readonly string[] | undefined
      command?: string | undefined
    }
  | { kind: "choice"; questions: readonly { question: string }[] }
  | { kind: "plan" }
  | { kind: "text"; text: string }

/** Returns a question as a single line. If its text is stored outside the event, returns a generic title. */
export function questionTitle(question: AskedQuestion | undefined): string {
  if (question === undefined) return "A question"
  if (question.kind === "choice") return question.questions[0]?.question ?? "Which one?"
  if (question.kind === "text") return question.text
  if (question.kind === "plan") return "Is this plan right?"
  const { tool, name, paths, command } = question
  if (command !== undefined) return `May I run ${showBidiControls(command)}?`
  return `May I ${VERBS[tool] ?? `use ${name}`}${paths ? ` ${showBidiControls(paths.join(", "))}` : ""}?`
}

const VERBS: { [tool: string]: string } = { read: "read", write: "write", edit: "change" }

import { showBidiControls } from "../../bidi-controls.ts"

/** The fields of a question that its line names. */
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

/** A question in one line. Of one whose text is stored apart, only that there is one. */
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

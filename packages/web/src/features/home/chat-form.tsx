import { useRef } from "react"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { Composer, Examples } from "./composer.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { useChatQuestion } from "./use-chat-question.ts"
import type { useDraft } from "./use-draft.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"

const examples = [
  "What does this project do, and where would I begin to read?",
  "Where are errors handled, and which of them are swallowed?",
  "Rename the clearest misnomer, and say why",
]

/** The first question of a chat over a repository; without a question, its files are chosen first. */
export function ChatForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const question = useChatQuestion(draft)
  const { refusal } = question
  return (
    <>
      <Composer
        label="Your question"
        placeholder="Ask about the code, or for a change of it"
        text={draft.text}
        onWrite={draft.write}
        action={draft.text.trim() === "" ? "Open" : "Ask"}
        onRun={question.blocked ? null : question.start}
        busy={question.busy}
        field={field}
        labelled
      >
        <RepositoryField
          value={question.repository}
          onChange={question.setRepository}
          known={useKnownRepositories()}
          wrong={refusal?.about === "repository" ? refusal.message : null}
          hint="Local path or Git URL. Leave empty to begin without files."
        />
      </Composer>
      <ModelPicker className="mt-2 -ml-2 h-8 border-transparent" />
      {refusal && refusal.about !== "repository" && <StartRefusal error={refusal.error} className="mt-3" />}
      <p className="mt-2 text-sm text-ink-3">
        The model is shown a map of the code, and the files that you select in full. Its edits become commits on a
        branch of the session's own; your checkout isn't touched.
      </p>
      <Examples of={examples} draft={draft} field={field} />
    </>
  )
}

import { useRef, useState } from "react"
import { anything, object, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { refusalOf } from "./agent-refusal.ts"
import { Composer, Examples } from "./composer.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"
import { useLastRepository } from "./use-last-repository.ts"

const examples = [
  "What does this project do, and where would I begin to read?",
  "Where are errors handled, and which of them are swallowed?",
  "Rename the clearest misnomer, and say why",
]

/** Form for the first question of a chat about a repository. Without a question, the files are chosen first. */
export function ChatForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const question = useChatQuestion(draft)
  const { refusal } = question
  return (
    <>
      <Composer
        label="Your question"
        placeholder="Ask about the code, or for a change of it"
        draft={draft}
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

/** Returns the state of the chat form: the question, the repository (by default the last one), and the refusal. */
function useChatQuestion(draft: ReturnType<typeof useDraft>) {
  const { api } = useStudio()
  const { requested } = useModel()
  const [last, remember] = useLastRepository()
  const [chosen, setChosen] = useState<string | null>(null)
  const named = chosen ?? last
  const repository = named.trim()
  const message = draft.text.trim()

  /** Not awaited, because cloning may take long. The chat shows the files once they are read. */
  function read(id: string): void {
    api.call("POST /api/v1/sessions/{id}/chat/files", { path: { id }, response: anything }).catch(() => undefined)
  }

  async function ask(id: string): Promise<void> {
    const { model, modelKey } = requested()
    const body = { message: draft.text, model }
    await api.call("POST /api/v1/sessions/{id}/chat", { path: { id }, body, modelKey, response: anything })
  }

  const { run, busy, failure, forgive } = useBegin(draft, async () => {
    const body = repository === "" ? {} : { repository }
    const { id } = await api.call("POST /api/v1/sessions", { body, response: object({ id: text }) })
    try {
      if (message === "") read(id)
      else await ask(id)
    } catch (error) {
      // If the question was refused, nothing remains.
      await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything }).catch(() => undefined)
      throw error
    }
    remember(repository)
    return paths.chat(id)
  })

  return {
    repository: named,
    setRepository: (text: string) => {
      setChosen(text)
      // A refusal of the previous choice doesn't apply to this one.
      forgive()
    },
    busy,
    blocked: busy || (message === "" && repository === ""),
    refusal: failure === null ? null : refusalOf(failure, repository),
    start: () => run(),
  }
}

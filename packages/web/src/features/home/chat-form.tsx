import { useRef, useState } from "react"
import { anything, object, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { Composer } from "../conversation/composer.tsx"
import type { AttachedImage } from "../images/attached-image.ts"
import { useImages } from "../images/use-images.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { refusalOf } from "./agent-refusal.ts"
import { Examples } from "./examples.tsx"
import { RepositoryField } from "./repository-field.tsx"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"
import { useLastRepository } from "./use-last-repository.ts"

const examples = [
  "What does this project do, and where should I start reading?",
  "Where are errors handled, and which ones are swallowed?",
  "Rename the most misleading function and explain why",
]

/** Form for the first question of a chat about a repository. Without a question, the files are chosen first. */
export function ChatForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const images = useImages()
  const question = useChatQuestion(draft, images.images)
  const { refusal } = question
  const action = draft.text.trim() === "" ? "Open" : "Ask"
  return (
    <>
      <Composer
        label="Your question"
        placeholder="Ask about the code or request a change"
        rows={3}
        value={draft.text}
        onChange={draft.write}
        command={action}
        action={action}
        onSend={question.blocked ? null : question.start}
        busy={question.busy && "Starting"}
        isRun
        error={refusal?.about === "repository" ? null : refusal?.error}
        ref={field}
        images={images}
        attached={
          <div className="flex border-t border-line px-4 pt-3">
            <RepositoryField
              value={question.repository}
              onChange={question.setRepository}
              known={useKnownRepositories()}
              wrong={refusal?.about === "repository" ? refusal.message : null}
              hint="Enter a local path or Git URL, or leave empty to start without files."
            />
          </div>
        }
      >
        <ModelPicker className="h-8 border-transparent" />
      </Composer>
      <p className="mt-2 text-sm text-ink-3">
        The model sees a map of the code and the full text of the files you select. Edits are committed to the session's
        own branch, so your checkout isn't touched.
      </p>
      <Examples of={examples} draft={draft} field={field} />
    </>
  )
}

/** Returns the state of the chat form: the question, its repository (by default the last one), and the refusal. */
function useChatQuestion(draft: ReturnType<typeof useDraft>, images: AttachedImage[]) {
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
    const body = { message: draft.text, images, model }
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

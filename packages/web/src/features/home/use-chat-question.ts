import { useState } from "react"
import { anything, object, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { refusalOf } from "./agent-refusal.ts"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"
import { useLastRepository } from "./use-last-repository.ts"

/** The state of the form for a chat: the question, the repository (by default the last one), and the refusal. */
export function useChatQuestion(draft: ReturnType<typeof useDraft>) {
  const { api } = useStudio()
  const { requested } = useModel()
  const [last, remember] = useLastRepository()
  const [chosen, setChosen] = useState<string | null>(null)
  const named = chosen ?? last
  const repository = named.trim()
  const message = draft.text.trim()

  /** Nobody waits for a clone here: the chat shows the files once they are read. */
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
      // Nothing is left of a question that was refused.
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

import { useRef, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../app/routes.ts"
import { useSessionsChanged } from "../../app/sessions.ts"
import { useStudio } from "../../app/studio.ts"
import { Notice } from "../../ui/notice.tsx"
import { startRun, wantsKey } from "../run/start-run.ts"
import { Composer, Examples } from "./composer.tsx"
import type { useDraft } from "./use-draft.ts"

const examples = [
  "A todo list that remembers what I typed, in plain HTML and TypeScript",
  "A command-line tool that finds the largest files in a folder",
  "A REST API for bookmarks with tags and search, and its tests",
]

interface Props {
  draft: ReturnType<typeof useDraft>
  autoFocus: boolean
}

/** A prompt for planner, architect and coder. */
export function BuildForm({ draft, autoFocus }: Props) {
  const { config, browser } = useStudio()
  const field = useRef<HTMLTextAreaElement>(null)
  const { run, busy, error, wanting } = useStart(draft)
  const blocked = busy || draft.text.trim() === ""
  return (
    <>
      <Composer
        label="What to build"
        placeholder="Describe it in a sentence or two"
        text={draft.text}
        onWrite={draft.write}
        action="Run"
        onRun={blocked ? null : run}
        busy={busy}
        autoFocus={autoFocus}
        field={field}
      >
        <span className="min-w-0 truncate text-sm text-ink-3" title={config.default_model}>
          {config.default_model}
        </span>
      </Composer>
      {error && (
        <Notice tone="err" className="mt-3">
          {error}{" "}
          {wanting && (
            <button
              type="button"
              className="min-h-6 text-accent underline underline-offset-2"
              onClick={() => browser.setState({ dialog: "model-key" })}
            >
              Add a key
            </button>
          )}
        </Notice>
      )}
      <Examples
        of={examples}
        onChoose={(example) => {
          draft.write(example)
          field.current?.focus()
        }}
      />
    </>
  )
}

function useStart(draft: Props["draft"]) {
  const { api, browser } = useStudio()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [wanting, setWanting] = useState(false)
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      const started = await startRun(api, { prompt: draft.text, sessionId: null, overrides: {} })
      draft.forget()
      changed()
      go(paths.run(started.workspace_id))
    } catch (failure) {
      setWanting(wantsKey(failure))
      if (wantsKey(failure)) browser.setState({ dialog: "model-key" })
      setError(failure instanceof Error ? failure.message : String(failure))
      setBusy(false)
    }
  }
  return { run, busy, error, wanting }
}

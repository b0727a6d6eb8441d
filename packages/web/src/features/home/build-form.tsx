import { demoExamples } from "@switchyard/core/models/demo-offer"
import { useRef, useState } from "react"
import { useLocation } from "wouter"
import { wantsKey } from "../../api/client.ts"
import { startRun } from "../../session/actions/start-run.ts"
import { paths } from "../../session/context/routes.ts"
import { useBrowser, useStudio } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { Notice } from "../../ui/notice.tsx"
import { Composer, Examples } from "./composer.tsx"
import { DemoNote, useDemo } from "./demo-note.tsx"
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
  const hasKey = useBrowser((state) => state.hasModelKey)
  const isDemo = useDemo()
  const { run, busy, error, keyless } = useStart(draft)
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
          {error}
        </Notice>
      )}
      {keyless && !hasKey && (
        <Notice tone="need" className="mt-3">
          The model needs a key, and the server has none of its own.{" "}
          <button
            type="button"
            className="min-h-6 text-accent underline underline-offset-2"
            onClick={() => browser.setState({ dialog: "missing-key" })}
          >
            Add yours
          </button>
        </Notice>
      )}
      {isDemo && <DemoNote />}
      <Examples
        of={isDemo ? demoExamples : examples}
        onChoose={(example) => {
          draft.write(example)
          field.current?.focus()
        }}
      />
    </>
  )
}

function useStart(draft: Props["draft"]) {
  const { api } = useStudio()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [keyless, setKeyless] = useState(false)
  const run = async () => {
    setBusy(true)
    setError(null)
    setKeyless(false)
    try {
      const started = await startRun(api, { prompt: draft.text, sessionId: null, overrides: {} })
      draft.forget()
      changed()
      go(paths.run(started.workspace_id))
    } catch (failure) {
      setBusy(false)
      if (!wantsKey(failure)) return setError(failure instanceof Error ? failure.message : String(failure))
      setKeyless(true)
    }
  }
  return { run, busy, error, keyless }
}

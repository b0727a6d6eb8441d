import { lazy, Suspense, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../app/routes.ts"
import { useSessions, useSessionsChanged } from "../../app/sessions.ts"
import { useStudio } from "../../app/studio.ts"
import { Notice } from "../../ui/notice.tsx"
import { startRun, wantsKey } from "../run/start-run.ts"
import { PromptForm } from "./prompt-form.tsx"
import { RecentSessions } from "./recent-sessions.tsx"

const AgentForm = lazy(async () => ({ default: (await import("./agent-form.tsx")).AgentForm }))
const Landing = lazy(async () => ({ default: (await import("../guide/landing.tsx")).Landing }))

/** Where a session begins. Who has none yet is told what this is. */
export function HomeScreen() {
  const sessions = useSessions()
  const start = useStart()
  const [kind, setKind] = useState<Kind>("Build")
  const form = (
    <>
      <KindChoice kind={kind} onChoose={setKind} />
      {kind === "Agent" && (
        <Suspense>
          <AgentForm />
        </Suspense>
      )}
      {kind === "Build" && <PromptForm busy={start.busy} onRun={start.run} />}
      {start.error && (
        <Notice tone="err" className="mt-3">
          {start.error}
        </Notice>
      )}
    </>
  )
  if (sessions.data?.sessions.length === 0) {
    return (
      <div data-region="main" tabIndex={-1} className="h-full overflow-y-auto">
        <Suspense fallback={form}>
          <Landing>{form}</Landing>
        </Suspense>
      </div>
    )
  }
  return (
    <div data-region="main" tabIndex={-1} className="h-full overflow-y-auto">
      <div className="mx-auto max-w-[760px] px-6 pt-[clamp(24px,9vh,96px)] pb-12 max-md:px-4">
        <h1 className="mb-4 text-2xl leading-tight">What should we build?</h1>
        {form}
        <RecentSessions query={sessions} />
      </div>
    </div>
  )
}

const kinds = ["Build", "Agent"] as const
type Kind = (typeof kinds)[number]

function KindChoice({ kind, onChoose }: { kind: Kind; onChoose(kind: Kind): void }) {
  return (
    <fieldset className="mb-3 flex w-fit rounded-md border border-strong">
      <legend className="unseen">What kind of session</legend>
      {kinds.map((name) => (
        <label
          key={name}
          className="relative flex h-8 items-center px-3 text-sm text-ink-2 first-of-type:rounded-l-[4px] last-of-type:rounded-r-[4px] has-checked:bg-accent-bg has-checked:font-semibold has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:h-11"
        >
          <input type="radio" name="kind" className="unseen" checked={kind === name} onChange={() => onChoose(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

function useStart() {
  const { api, browser } = useStudio()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const run = async (prompt: string) => {
    setBusy(true)
    setError(null)
    try {
      const started = await startRun(api, { prompt, sessionId: null, overrides: {} })
      changed()
      go(paths.run(started.workspace_id))
    } catch (failure) {
      if (wantsKey(failure)) browser.setState({ dialog: "model-key" })
      setError(failure instanceof Error ? failure.message : String(failure))
      setBusy(false)
    }
  }
  return { run, busy, error }
}

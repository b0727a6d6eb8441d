import { lazy, type ReactNode, Suspense, useState } from "react"
import { useSessions } from "../../app/sessions.ts"
import { BuildForm } from "./build-form.tsx"
import { type Kind, keepChoices, readChoices } from "./choices.ts"
import { KindChoice } from "./kind-choice.tsx"
import { RecentSessions } from "./recent-sessions.tsx"
import { useDraft } from "./use-draft.ts"

const AgentForm = lazy(async () => ({ default: (await import("./agent-form.tsx")).AgentForm }))
const Landing = lazy(async () => ({ default: (await import("../guide/landing.tsx")).Landing }))

/** Where a session begins. Who has none yet is told what this is. */
export function HomeScreen() {
  const sessions = useSessions()
  const [kind, choose, chosen] = useKind()
  const draft = useDraft()
  const form = (
    <>
      <KindChoice kind={kind} onChoose={choose} />
      {kind === "Build" ? (
        // Who has just chosen is still at the choice.
        <BuildForm draft={draft} autoFocus={!chosen} />
      ) : (
        <Suspense fallback={<div className="h-[220px]" />}>
          <AgentForm draft={draft} />
        </Suspense>
      )}
    </>
  )
  if (sessions.data?.sessions.length === 0) {
    return (
      <Room>
        <Suspense fallback={form}>
          <Landing kind={kind}>{form}</Landing>
        </Suspense>
      </Room>
    )
  }
  return (
    <Room>
      <div className="mx-auto max-w-[760px] px-6 pt-[clamp(24px,9vh,96px)] pb-12 max-md:px-4 max-md:pt-6">
        <h1 className="mb-4 text-2xl leading-tight">What should we build?</h1>
        {form}
        <RecentSessions query={sessions} />
      </div>
    </Room>
  )
}

function Room({ children }: { children: ReactNode }) {
  return (
    <div data-region="main" tabIndex={-1} className="relative h-full overflow-y-auto">
      {children}
    </div>
  )
}

/** Which kind begins here: as chosen now, or the last time. */
function useKind(): [kind: Kind, choose: (kind: Kind) => void, chosen: boolean] {
  const [chosen, setChosen] = useState<Kind | null>(null)
  const [kept] = useState(() => readChoices(localStorage).kind)
  const choose = (kind: Kind) => {
    setChosen(kind)
    keepChoices(localStorage, { kind })
  }
  return [chosen ?? kept, choose, chosen !== null]
}

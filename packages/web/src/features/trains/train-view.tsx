import { useMemo, useState } from "react"
import { isRunning } from "../../session/stream/run.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { rosterOf } from "../../session/thread/roster.ts"
import { useReadOnly } from "../../session/view/use-read-only.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Empty } from "../../ui/notice.tsx"
import { CarriageList } from "./carriage-list.tsx"
import { TrainForm } from "./train-form.tsx"
import { carriagesOf } from "./train-order.ts"
import { TrainReport } from "./train-report.tsx"
import { useTrain } from "./use-train.ts"

/** The merge of several worktrees: their order, the checks after each, and how far the newest train came. */
export function TrainView({ session }: { session: SessionStore }) {
  const readOnly = useReadOnly(session)
  const view = useSessionData(session, ({ shown }) => shown)
  const train = useTrain(session.sessionId)
  const [order, setOrder] = useState<readonly string[]>([])
  const [left, setLeft] = useState<readonly string[]>([])
  const nameOf = useAgentNames(session)
  const running = isRunning(view.train?.run ?? null)
  const carriages = carriagesOf(view, order)
  const chosen = carriages.map(({ worktree }) => worktree).filter((name) => !left.includes(name))

  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 overflow-y-auto">
      <div className="mx-auto grid max-w-[860px] gap-6 p-4 md:p-6">
        {view.train && (
          <TrainReport
            sessionId={session.sessionId}
            train={view.train}
            nameOf={nameOf}
            onStop={readOnly === null ? train.stop : null}
          />
        )}
        {!running && carriages.length > 0 && (
          <section aria-labelledby="train-order" className="grid gap-3">
            <div>
              <h2 id="train-order" className="text-base font-semibold">
                {view.train ? "Merge what is left" : "Merge several worktrees"}
              </h2>
              <p className="text-sm text-ink-3">
                One after the other, in this order. It stops at the first that conflicts or whose check fails; what was
                merged before stays merged.
              </p>
            </div>
            <CarriageList
              carriages={carriages}
              left={left}
              nameOf={nameOf}
              onOrder={setOrder}
              onToggle={(name) => setLeft(left.includes(name) ? left.filter((one) => one !== name) : [...left, name])}
            />
            <TrainForm chosen={chosen} train={train} readOnly={readOnly} />
          </section>
        )}
        {!running && carriages.length === 0 && !view.train && (
          <Empty title="Nothing to merge">Worktrees with changes appear here once their agents have worked.</Empty>
        )}
      </div>
    </div>
  )
}

/** The names of the agents that work in a worktree. */
function useAgentNames(session: SessionStore): (worktree: string) => string {
  const agents = useSessionData(session, ({ shown }) => shown.agents)
  return useMemo(() => {
    const roster = rosterOf({ agents })
    return (worktree) => {
      const inIt = roster.filter(({ state }) => (state.agent.worktree ?? state.run?.worktree ?? "main") === worktree)
      return inIt.map(({ name }) => name).join(", ")
    }
  }, [agents])
}

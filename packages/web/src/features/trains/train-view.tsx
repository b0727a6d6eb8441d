import { formatCount } from "@switchyard/core/text/format"
import { useMemo, useState } from "react"
import { isRunning } from "../../session/stream/run.ts"
import { rosterOf } from "../../session/thread/roster.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Form } from "../../ui/form.tsx"
import { GitMerge } from "../../ui/icons.tsx"
import { Empty, Notice } from "../../ui/notice.tsx"
import { TrainEntryList } from "./train-entry-list.tsx"
import { trainEntries } from "./train-order.ts"
import { TrainReport } from "./train-report.tsx"
import { useTrain } from "./use-train.ts"

/** Merging several worktrees: their order, the checks after each merge, and the latest train's progress. */
export function TrainView() {
  const readOnly = useReadOnly()
  const view = useSessionData(({ shown }) => shown)
  const train = useTrain()
  const [order, setOrder] = useState<readonly string[]>([])
  const [left, setLeft] = useState<readonly string[]>([])
  const nameOf = useAgentNames()
  const running = isRunning(view.train?.run ?? null)
  const entries = trainEntries(view, order)
  const chosen = entries.map(({ worktree }) => worktree).filter((name) => !left.includes(name))

  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 overflow-y-auto">
      <div className="mx-auto grid max-w-[860px] gap-6 p-4 md:p-6">
        {view.train && (
          <TrainReport train={view.train} nameOf={nameOf} onStop={readOnly === null ? train.stop : null} />
        )}
        {running && train.error && <Notice tone="err">{train.error}</Notice>}
        {!running && entries.length > 0 && (
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
            <TrainEntryList
              entries={entries}
              left={left}
              nameOf={nameOf}
              onOrder={setOrder}
              onToggle={(name) => setLeft(left.includes(name) ? left.filter((one) => one !== name) : [...left, name])}
            />
            <TrainForm chosen={chosen} train={train} />
          </section>
        )}
        {!running && entries.length === 0 && !view.train && (
          <Empty title="Nothing to merge">Worktrees with changes appear here once their agents have worked.</Empty>
        )}
      </div>
    </div>
  )
}

function useAgentNames(): (worktree: string) => string {
  const agents = useSessionData(({ shown }) => shown.agents)
  return useMemo(() => {
    const roster = rosterOf({ agents })
    return (worktree) => {
      const inIt = roster.filter(({ state }) => (state.agent.worktree ?? state.run?.worktree ?? "main") === worktree)
      return inIt.map(({ name }) => name).join(", ")
    }
  }, [agents])
}

/** Options of a merge train, and the button that starts it. */
function TrainForm({ chosen, train }: { chosen: string[]; train: ReturnType<typeof useTrain> }) {
  const readOnly = useReadOnly()
  const [checks, setChecks] = useState(true)
  const [deletes, setDeletes] = useState(true)
  const count = formatCount(chosen.length, "worktree")
  const start = () => train.start({ worktrees: chosen, checks, delete_worktrees: deletes })
  return (
    <Form className="grid gap-2" onSubmit={start}>
      <Checkbox
        label="Check the branch after each merge"
        hint="Installs, builds and tests a clean copy, and stops where that fails."
        value={checks}
        onChange={setChecks}
      />
      <Checkbox
        label="Delete each worktree once it is merged"
        hint="Its branch, too. Keep them to let their agents continue."
        value={deletes}
        onChange={setDeletes}
      />
      {train.error && <Notice tone={train.asksConsent ? "need" : "err"}>{train.error}</Notice>}
      <Button
        type="submit"
        tone="primary"
        disabled={readOnly !== null || train.busy || chosen.length === 0}
        className="justify-self-start"
      >
        <GitMerge size={14} aria-hidden />
        {train.asksConsent ? `Allow checks and merge ${count}` : `Merge ${count}`}
      </Button>
      {readOnly && <p className="text-sm text-ink-3">{readOnly}</p>}
    </Form>
  )
}

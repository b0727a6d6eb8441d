import { formatCount } from "@switchyard/core/text/format"
import { useMemo, useState } from "react"
import { isRunning } from "../../session/stream/run.ts"
import { rosterOf } from "../../session/thread/roster.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Form } from "../../ui/form.tsx"
import { GitMerge } from "../../ui/more-icons.tsx"
import { Empty, Notice } from "../../ui/notice.tsx"
import { TrainEntryList } from "./train-entry-list.tsx"
import { trainEntries } from "./train-order.ts"
import { TrainReport } from "./train-report.tsx"
import { useTrain } from "./use-train.ts"

/** The merge queue: the order of its entries, the checks after each merge, and its progress. */
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
                {view.train ? "Merge the rest" : "Merge queue"}
              </h2>
              <p className="text-sm text-ink-3">
                Worktrees merge one at a time, in this order. The queue stops at the first conflict or failed check and
                keeps earlier merges.
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
          <Empty title="Nothing to merge">Worktrees with changes appear here.</Empty>
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

/** Options of the merge queue, and the button that starts it. */
function TrainForm({ chosen, train }: { chosen: string[]; train: ReturnType<typeof useTrain> }) {
  const readOnly = useReadOnly()
  const [checks, setChecks] = useState(true)
  const [deletes, setDeletes] = useState(true)
  const count = formatCount(chosen.length, "worktree")
  const start = () => train.start({ worktrees: chosen, checks, delete_worktrees: deletes })
  return (
    <Form className="grid gap-2" onSubmit={start}>
      <Checkbox
        label="Run checks after each merge"
        hint="Installs, builds and tests the project in a clean checkout. Stops if a check fails."
        value={checks}
        onChange={setChecks}
      />
      <Checkbox
        label="Delete worktrees after merging"
        hint="Also deletes their branches. Keep the worktrees if you want their agents to continue."
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
        {train.asksConsent ? `Allow checks, then merge ${count}` : `Merge ${count}`}
      </Button>
      {readOnly && <p className="text-sm text-ink-3">{readOnly}</p>}
    </Form>
  )
}

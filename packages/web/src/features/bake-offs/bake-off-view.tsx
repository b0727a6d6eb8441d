import { type BakeOff, type BakeOffRow, BakeOffs, SettledBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { useState } from "react"
import { useChange, useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useToast } from "../../session/context/studio.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { Plus } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty, ErrorNotice, Notice, UnloadedList } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { BakeOffTable } from "./bake-off-table.tsx"

const BakeOffDialog = lazyPart(async () => (await import("../home/bake-off-dialog.tsx")).BakeOffDialog)

/** A session's comparisons of agents: their results for the same task, and the choice between them. */
export function BakeOffView() {
  const { sessionId: id } = useShownSession()
  const readOnly = useReadOnly()
  const seq = useSessionData(({ live }) => live.bakeOffSeq)
  const { list, settle } = useBakeOffs(seq)
  /** The choice to be confirmed: a row, or none of them. */
  const [asked, setAsked] = useState<{ bakeOff: BakeOff; row: BakeOffRow | null } | null>(null)
  const [starting, setStarting] = useState(false)
  const toast = useToast()

  function confirm(bakeOff: BakeOff, row: BakeOffRow | null): void {
    const onSuccess: Parameters<typeof settle.mutate>[1] = {
      onSuccess({ bake_off }) {
        setAsked(null)
        if (bake_off.status === "settled") toast(row ? `Kept ${row.name}'s work.` : "Discarded all results.", "ok")
      },
    }
    settle.mutate({ bakeOff: bakeOff.bake_off_id, adopt: row?.agent_id ?? null }, onSuccess)
  }

  const conflicted = settle.data?.merge?.status === "conflicts" ? settle.variables?.adopt : undefined
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0 overflow-y-auto">
      <div className="mx-auto grid max-w-[960px] gap-8 p-4 md:p-6">
        {!list.data && <UnloadedList list={list} lines={6} />}
        {list.data?.bake_offs.length === 0 && (
          <Empty title="No comparisons yet">Give the same task to several agents and compare their results.</Empty>
        )}
        {list.data && readOnly === null && (
          <Button size="sm" className="justify-self-end" onClick={() => setStarting(true)}>
            <Plus size={14} aria-hidden /> Compare agents
          </Button>
        )}
        {list.data?.bake_offs.map((bakeOff) => (
          <section key={bakeOff.bake_off_id} aria-labelledby={bakeOff.bake_off_id} className="grid gap-3">
            <Head bakeOff={bakeOff} onDiscard={readOnly === null ? () => setAsked({ bakeOff, row: null }) : null} />
            {conflicted && bakeOff.bake_off_id === settle.variables?.bakeOff && (
              <Conflicts row={bakeOff.rows.find(({ agent_id }) => agent_id === conflicted)} />
            )}
            <BakeOffTable bakeOff={bakeOff} onAdopt={readOnly === null ? (row) => setAsked({ bakeOff, row }) : null} />
          </section>
        ))}
      </div>
      {starting && (
        <BakeOffDialog sessionId={id} onStarted={() => setStarting(false)} onClose={() => setStarting(false)} />
      )}
      {asked && (
        <ConfirmDialog
          title={asked.row ? `Keep ${asked.row.name}'s work?` : "Discard all results?"}
          action={asked.row ? "Keep" : "Discard"}
          busy={settle.isPending}
          failure={<ErrorNotice error={settle.error} />}
          onConfirm={() => confirm(asked.bakeOff, asked.row)}
          onClose={() => {
            setAsked(null)
            settle.reset()
          }}
        >
          {asked.row && "The work will be merged into the agent's base branch. "}
          {asked.row ? "All other agents" : "All agents"} will be stopped and closed, and their worktrees and branches
          will be deleted.
        </ConfirmDialog>
      )}
    </div>
  )
}

const states = { running: "Working", ready: "Choose one", settled: "Done" } satisfies Record<BakeOff["status"], string>

function Head({ bakeOff, onDiscard }: { bakeOff: BakeOff; onDiscard: (() => void) | null }) {
  const { bake_off_id, title, status, verify, rows } = bakeOff
  const passed = rows.filter((row) => row.passed).length
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 flex-1 basis-72">
        <h2 id={bake_off_id} className="text-base font-semibold break-words">
          {title}
        </h2>
        <p aria-live="polite" className="text-sm text-ink-3">
          {states[status]} · {passed} of {rows.length} {verify ? "passed the checks" : "finished (no checks run)"}
        </p>
      </div>
      {status !== "settled" && onDiscard && (
        <Button size="sm" onClick={onDiscard}>
          Discard all
        </Button>
      )}
    </div>
  )
}

function Conflicts({ row }: { row: BakeOffRow | undefined }) {
  const { sessionId } = useShownSession()
  if (!row) return null
  return (
    <Notice tone="need">
      {row.name}'s work conflicts with the target branch.{" "}
      <TextLink href={paths.changesOf(sessionId, row.worktree)}>Resolve the conflicts</TextLink>, or keep another
      agent's work.
    </Notice>
  )
}

const REFRESH_MS = 2000

/** Loads a session's comparisons, and settles one by keeping an agent's work. `seq`: the last event about comparisons. */
function useBakeOffs(seq: number) {
  const { sessionId } = useShownSession()
  const path = { id: sessionId }
  const list = useResponse(
    ["bake-offs", sessionId, seq],
    "GET /api/v1/sessions/{id}/bake-offs",
    { path, response: BakeOffs },
    {
      placeholderData: (before) => before,
      // The agents' progress is only in their runs' events, so refetch the table's totals.
      refetchInterval: ({ state }) =>
        state.data?.bake_offs.some(({ status }) => status === "running") ? REFRESH_MS : false,
    },
  )
  const settle = useChange(
    (api, { bakeOff, adopt }: { bakeOff: string; adopt: string | null }) =>
      api.call("POST /api/v1/sessions/{id}/bake-offs/{bake_off}/settle", {
        path: { ...path, bake_off: bakeOff },
        body: { adopt },
        response: SettledBakeOff,
      }),
    ["bake-offs", sessionId],
  )
  return { list, settle }
}

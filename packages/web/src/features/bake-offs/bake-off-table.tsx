import { cliTitle } from "@switchyard/core/agents/clis/titles"
import { costText } from "@switchyard/core/people/usage/amounts"
import { formatCount, formatDuration } from "@switchyard/core/text/format"
import type { BakeOff, BakeOffRow } from "@switchyard/core/work/bake-offs/schema"
import { clsx } from "clsx"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { Counts } from "../changes/worktree/counts.tsx"

interface Props {
  bakeOff: BakeOff
  /** Null if nothing can be chosen. */
  onAdopt: ((row: BakeOffRow) => void) | null
}

const numbers = ["Attempts", "Cost", "Time", "Diff"]

/** The results of a comparison side by side. */
export function BakeOffTable({ bakeOff, onAdopt }: Props) {
  const { rows, adopted, status } = bakeOff
  return (
    <div className="overflow-x-auto rounded-md border border-line bg-sheet" tabIndex={-1}>
      <table className="w-full min-w-max border-collapse text-sm nums">
        <thead>
          <tr className="border-b border-strong text-ink-2">
            <th scope="col" className="h-9 px-3 text-left font-semibold">
              Agent
            </th>
            <th scope="col" className="h-9 pr-4 text-left font-semibold">
              Result
            </th>
            {numbers.map((column) => (
              <th
                key={column}
                scope="col"
                className={clsx("h-9 pl-4 text-right font-semibold", column === "Diff" && "pr-3")}
              >
                {column}
              </th>
            ))}
            {status !== "settled" && (
              <th scope="col" className="h-9 w-0">
                <span className="unseen">Action</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.agent_id}
              className={clsx("border-b border-line last:border-b-0", row.agent_id === adopted && "bg-accent-bg")}
            >
              <Row row={row} isSettled={status === "settled"} isAdopted={row.agent_id === adopted} />
              {status !== "settled" && (
                <td className="py-2 pr-3 pl-4 text-right align-top">
                  <Button
                    size="sm"
                    aria-label={`Keep ${row.name}'s work`}
                    disabled={onAdopt === null || row.passed === null || row.status === "not_started"}
                    onClick={() => onAdopt?.(row)}
                  >
                    Keep
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row, isSettled, isAdopted }: RowProps) {
  const { sessionId } = useShownSession()
  const { name, cli, model, account, attempts, duration_ms, worktree, diff, reason } = row
  const { icon, words } = outcomeOf(row)
  return (
    <>
      <th scope="row" className="max-w-[28ch] py-2 pr-4 pl-3 text-left align-top font-normal">
        <span className="block truncate font-semibold">
          {isSettled ? name : <Link href={paths.agent(sessionId, name)}>{name}</Link>}
        </span>
        <span className="block truncate text-xs text-ink-3">
          {[account ?? cliTitle(cli), model].filter(Boolean).join(" · ")}
        </span>
      </th>
      <td className="max-w-[40ch] py-2 max-md:max-w-[26ch] pr-4 align-top">
        <span className="flex items-center gap-2">
          <StatusIcon state={icon} label={null} />
          <span className={icon === "error" ? "text-err" : undefined}>{isAdopted ? `${words} · kept` : words}</span>
        </span>
        {reason !== null && (
          <span title={reason} className="mt-0.5 line-clamp-2 text-xs break-words whitespace-normal text-ink-3">
            {reason}
          </span>
        )}
      </td>
      <td className="py-2 pl-4 text-right align-top">{attempts === 0 ? "–" : attempts}</td>
      <td className="py-2 pl-4 text-right align-top">{costText(row)}</td>
      <td className="py-2 pl-4 text-right align-top">{duration_ms === null ? "–" : formatDuration(duration_ms)}</td>
      <td className="py-2 pr-3 pl-4 text-right align-top">
        {diff === null ? "–" : <Size of={diff} href={isSettled ? null : paths.changesOf(sessionId, worktree)} />}
      </td>
    </>
  )
}

interface RowProps {
  row: BakeOffRow
  /** True if its worktree has been removed or merged. */
  isSettled: boolean
  isAdopted: boolean
}

function Size({ of, href }: { of: NonNullable<BakeOffRow["diff"]>; href: string | null }) {
  const files = formatCount(of.files_changed, "file")
  return (
    <>
      <span className="block leading-5">
        <Counts additions={of.insertions} deletions={of.deletions} />
      </span>
      {href === null ? (
        <span className="text-xs text-ink-3">{files}</span>
      ) : (
        <TextLink href={href} className="text-xs">
          {files}
        </TextLink>
      )}
    </>
  )
}

function outcomeOf({ passed, status, verdict }: BakeOffRow): { icon: IconState; words: string } {
  if (status === "not_started") return { icon: "error", words: "Didn't start" }
  if (passed === true) return { icon: "done", words: "Passed" }
  if (passed === false && status === "cancelled") return { icon: "error", words: "Cancelled" }
  if (passed === false && verdict === "not_run") return { icon: "needs_input", words: "Not verified" }
  if (passed === false) return { icon: "error", words: "Failed" }
  if (status === "queued") return { icon: "idle", words: "Waiting" }
  return status === "parked" ? { icon: "needs_input", words: "Paused" } : { icon: "busy", words: "Working" }
}

import type { EditBlock } from "@switchyard/core/files/edits/edit-blocks"
import type { ChatEdit } from "@switchyard/core/work/chat/schema"
import { clsx } from "clsx"
import { useMemo, useState } from "react"
import { StatusIcon } from "../../ui/icons.tsx"
import { ChangeLine, useRowColors } from "../conversation/change-line.tsx"
import type { ChangeRow } from "../conversation/change-rows.ts"
import { changedLines } from "./line-changes.ts"

interface Props {
  block: EditBlock
  /** Undefined before the edit was tried. */
  result: ChatEdit | undefined
  /** True if it was undone. */
  isUndone: boolean
  /** True if its lines are still arriving. */
  isOpen: boolean
  /** True if its answer is settled, so that an edit without a result won't be applied. */
  isSettled: boolean
  onOpen(path: string): void
}

/** Longer changes are cut until the reader expands them. */
const SHORT = 24

/** An edit in an answer: its file, its outcome, and its lines with the changed words marked. */
export function EditCard({ block, result, isUndone, isOpen, isSettled, onOpen }: Props) {
  const [all, setAll] = useState(false)
  const { oldLines, newLines, path } = block
  const lines = useMemo(() => changedLines(oldLines.join("\n"), newLines.join("\n")), [oldLines, newLines])
  // Lines that are still arriving would be highlighted again with each piece.
  const spans = useRowColors(lines, isOpen ? "" : path)
  const count = (type: ChangeRow["type"]) => lines.filter((line) => line.type === type).length
  const shown = all || lines.length <= SHORT + 4 ? lines : lines.slice(0, SHORT)
  return (
    <section aria-label={`Edit to ${path}`} className="overflow-hidden rounded-md border border-line bg-sheet">
      <header className="flex min-h-9 flex-wrap items-center gap-x-2 px-3 py-1 text-sm">
        <button
          type="button"
          onClick={() => onOpen(path)}
          className="min-h-6 min-w-0 truncate font-semibold underline-offset-2 hover:underline max-md:min-h-11"
        >
          {path}
        </button>
        <Status {...{ result, isUndone, isOpen, isSettled }} />
        <span className="ml-auto shrink-0 font-mono text-xs nums">
          {count("add") > 0 && <span className="text-ok">+{count("add")}</span>}{" "}
          {count("delete") > 0 && <span className="text-err">−{count("delete")}</span>}
        </span>
      </header>
      <section
        aria-label={`Diff of ${path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="overflow-x-auto border-t border-line py-1 font-mono text-xs leading-5"
      >
        <div className="w-max min-w-full">
          {shown.map((line, at) => (
            <ChangeLine key={at.toString()} row={line} spans={spans[at]} />
          ))}
        </div>
      </section>
      {result?.faults && !isUndone && (
        <ul aria-label="Problems after this edit" className="border-t border-line px-3 py-1.5 text-sm text-err">
          {result.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {shown.length < lines.length && (
        <button
          type="button"
          onClick={() => setAll(true)}
          className="min-h-8 w-full max-md:min-h-11 border-t border-line text-sm text-accent hover:bg-well"
        >
          Show all {lines.length} lines
        </button>
      )}
    </section>
  )
}

function Status({ result, isUndone, isOpen, isSettled }: Pick<Props, "result" | "isUndone" | "isOpen" | "isSettled">) {
  if (!result && isSettled) return <span className="text-ink-3">Not applied</span>
  if (!result) {
    return (
      <span className="flex items-center gap-1.5 text-ink-3">
        <StatusIcon state="busy" label={null} /> {isOpen ? "Writing" : "Waiting to apply"}
      </span>
    )
  }
  if (result.status === "applied" && isUndone) return <span className="text-ink-3">Reverted</span>
  if (result.status === "applied") return <span className="text-ok">✓ {result.is_create ? "Created" : "Applied"}</span>
  if (result.status === "already_applied") return <span className="text-ink-3">✓ Already applied</span>
  if (result.status === "validated") return <span className="text-ink-3">Suggestion only</span>
  const tone = result.status === "not_in_context" ? "text-info" : "text-err"
  return <span className={clsx("min-w-0 break-words", tone)}>{result.message}</span>
}

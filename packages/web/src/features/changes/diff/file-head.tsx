import type { DiffEntry } from "@switchyard/core/files/worktrees/diff-schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"
import { Button, IconButton } from "../../../ui/button.tsx"
import { ChevronDown } from "../../../ui/icons.tsx"
import { Check, ChevronLeft, ChevronUp } from "../../../ui/more-icons.tsx"
import { Counts } from "../worktree/counts.tsx"
import { marksOf } from "./file-marks.ts"

/** A file in a diff, and its neighbours. */
export interface FileInDiff {
  entry: DiffEntry
  /** For example `3 of 12`. */
  place: string
  viewed: boolean
  onViewed(): void
  onNext: (() => void) | null
  onPrevious: (() => void) | null
  /** Returns to the list, if there isn't room for both. */
  onList: (() => void) | null
}

interface Props extends FileInDiff {
  split: boolean
  /** Null if there isn't room for two sides. */
  onSplit: ((split: boolean) => void) | null
}

/** The file's name, the diff's layout, and buttons for its neighbours. */
export function FileHead({ entry, place, viewed, onViewed, onNext, onPrevious, onList, split, onSplit }: Props) {
  const marks = marksOf(entry)
  const path = showBidiControls(entry.new_path)
  const cut = path.lastIndexOf("/") + 1
  return (
    <header className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line py-0.5 pr-1.5 pl-3 text-sm max-md:pl-0">
      {onList && (
        <IconButton label="Back to files" onClick={onList}>
          <ChevronLeft size={18} aria-hidden />
        </IconButton>
      )}
      <h3 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold" title={entry.new_path}>
        <span className="max-md:hidden">{path.slice(0, cut)}</span>
        {path.slice(cut)}
      </h3>
      {marks && <span className="text-xs text-ink-3 max-lg:hidden">{marks}</span>}
      <span className="text-xs max-md:hidden">
        <Counts additions={entry.additions} deletions={entry.deletions} />
      </span>
      <div className="flex items-center gap-1">
        {onSplit && (
          <fieldset className="flex rounded-md border border-strong p-px">
            <legend className="unseen">Diff layout</legend>
            <Way name="Unified" on={!split} onChoose={() => onSplit(false)} />
            <Way name="Split" on={split} onChoose={() => onSplit(true)} />
          </fieldset>
        )}
        <Button size="sm" tone={viewed ? "quiet" : "plain"} aria-pressed={viewed} title="v" onClick={onViewed}>
          {viewed && <Check size={14} aria-hidden />} Viewed
        </Button>
        <IconButton label="Previous file" disabled={!onPrevious} onClick={() => onPrevious?.()}>
          <ChevronUp size={16} aria-hidden />
        </IconButton>
        <span className="text-xs text-ink-3 nums">{place}</span>
        <IconButton label="Next file (n)" disabled={!onNext} onClick={() => onNext?.()}>
          <ChevronDown size={16} aria-hidden />
        </IconButton>
      </div>
    </header>
  )
}

function Way({ name, on, onChoose }: { name: string; on: boolean; onChoose(): void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onChoose}
      className={clsx("h-6 rounded-sm px-2 text-xs", on ? "bg-accent-bg text-ink" : "text-ink-2 hover:bg-well")}
    >
      {name}
    </button>
  )
}

import type { DiffEntry, DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, type RefObject, useImperativeHandle, useRef, useState } from "react"
import { storeItem } from "../../../api/store-item.ts"
import { Button } from "../../../ui/button.tsx"
import { Empty, LateSkeleton, RetryNotice } from "../../../ui/notice.tsx"
import { useMedia } from "../../../ui/use-media.ts"
import { useWorktreeQueries } from "../worktree/use-worktree.ts"
import { DiffLines, type LinesHandle } from "./diff-lines.tsx"
import { FileHead, type FileInDiff } from "./file-head.tsx"
import { modeChangeOf } from "./file-marks.ts"

/** Actions on this file that have shortcuts. */
export interface DiffHandle {
  hasFocus(): boolean
  focus(): void
  /** Moves to the next or previous hunk. */
  step(by: 1 | -1): void
  /** Begins a comment on a visible line. */
  comment(): void
  /** Expands collapsed lines and moves there. */
  open(): void
}

interface Props extends FileInDiff {
  handle: RefObject<DiffHandle | null>
}

const SPLIT_KEY = "switchyard.diff.split"

/**
 * The diff of a file. A file that is too large for the full diff is requested separately, so a failure affects only
 * that file.
 */
export function FileDiff({ handle, ...head }: Props) {
  const { entry } = head
  const folded = entry.marks.includes("generated") || entry.marks.includes("too_large")
  const [shown, setShown] = useState(!folded)
  const [split, setSplit] = useState(() => localStorage.getItem(SPLIT_KEY) === "yes")
  const roomy = useMedia("(min-width: 1024px)")
  const pane = useRef<HTMLElement>(null)
  const lines = useRef<LinesHandle>(null)
  const queries = useWorktreeQueries()
  const query = useQuery({
    ...(entry.marks.includes("too_large") ? queries.large(entry.new_path) : queries.all),
    enabled: shown && !entry.is_binary,
  })
  useImperativeHandle(handle, () => ({
    hasFocus: () => pane.current?.contains(document.activeElement) ?? false,
    focus: () => pane.current?.focus(),
    step: (by) => lines.current?.step(by),
    comment: () => lines.current?.comment(),
    open: () => {
      setShown(true)
      pane.current?.focus()
    },
  }))
  const file = query.data?.files.find(({ new_path }) => new_path === entry.new_path)

  function choose(next: boolean): void {
    setSplit(next)
    storeItem(localStorage, SPLIT_KEY, next ? "yes" : "no")
  }

  return (
    <section
      ref={pane}
      tabIndex={-1}
      data-region="diff"
      aria-label={`Changes in ${entry.new_path}`}
      className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)]"
    >
      <FileHead {...head} split={split} onSplit={roomy ? choose : null} />
      <Facts entry={entry} />
      <Body
        entry={entry}
        file={file}
        shown={shown}
        query={query}
        onShow={() => setShown(true)}
        lines={(hunks) => <DiffLines handle={lines} hunks={hunks} split={split && roomy} path={entry.new_path} />}
      />
    </section>
  )
}

function Facts({ entry }: { entry: DiffEntry }) {
  const mode = modeChangeOf(entry)
  const moved = entry.is_renamed || entry.is_copied
  const facts = [
    moved && `${entry.is_copied ? "Copied" : "Renamed"} from ${entry.old_path}.`,
    mode && `${mode[0]?.toUpperCase()}${mode.slice(1)}.`,
    entry.marks.includes("not_utf8") && "Some bytes aren't valid UTF-8 and are shown as \uFFFD.",
  ].filter(Boolean)
  if (facts.length === 0) return <div />
  return <p className="border-b border-line px-3 py-1 text-xs break-all text-ink-2">{facts.join(" ")}</p>
}

interface BodyProps {
  entry: DiffEntry
  file: DiffFile | undefined
  shown: boolean
  query: {
    error: Error | null
    isPending: boolean
    isFetching: boolean
    refetch(): void
  }
  onShow(): void
  lines(hunks: DiffFile["hunks"]): ReactNode
}

function Body({ entry, file, shown, query, onShow, lines }: BodyProps) {
  if (entry.is_binary) {
    return (
      <Empty title="Binary file">
        {entry.is_new ? "This file is new." : entry.is_deleted ? "This file was deleted." : "This file has changed."}
      </Empty>
    )
  }
  if (!shown) return <Folded entry={entry} onShow={onShow} />
  if (file && file.hunks.length > 0) return lines(file.hunks)
  if (query.error) {
    return (
      <div className="p-3">
        <RetryNotice onRetry={query.refetch}>Couldn't load the changes in this file. {query.error.message}</RetryNotice>
      </div>
    )
  }
  if (query.isPending || query.isFetching) return <LateSkeleton lines={12} className="p-6" />
  if (!file) return <Empty title="This file no longer has any changes" />
  return (
    <Empty title="No lines changed">
      {entry.is_new ? "This new file is empty." : "Only the details above changed."}
    </Empty>
  )
}

function Folded({ entry, onShow }: { entry: DiffEntry; onShow(): void }) {
  const count = (entry.additions ?? 0) + (entry.deletions ?? 0)
  return (
    <Empty title={entry.marks.includes("generated") ? "Generated file" : "Large change"}>
      <p className="nums">{count.toLocaleString()} changed lines are hidden.</p>
      <Button className="mt-3" onClick={onShow}>
        Show changes
      </Button>
    </Empty>
  )
}

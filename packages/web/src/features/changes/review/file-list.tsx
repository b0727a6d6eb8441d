import type { DiffEntry } from "@switchyard/core/files/worktrees/diff-schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"
import { useEffect, useRef } from "react"
import { VList, type VListHandle } from "virtua"
import { Check } from "../../../ui/more-icons.tsx"
import { marksOf } from "../diff/file-marks.ts"
import { Counts } from "../worktree/counts.tsx"

interface Props {
  files: DiffEntry[]
  current: string
  isViewed(path: string): boolean
  onToggle(path: string): void
  onOpen(path: string): void
}

/** The changed files, virtualised. One row takes the focus, and J and K move it. */
export function FileList({ files, current, isViewed, onToggle, onOpen }: Props) {
  const list = useRef<VListHandle>(null)
  const host = useRef<HTMLDivElement>(null)
  const at = files.findIndex(({ new_path }) => new_path === current)
  useEffect(() => {
    list.current?.scrollToIndex(at, { align: "nearest" })
    // The focus follows J and K only if it is already in the list.
    if (!host.current?.contains(document.activeElement)) return
    const frame = requestAnimationFrame(() =>
      host.current?.querySelector<HTMLElement>("[aria-current=true]")?.focus({ preventScroll: true }),
    )
    return () => cancelAnimationFrame(frame)
  }, [at])
  return (
    <div ref={host} className="min-h-0">
      <VList
        ref={list}
        data={files}
        role="list"
        aria-label="Changed files"
        keepMounted={at < 0 ? [] : [at]}
        className="py-1"
      >
        {(file) => (
          <FileRow
            key={file.new_path}
            file={file}
            here={file.new_path === current}
            viewed={isViewed(file.new_path)}
            onToggle={onToggle}
            onOpen={onOpen}
          />
        )}
      </VList>
    </div>
  )
}

interface RowProps extends Pick<Props, "onToggle" | "onOpen"> {
  file: DiffEntry
  here: boolean
  viewed: boolean
}

function FileRow({ file, here, viewed, onToggle, onOpen }: RowProps) {
  const path = showBidiControls(file.new_path)
  const cut = path.lastIndexOf("/") + 1
  const folder = path.slice(0, cut)
  const marks = marksOf(file)
  return (
    // biome-ignore lint/a11y/useSemanticElements: windowed rows are in elements that no list may have
    <div
      role="listitem"
      className={clsx(
        "flex items-center border-l-2",
        here ? "border-accent bg-well" : "border-transparent hover:bg-well",
      )}
    >
      <button
        type="button"
        aria-label={viewed ? `Viewed: ${file.new_path}` : `Not viewed: ${file.new_path}`}
        aria-pressed={viewed}
        title="Viewed (v)"
        tabIndex={here ? 0 : -1}
        onClick={() => onToggle(file.new_path)}
        className="flex size-8 shrink-0 items-center justify-center max-md:size-11"
      >
        <span
          className={clsx(
            "flex size-4 items-center justify-center rounded-sm border",
            viewed ? "border-accent bg-accent text-sheet" : "border-strong bg-sheet",
          )}
        >
          {viewed && <Check size={12} strokeWidth={3} aria-hidden />}
        </span>
      </button>
      <button
        type="button"
        aria-current={here}
        tabIndex={here ? 0 : -1}
        title={file.new_path}
        onClick={() => onOpen(file.new_path)}
        className="flex min-h-(--row) min-w-0 flex-1 items-center gap-2 py-1 pr-3 text-left text-sm max-md:min-h-11 -outline-offset-2"
      >
        <span className="flex min-w-0 flex-1 flex-col leading-tight">
          <span className={clsx("truncate", file.is_deleted && "line-through", viewed ? "text-ink-3" : "text-ink")}>
            {path.slice(cut)}
          </span>
          {(folder || marks) && (
            <span className="truncate text-xs text-ink-3">
              {[folder.slice(0, -1), marks].filter(Boolean).join(" · ")}
            </span>
          )}
        </span>
        <span className="text-xs">
          <Counts additions={file.additions} deletions={file.deletions} />
        </span>
      </button>
    </div>
  )
}

import type { DiffSummary } from "@switchyard/core/files/worktrees/diff-schema"
import { formatCount } from "@switchyard/core/text/format"
import { useRef, useState } from "react"
import { Empty, LateSkeleton, LoadFailure, Notice } from "../../../ui/notice.tsx"
import { ReviewBar } from "../comments/review-bar.tsx"
import { ShownComments, useCommentsOf } from "../comments/use-comments.ts"
import { type DiffHandle, FileDiff } from "../diff/file-diff.tsx"
import { fileAtStep, indexOfChosen } from "../worktree/file-selection.ts"
import { useChangeKeys } from "../worktree/use-change-keys.ts"
import { FileList } from "./file-list.tsx"
import { useViewed } from "./use-viewed.ts"

interface Props {
  changedAt: number
  diff: DiffSummary | undefined
  error: Error | null
  retry(): void
  wide: boolean
  /** The file in the URL; null if there is none. */
  chosen: string | null
  onChoose(path: string | null): void
  /** True if the work was merged since the latest task. */
  merged: boolean
}

/** The changed files, with the diff of one of them next to them (on phones, instead of them). */
export function Review({ diff, error, retry, merged, ...props }: Props) {
  if (!diff && error) return <LoadFailure title="Couldn't load changes" error={error} onRetry={retry} />
  if (!diff) return <LateSkeleton lines={8} className="p-6" />
  if (diff.files.length === 0) return <Nothing diff={diff} merged={merged} />
  return <Files diff={diff} error={error} {...props} />
}

function Files({
  changedAt,
  diff,
  error,
  wide,
  chosen,
  onChoose,
}: Omit<Props, "diff" | "retry" | "merged"> & { diff: DiffSummary }) {
  const { files } = diff
  const [opened, setOpened] = useState(chosen !== null)
  const viewed = useViewed(changedAt)
  const pane = useRef<DiffHandle>(null)
  const paths = files.map(({ new_path }) => new_path)
  const at = indexOfChosen(paths, chosen)
  const file = files[at]
  const room = useRef<HTMLDivElement>(null)
  const comments = useCommentsOf()
  const go = (step: number) => {
    // Each file has its own pane, so focus inside the previous pane moves to the next one.
    if (pane.current?.hasFocus()) afterwards(() => pane.current?.focus())
    onChoose(fileAtStep(paths, at, step))
  }
  const step = (by: 1 | -1) => {
    if (pane.current?.hasFocus()) pane.current.step(by)
    else go(by)
  }
  useChangeKeys({
    j: () => step(1),
    k: () => step(-1),
    v: () => {
      if (file && !viewed.isViewed(file.new_path)) viewed.toggle(file.new_path)
      go(1)
    },
    c: () => {
      setOpened(true)
      afterwards(() => pane.current?.comment())
    },
    o: () => {
      setOpened(true)
      afterwards(() => pane.current?.open())
    },
  })
  if (!file) return null
  const open = (path: string) => {
    onChoose(path)
    setOpened(true)
    if (!wide) afterwards(() => pane.current?.focus())
  }
  const close = () => {
    setOpened(false)
    // The virtual list renders its rows only after measuring itself.
    afterwards(() => afterwards(() => room.current?.querySelector<HTMLElement>("button[aria-current=true]")?.focus()))
  }
  const showList = wide || !opened
  return (
    <ShownComments value={comments}>
      <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)_auto]">
        <div
          ref={room}
          className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] md:grid-cols-[minmax(200px,clamp(220px,26%,360px))_minmax(0,1fr)]"
        >
          {showList && (
            <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)] md:border-r md:border-line">
              <div className="flex min-h-9 items-center border-b border-line px-3 text-xs text-ink-3 nums">
                {files.filter(({ new_path }) => viewed.isViewed(new_path)).length} of {files.length} viewed
              </div>
              <ListNotes diff={diff} error={error} />
              <FileList
                files={files}
                current={file.new_path}
                isViewed={viewed.isViewed}
                onToggle={viewed.toggle}
                onOpen={open}
              />
            </div>
          )}
          {(wide || opened) && (
            <FileDiff
              key={file.new_path}
              handle={pane}
              entry={file}
              place={`${at + 1} of ${files.length}`}
              viewed={viewed.isViewed(file.new_path)}
              onViewed={() => viewed.toggle(file.new_path)}
              onNext={at + 1 < files.length ? () => go(1) : null}
              onPrevious={at > 0 ? () => go(-1) : null}
              onList={wide ? null : close}
            />
          )}
        </div>
        {comments.all.length > 0 && <ReviewBar comments={comments} />}
      </div>
    </ShownComments>
  )
}

/** Runs a function after the next render. */
function afterwards(run: () => void): void {
  requestAnimationFrame(run)
}

/** Notes about an incomplete or outdated list. */
function ListNotes({ diff, error }: { diff: DiffSummary; error: Error | null }) {
  return (
    <div className="max-h-40 overflow-y-auto">
      {error && <Notice tone="err">Couldn't refresh the list. {error.message}</Notice>}
      {!diff.complete && (
        <Notice>
          {diff.files_changed > diff.files.length
            ? `Showing ${diff.files.length} of ${diff.files_changed} files.`
            : `Showing only the first ${formatCount(diff.files.length, "file")}.`}
        </Notice>
      )}
      {diff.left_out.length > 0 && <Notice>Not included: {diff.left_out.join(", ")}.</Notice>}
    </div>
  )
}

/** Shows "No changes" only if the server is sure. */
function Nothing({ diff, merged }: { diff: DiffSummary; merged: boolean }) {
  if (!diff.complete) return <Empty title="Couldn't list all changes">{diff.summary}</Empty>
  return (
    <Empty title={merged ? "Everything is merged" : "No changes"}>
      {merged ? "Nothing has changed since the merge." : "Nothing has changed since the agent started."}
      {diff.left_out.length > 0 && ` Not included: ${diff.left_out.join(", ")}.`}
    </Empty>
  )
}

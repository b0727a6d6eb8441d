import type { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import { VersionComparison } from "@switchyard/core/sessions/versions/schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import { useRef, useState } from "react"
import { useResponse } from "../../session/context/requests.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Empty, Skeleton, UnloadedList } from "../../ui/notice.tsx"
import { Segments } from "../../ui/segments.tsx"
import { DiffLines } from "../changes/diff/diff-lines.tsx"
import { marksOf } from "../changes/diff/file-marks.ts"
import { Counts } from "../changes/worktree/counts.tsx"
import { RestoreButton } from "./restore-button.tsx"
import { versionsKey } from "./use-versions.ts"

interface Props {
  version: number
  /** Version that it followed. */
  previous: number
  /** Compares only this file. */
  path?: string
  onClose(): void
}

type Side = "current" | "previous"
const sideLabels: Record<Side, string> = { current: "Vs. current", previous: "Vs. previous" }

/** The changes between a version and the current one, or the one before it. */
export function CompareDialog({ version, previous, path, onClose }: Props) {
  const current = useSessionData(({ live }) => live.files.version)
  const isCurrent = version === current
  const [side, setSide] = useState<Side>(isCurrent ? "previous" : "current")
  const [from, to] = side === "current" ? [version, current] : [previous, version]
  const list = useComparison(from, to, path)
  const title = side === "current" ? `Changes since version ${version}` : `Changes in version ${version}`
  return (
    <Dialog title={path === undefined ? title : `${title}: ${showBidiControls(path)}`} wide onClose={onClose}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        {!isCurrent && (
          <Segments<Side>
            legend="Compare"
            options={["current", "previous"]}
            value={side}
            onChange={setSide}
            label={(option) => sideLabels[option]}
          />
        )}
        {!isCurrent && (
          <RestoreButton version={version} path={path} label={`Restore version ${version}`} onRestored={onClose} />
        )}
      </div>
      {list.data ? (
        <Files key={`${from}-${to}`} comparison={list.data} path={path} />
      ) : (
        <UnloadedList list={list} lines={8} />
      )}
    </Dialog>
  )
}

function useComparison(from: number, to: number, path: string | undefined, enabled = true) {
  const { sessionId } = useShownSession()
  return useResponse(
    [...versionsKey(sessionId), "diff", from, to, path],
    "GET /api/v1/sessions/{id}/versions/{version}/diff",
    { path: { id: sessionId, version: from }, query: { to, path }, response: VersionComparison },
    // Versions never change.
    { enabled, staleTime: Number.POSITIVE_INFINITY },
  )
}

function Files({ comparison, path }: { comparison: VersionComparison; path: string | undefined }) {
  const { files, from, to } = comparison
  const [chosen, setChosen] = useState(files[0]?.new_path)
  const file = files.find(({ new_path }) => new_path === chosen)
  if (!file) return <Empty title="No differences">Both versions have the same files.</Empty>
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-2 nums">
        {formatCount(comparison.files_changed, "file")} changed{" "}
        <Counts additions={comparison.insertions} deletions={comparison.deletions} />
        {!comparison.complete && ` (showing the first ${files.length})`}
      </p>
      {path === undefined && (
        <ul className="max-h-[26vh] overflow-y-auto rounded-sm border border-line">
          {files.map((one) => (
            <FileButton
              key={one.new_path}
              file={one}
              isChosen={one === file}
              onChoose={() => setChosen(one.new_path)}
            />
          ))}
        </ul>
      )}
      <FileLines key={file.new_path} file={file} from={from} to={to} />
    </div>
  )
}

interface ButtonProps {
  file: DiffFile
  isChosen: boolean
  onChoose(): void
}

function FileButton({ file, isChosen, onChoose }: ButtonProps) {
  const marks = marksOf(file)
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen}
        title={file.new_path}
        onClick={onChoose}
        className={clsx(
          "flex min-h-8 w-full items-center gap-2 border-l-2 px-3 text-left text-sm -outline-offset-2 max-md:min-h-11",
          isChosen ? "border-accent bg-well" : "border-transparent hover:bg-well",
        )}
      >
        <span className={clsx("min-w-0 flex-1 truncate", file.is_deleted && "line-through")}>
          {showBidiControls(file.new_path)}
        </span>
        {marks && <span className="shrink-0 text-xs text-ink-3">{marks}</span>}
        <span className="text-xs">
          <Counts additions={file.additions} deletions={file.deletions} />
        </span>
      </button>
    </li>
  )
}

/** The lines of a file. A large file's lines are requested separately. */
function FileLines({ file, from, to }: { file: DiffFile; from: number; to: number }) {
  const handle = useRef(null)
  const isLarge = file.marks.includes("too_large")
  const alone = useComparison(from, to, file.new_path, isLarge)
  const { hunks } = (isLarge ? alone.data?.files[0] : file) ?? { hunks: [] }
  if (isLarge && !alone.data) return alone.error ? <UnloadedList list={alone} /> : <Skeleton lines={8} />
  if (hunks.length === 0) {
    return <p className="text-sm text-ink-3">{file.is_binary ? "Binary file" : "No lines changed"}</p>
  }
  return (
    <div className="h-[42vh] border border-line">
      <DiffLines handle={handle} hunks={hunks} split={false} path={file.new_path} />
    </div>
  )
}

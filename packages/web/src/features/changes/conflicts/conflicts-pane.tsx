import type { ConflictFile, Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import { useQuery } from "@tanstack/react-query"
import { clsx } from "clsx"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { IconButton } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { ChevronLeft } from "../../../ui/more-icons.tsx"
import { LateSkeleton, LoadFailure } from "../../../ui/notice.tsx"
import { fileAtStep, indexOfChosen, nextUnresolved } from "../worktree/file-selection.ts"
import { useChangeKeys } from "../worktree/use-change-keys.ts"
import { useWorktreeActions, useWorktreeQueries } from "../worktree/use-worktree.ts"
import { ConflictActions } from "./conflict-actions.tsx"
import { sidesOf } from "./conflict-choices.ts"
import { ConflictFilePane } from "./conflict-file.tsx"

interface Props {
  wide: boolean
  /** True if the merge was asked to run the repository's hooks. */
  runHooks: boolean
}

/** A paused merge or update: its files, and for each the regions changed by both sides. */
export function ConflictsPane({ wide, runHooks }: Props) {
  const query = useQuery(useWorktreeQueries().conflicts)
  if (query.data) return <Waiting conflicts={query.data} wide={wide} runHooks={runHooks} />
  if (!query.error) return <LateSkeleton lines={8} className="p-6" />
  return <LoadFailure title="Couldn't load conflicts" error={query.error} onRetry={query.refetch} />
}

function Waiting({ conflicts, wide, runHooks }: Props & { conflicts: Conflicts }) {
  const { files } = conflicts
  const [chosen, setChosen] = useState<string | null>(null)
  const [opened, setOpened] = useState(false)
  const { resolve } = useWorktreeActions()
  const toast = useToast()
  const sides = sidesOf(conflicts)
  const paths = files.map(({ file_path }) => file_path)
  const firstOpen = files.findIndex(({ resolved }) => !resolved)
  const at = indexOfChosen(paths, chosen, firstOpen)
  const file = files[at]
  const go = (step: number) => setChosen(fileAtStep(paths, at, step))
  useChangeKeys({ j: () => go(1), k: () => go(-1), o: () => setOpened(true) })
  /** Continues with the next unresolved file. After the last one, shows the list, where the merge can be completed. */
  const resolved = (message: string) => {
    const next = nextUnresolved(files, at)
    if (next !== null) setChosen(next)
    else setOpened(false)
    toast(message, "ok")
  }
  return (
    <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(5rem,1fr)_auto] overflow-y-auto">
      <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] md:grid-cols-[minmax(200px,clamp(220px,26%,360px))_minmax(0,1fr)]">
        {(wide || !opened) && (
          <ConflictList
            conflicts={conflicts}
            current={file?.file_path ?? null}
            onOpen={(path) => {
              setChosen(path)
              setOpened(true)
            }}
          />
        )}
        {file && (wide || opened) && (
          <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
            {wide ? <div /> : <BackBar path={file.file_path} onBack={() => setOpened(false)} />}
            <ConflictFilePane
              key={`${file.file_path} ${file.ours?.blob} ${file.theirs?.blob}`}
              file={file}
              sides={sides}
              place={`${at + 1} of ${files.length}`}
              resolve={resolve}
              onResolved={resolved}
            />
          </div>
        )}
      </div>
      {(wide || !opened) && <ConflictActions conflicts={conflicts} sides={sides} runHooks={runHooks} />}
    </div>
  )
}

/** Link back to the list on phones, where a file is shown instead of the list. */
function BackBar({ path, onBack }: { path: string; onBack(): void }) {
  return (
    <div className="flex items-center border-b border-line">
      <IconButton label="Back to files" onClick={onBack}>
        <ChevronLeft size={18} aria-hidden />
      </IconButton>
      <h3 className="truncate font-mono text-xs font-semibold">{path}</h3>
    </div>
  )
}

interface ListProps {
  conflicts: Conflicts
  current: string | null
  onOpen(path: string): void
}

function ConflictList({ conflicts, current, onOpen }: ListProps) {
  const { files, complete, notes } = conflicts
  return (
    <div className="min-h-0 overflow-y-auto border-line md:border-r">
      <ul aria-label="Files with conflicts" className="py-1">
        {files.map((file) => (
          <ConflictRow key={file.file_path} file={file} here={file.file_path === current} onOpen={onOpen} />
        ))}
      </ul>
      {!complete && <p className="px-3 py-1 text-xs text-ink-3">Some files with conflicts aren't listed.</p>}
      {notes.length > 0 && (
        <details className="px-3 py-2 text-xs text-ink-3">
          <summary className="min-h-6">Git output</summary>
          <pre className="mt-1 font-mono break-words whitespace-pre-wrap">{notes.join("\n")}</pre>
        </details>
      )}
    </div>
  )
}

function ConflictRow({ file, here, onOpen }: { file: ConflictFile; here: boolean; onOpen(path: string): void }) {
  const cut = file.file_path.lastIndexOf("/") + 1
  return (
    <li>
      <button
        type="button"
        aria-current={here}
        title={file.file_path}
        onClick={() => onOpen(file.file_path)}
        className={clsx(
          "flex min-h-(--row) w-full items-center gap-2 border-l-2 px-3 py-1 text-left text-sm -outline-offset-2 max-md:min-h-11",
          here ? "border-accent bg-well" : "border-transparent hover:bg-well",
        )}
      >
        <StatusIcon state={file.resolved ? "done" : "needs_input"} label={file.resolved ? "Resolved" : "Unresolved"} />
        <span className="flex min-w-0 flex-col leading-tight">
          <span className="truncate">{file.file_path.slice(cut)}</span>
          {cut > 0 && <span className="truncate text-xs text-ink-3">{file.file_path.slice(0, cut - 1)}</span>}
        </span>
      </button>
    </li>
  )
}

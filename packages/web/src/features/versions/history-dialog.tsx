import { describeAuthor, describeCounts } from "@switchyard/core/sessions/versions/describe-version"
import { type Version, VersionList } from "@switchyard/core/sessions/versions/schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { formatBytes } from "@switchyard/core/text/format"
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { fileAt } from "../../session/stream/files.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty, UnloadedList } from "../../ui/notice.tsx"
import { ago, momentOf } from "../../ui/time.ts"
import { ForkButton } from "./fork-button.tsx"
import { RestoreButton } from "./restore-button.tsx"
import { versionsKey } from "./use-versions.ts"

const CompareDialog = lazyPart(async () => (await import("./compare-dialog.tsx")).CompareDialog)

interface Props {
  /** Lists only the versions that changed this file. */
  path?: string
  onClose(): void
}

/** The versions of a session's files, or of one file. */
export function HistoryDialog({ path, onClose }: Props) {
  const list = useHistory(path)
  const [compared, setCompared] = useState<Version | null>(null)
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? []
  if (compared) {
    const { version, previous, file } = compared
    return <CompareDialog version={version} previous={previous} path={file?.path} onClose={() => setCompared(null)} />
  }
  return (
    <Dialog title={path === undefined ? "Versions" : `History of ${showBidiControls(path)}`} wide onClose={onClose}>
      {!list.data && <UnloadedList list={list} lines={6} />}
      {list.data && versions.length === 0 && (
        <Empty title="No versions yet">Each time files are saved, a new version appears here.</Empty>
      )}
      <ol className="-mx-2 divide-y divide-line">
        {versions.map((version) => (
          <VersionRow
            key={version.version}
            version={version}
            path={path}
            onCompare={() => setCompared(version)}
            onClose={onClose}
          />
        ))}
      </ol>
      {list.hasNextPage && (
        <Button size="sm" className="mt-3" disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
          Show earlier versions
        </Button>
      )}
    </Dialog>
  )
}

function useHistory(path: string | undefined) {
  const { sessionId, api } = useShownSession()
  const current = useSessionData(({ live }) => live.files.version)
  return useInfiniteQuery({
    queryKey: [...versionsKey(sessionId), "list", path, current],
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /api/v1/sessions/{id}/versions", {
        path: { id: sessionId },
        query: { path, before: pageParam },
        response: VersionList,
        signal,
      }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // The list stays while a new version is loaded, and so does the focus in it.
    placeholderData: keepPreviousData,
  })
}

interface RowProps {
  version: Version
  /** Current path of the file whose versions are listed. */
  path: string | undefined
  onCompare(): void
  /** Closes the dialog when the screen shows something else. */
  onClose(): void
}

function VersionRow({ version: { version, seq, created_at, file, ...about }, path, onCompare, onClose }: RowProps) {
  const session = useShownSession()
  const current = useSessionData(({ live }) => live.files.version)
  const hash = useSessionData(({ live }) => (file ? fileAt(live.files, file.path)?.sha256 : undefined))
  const isRestorable = file ? file.sha256 !== null && file.sha256 !== hash : version !== current
  const details = file ? fileText(file, path) : describeCounts(about)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-2 py-2">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex items-baseline gap-2 text-sm">
          <span className="shrink-0 font-semibold nums">Version {version}</span>
          {version === current && <span className="text-xs text-ink-3">Current</span>}
          <time dateTime={created_at} title={momentOf(created_at)} className="text-xs text-ink-3 nums">
            {ago(created_at)}
          </time>
        </p>
        <p className="truncate text-xs text-ink-2" title={about.run?.request}>
          {[describeAuthor(about), details].filter(Boolean).join(" · ")}
        </p>
      </div>
      <div className="-mx-2 flex flex-wrap">
        <Button
          size="sm"
          tone="quiet"
          className="text-xs"
          onClick={() => {
            session.replay(seq)
            onClose()
          }}
        >
          Open
        </Button>
        <Button size="sm" tone="quiet" className="text-xs" onClick={onCompare}>
          Compare
        </Button>
        {isRestorable && <RestoreButton version={version} path={file?.path} />}
        {!file && <ForkButton version={version} />}
      </div>
    </li>
  )
}

function fileText({ path, size_bytes: size }: NonNullable<Version["file"]>, currentPath: string | undefined): string {
  if (size === null) return "Deleted"
  return path === currentPath ? formatBytes(size) : `${showBidiControls(path)}, ${formatBytes(size)}`
}

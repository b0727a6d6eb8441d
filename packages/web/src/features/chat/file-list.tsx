import { formatCount } from "@switchyard/core/format"
import { useMemo, useState } from "react"
import { VList } from "virtua"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Empty } from "../../ui/notice.tsx"

interface Props {
  session: SessionStore
  selected: readonly string[]
  onSelect(files: string[]): void
  onOpen(path: string): void
}

/** Characters to a token, roughly. */
const CHARS = 4

/** The session's files; those with a tick are shown to the model in full. */
export function FileList({ session, selected, onSelect, onOpen }: Props) {
  const files = useSessionData(session, ({ live }) => live.files.manifest.files)
  const [filter, setFilter] = useState("")
  const chosen = useMemo(() => new Set(selected), [selected])
  const shown = useMemo(() => {
    const wanted = filter.trim().toLowerCase()
    const texts = files.filter(({ binary, path }) => !binary && path.toLowerCase().includes(wanted))
    // The selected ones stand first, and are found again at once.
    return [...texts.filter(({ path }) => chosen.has(path)), ...texts.filter(({ path }) => !chosen.has(path))]
  }, [files, filter, chosen])
  const bytes = files.reduce((sum, { path, size }) => sum + (chosen.has(path) ? size : 0), 0)
  const toggle = (path: string) =>
    onSelect(chosen.has(path) ? selected.filter((other) => other !== path) : [...selected, path])

  return (
    <section aria-label="Files" className="grid h-full min-h-0 grid-rows-[auto_minmax(0,1fr)_auto]">
      <div className="p-2.5">
        <label htmlFor="chat-files" className="unseen">
          Filter the files
        </label>
        <input
          id="chat-files"
          type="search"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          placeholder={`Filter ${formatCount(files.length, "file")}`}
          className="h-9 w-full rounded-md border border-strong bg-sheet px-2.5 text-sm max-md:h-11"
        />
      </div>
      {shown.length === 0 ? (
        <Empty title={files.length === 0 ? "No files yet" : "No file matches"}>
          {files.length === 0 && "Ask for one, or build a project."}
        </Empty>
      ) : (
        <VList data={shown} className="px-1.5" tabIndex={-1}>
          {({ path }) => (
            <div key={path} className="flex h-[30px] items-center gap-1 rounded-sm px-1 hover:bg-well max-md:h-11">
              <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  checked={chosen.has(path)}
                  onChange={() => toggle(path)}
                  className="size-4 shrink-0 accent-(--accent)"
                />
                <PathName path={path} isChosen={chosen.has(path)} />
              </label>
              <button
                type="button"
                aria-label={`Open ${path}`}
                title="Open"
                onClick={() => onOpen(path)}
                className="shrink-0 rounded-sm px-1 text-xs text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 [div:hover>&]:opacity-100"
              >
                open
              </button>
            </div>
          )}
        </VList>
      )}
      <p className="flex items-center justify-between px-3 py-2 text-xs text-ink-3 nums">
        <span>
          {selected.length} selected · {Math.ceil(bytes / CHARS).toLocaleString("en")} tokens
        </span>
        {selected.length > 0 && (
          <button type="button" onClick={() => onSelect([])} className="min-h-6 text-accent hover:underline">
            Clear
          </button>
        )}
      </p>
    </section>
  )
}

/** A path whose name is never cut off before its folders are. */
function PathName({ path, isChosen }: { path: string; isChosen: boolean }) {
  const at = path.lastIndexOf("/") + 1
  return (
    <span title={path} className={`flex min-w-0 ${isChosen ? "font-semibold" : ""}`}>
      <span className="min-w-0 truncate text-ink-3">{path.slice(0, at)}</span>
      <span className="shrink-0">{path.slice(at)}</span>
    </span>
  )
}

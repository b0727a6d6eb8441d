import { formatCount } from "@switchyard/core/text/format"
import { useMemo, useState } from "react"
import { VList } from "virtua"
import { Button } from "../../ui/button.tsx"
import { StatusIcon } from "../../ui/icons.tsx"
import { RefreshCw } from "../../ui/more-icons.tsx"
import { Empty, Notice } from "../../ui/notice.tsx"
import type { ChatFiles } from "./use-chat-files.ts"

/** Approximate characters per token. */
const CHARS = 4

/** The chat's files. Ticked ones are shown to the model in full. */
export function FileList({
  files: { files, isRead, isReading, error, read, canOpen },
  selected,
  onSelect,
  onOpen,
}: {
  files: ChatFiles
  selected: readonly string[]
  onSelect(files: string[]): void
  onOpen(path: string): void
}) {
  const [filter, setFilter] = useState("")
  const chosen = useMemo(() => new Set(selected), [selected])
  const shown = useMemo(() => {
    const wanted = filter.trim().toLowerCase()
    const texts = files.filter(({ binary, path }) => !binary && path.toLowerCase().includes(wanted))
    // Selected files come first, so that they are easy to find.
    return [...texts.filter(({ path }) => chosen.has(path)), ...texts.filter(({ path }) => !chosen.has(path))]
  }, [files, filter, chosen])
  const bytes = files.reduce((sum, { path, size }) => sum + (chosen.has(path) ? size : 0), 0)
  const toggle = (path: string) =>
    onSelect(chosen.has(path) ? selected.filter((other) => other !== path) : [...selected, path])

  return (
    <section aria-label="Files" className="grid h-full min-h-0 grid-rows-[auto_minmax(0,1fr)_auto_auto]">
      <div className="flex items-center gap-1 p-2.5">
        <label htmlFor="chat-files" className="unseen">
          Filter files
        </label>
        <input
          id="chat-files"
          type="search"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          placeholder={`Filter ${formatCount(files.length, "file")}`}
          className="h-9 w-full min-w-0 rounded-md border border-strong bg-sheet px-2.5 text-sm max-md:h-11"
        />
        {read && isRead && (
          <Button
            size="sm"
            tone="quiet"
            aria-label="Reload files"
            title="Reload files"
            disabled={isReading}
            onClick={read}
            className="h-9"
          >
            {isReading ? <StatusIcon state="busy" label={null} /> : <RefreshCw size={14} aria-hidden />}
          </Button>
        )}
      </div>
      {read && !isRead ? (
        <UnreadRepository isReading={isReading} error={error} onRead={read} />
      ) : shown.length === 0 ? (
        <Empty title={files.length === 0 ? "No files yet" : "No matching files"}>
          {files.length === 0 && "To add a file, ask the model to create one."}
        </Empty>
      ) : (
        <VList data={shown} className="px-1.5" tabIndex={-1}>
          {({ path }) => (
            <div key={path} className="flex h-[30px] items-center gap-1 rounded-sm px-1 hover:bg-well max-md:h-11">
              <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  aria-label={path}
                  checked={chosen.has(path)}
                  onChange={() => toggle(path)}
                  className="size-4 shrink-0 accent-accent"
                />
                <PathName path={path} isChosen={chosen.has(path)} />
              </label>
              {canOpen(path) && (
                <button
                  type="button"
                  aria-label={`Open ${path}`}
                  title="Open"
                  onClick={() => onOpen(path)}
                  className="shrink-0 rounded-sm px-1 text-xs text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 [div:hover>&]:opacity-100"
                >
                  Open
                </button>
              )}
            </div>
          )}
        </VList>
      )}
      {isRead && error !== null && <Notice tone="err">Couldn't reload the files. {error}</Notice>}
      <p className="flex items-center justify-between px-3 py-2 text-xs text-ink-3 nums">
        <span>
          {selected.length} selected · {Math.ceil(bytes / CHARS).toLocaleString("en")} tokens
        </span>
        {selected.length > 0 && (
          <button
            type="button"
            onClick={() => onSelect([])}
            className="min-h-6 text-accent hover:underline max-md:min-h-11 max-md:px-2"
          >
            Clear
          </button>
        )}
      </p>
    </section>
  )
}

/** A repository that hasn't been read yet. The first message reads it too. */
function UnreadRepository({ isReading, error, onRead }: { isReading: boolean; error: string | null; onRead(): void }) {
  return (
    <Empty title={isReading ? "Loading files…" : "No files loaded yet"}>
      {!isReading && <p>Load files to select them. Your first message also loads them.</p>}
      {error !== null && <Notice tone="err">Couldn't load the files. {error}</Notice>}
      <Button className="mt-3" disabled={isReading} onClick={onRead}>
        {isReading && <StatusIcon state="busy" label={null} />}
        Load files
      </Button>
    </Empty>
  )
}

/** A path whose folders are truncated before its name. */
function PathName({ path, isChosen }: { path: string; isChosen: boolean }) {
  const at = path.lastIndexOf("/") + 1
  return (
    <span title={path} className={`flex min-w-0 ${isChosen ? "font-semibold" : ""}`}>
      <span className="min-w-0 shrink-1000 truncate text-ink-3">{path.slice(0, at)}</span>
      <span className="min-w-0 truncate">{path.slice(at)}</span>
    </span>
  )
}

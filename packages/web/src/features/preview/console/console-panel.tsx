import { clsx } from "clsx"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { Wrench } from "../../../ui/session-icons.tsx"
import { type ConsoleRow, type ConsoleView, type ReportKind, rowText } from "./console-rows.ts"

const names = {
  error: "Error",
  rejection: "Error",
  console: "Logged error",
  load: "Failed to load",
  request: "Failed request",
  blocked: "Blocked",
} satisfies Record<ReportKind, string>

interface Props {
  view: ConsoleView
  /** True if the page has no origin. */
  opaque: boolean
  external: boolean
  onExternal(allowed: boolean): void
  /** Opens a file. Returns undefined if it doesn't exist. */
  onOpen(file: string): (() => void) | undefined
  /** Asks the coder to fix what a row reports. */
  onFix?(row: ConsoleRow): void
  /** Why that isn't possible now. */
  fixBlocked: string | null
}

const KEEPS_NOTHING =
  "On this server, stored data is lost when the page reloads, and browser databases aren't available."

/** The errors reported by the page. */
export function ConsolePanel(props: Props) {
  const { view, opaque, external, onExternal, onOpen, onFix, fixBlocked } = props
  const { rows, full, stores } = view
  const hasBlocked = rows.some(({ kind }) => kind === "blocked")
  return (
    <div className="flex min-h-0 flex-col">
      {(hasBlocked || external) && (
        <div className="border-b border-line px-3 py-1.5 text-sm">
          <Checkbox
            label="Allow requests to other sites"
            hint="Lets the page load fonts and libraries, call APIs and send data to other sites."
            value={external}
            onChange={onExternal}
          />
        </div>
      )}
      {!stores && (
        <p className="border-b border-line px-3 py-1.5 text-sm text-ink-2">
          {opaque
            ? KEEPS_NOTHING
            : "This browser blocks storage in embedded pages. To use storage, open the preview in a new tab."}
        </p>
      )}
      {rows.length === 0 && <p className="px-3 py-3 text-sm text-ink-3">No errors reported.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ul aria-label="Page errors" tabIndex={0} className="min-h-0 overflow-y-auto -outline-offset-2">
        {rows.map((row) => (
          <li
            key={`${row.kind} ${row.file}:${row.line} ${row.text}`}
            className="flex items-start gap-2 border-b border-line py-1.5 pr-2 pl-3 last:border-b-0 max-md:flex-wrap"
          >
            <span className={clsx("mt-1", row.kind === "blocked" && "opacity-70")}>
              <StatusIcon state={row.kind === "blocked" ? "needs_input" : "error"} label={names[row.kind]} size={12} />
            </span>
            <div className="min-w-0 flex-1">
              <p className="line-clamp-4 font-mono text-xs break-words whitespace-pre-wrap [unicode-bidi:isolate]">
                {rowText(row)}
              </p>
              <Place row={row} onOpen={onOpen} />
            </div>
            {row.count > 1 && (
              <span className="mt-0.5 text-xs text-ink-3 nums">{row.count.toLocaleString()} times</span>
            )}
            {onFix && row.kind !== "blocked" && (
              <Button
                size="sm"
                disabled={fixBlocked !== null}
                title={fixBlocked ?? "Ask the coder to fix this"}
                onClick={() => onFix(row)}
              >
                <Wrench size={13} aria-hidden />
                Fix this
              </Button>
            )}
          </li>
        ))}
        {full && <li className="px-3 py-1.5 text-sm text-ink-3">More errors were reported but aren't shown.</li>}
      </ul>
    </div>
  )
}

function Place({ row: { file, line }, onOpen }: { row: ConsoleRow; onOpen: Props["onOpen"] }) {
  if (file === null) return null
  const open = onOpen(file)
  const name = line === null ? file : `${file}, line ${line}`
  if (!open) return <p className="truncate text-xs text-ink-3">{name}</p>
  return (
    <button type="button" onClick={open} className="max-w-full truncate text-xs text-accent hover:underline">
      {name}
    </button>
  )
}

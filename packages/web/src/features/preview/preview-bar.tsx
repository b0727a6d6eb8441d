import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import { IconButton } from "../../ui/button.tsx"
import { ExternalLink, LoopDetector, MousePointer, RotateCw } from "../../ui/session-icons.tsx"
import { type FrameWidth, frameWidths } from "./preview-frame.tsx"
import type { ShownPage } from "./use-preview.ts"

interface Props {
  page: ShownPage | null
  /** The source being shown; null if there is no choice. */
  source: { chosen: PreviewSource; choose(source: PreviewSource): void } | null
  /** Path of the page inside the frame, as reported by the page. */
  path: string
  /** The version, if it isn't the latest. */
  earlier: number | null
  width: FrameWidth
  onWidth(width: FrameWidth): void
  errors: number
  consoleShown: boolean
  onConsole(): void
  /** Selection of elements for the next request. */
  selection: { selecting: boolean; isAvailable: boolean; toggle(): void }
  onReload(): void
  /** Stops the server being shown. */
  onStop: (() => void) | undefined
}

/** The files as a page, or the project's own server. */
export type PreviewSource = "files" | "server"
const sources = ["files", "server"] as const

/** The page's address, the widths for viewing it, and its console. */
export function PreviewBar(props: Props) {
  const { page, source, path, earlier, width, onWidth, errors, consoleShown, onConsole, selection, onReload, onStop } =
    props
  const url = page?.url ?? null
  return (
    <header className="@container flex min-h-10 items-center gap-1.5 border-b border-line bg-paper pr-1 pl-3 max-md:min-h-12">
      <h2 className="text-sm font-semibold">Preview</h2>
      {source && (
        <fieldset className="flex shrink-0 items-center gap-1">
          <legend className="unseen">What to preview</legend>
          {sources.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={source.chosen === each}
              onClick={() => source.choose(each)}
              className={toggle}
            >
              {each === "files" ? "Files" : "Server"}
            </button>
          ))}
        </fieldset>
      )}
      {earlier !== null && (
        <span className="rounded-sm bg-need-bg px-1.5 text-xs whitespace-nowrap text-need nums">Version {earlier}</span>
      )}
      <p
        className={clsx(
          "min-w-0 flex-1 truncate rounded-md border border-line bg-sheet px-2 py-0.5 font-mono text-xs text-ink-2 @max-[26rem]:invisible",
          url === null && "invisible",
        )}
        title={url ?? undefined}
      >
        {page !== null && shortAddress(page, path)}
      </p>
      <fieldset disabled={url === null} className="flex shrink-0 items-center gap-1 @max-[28rem]:hidden">
        <legend className="unseen">Page width</legend>
        {frameWidths.map((each) => (
          <button
            key={each}
            type="button"
            aria-label={`${each} pixels wide`}
            aria-pressed={width === each}
            onClick={() => onWidth(width === each ? null : each)}
            className={toggle}
          >
            {each}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        aria-expanded={consoleShown}
        aria-label={`Console ${formatCount(errors, "error")}`}
        onClick={onConsole}
        className={clsx(toggle, errors > 0 && "!border-err !text-err")}
      >
        <span className="@max-[22rem]:hidden">Console&nbsp;</span>
        {errors}
      </button>
      <div className="flex shrink-0">
        <IconButton
          label={selection.selecting ? "Stop selecting" : "Select an element to change"}
          aria-pressed={selection.selecting}
          aria-keyshortcuts="i"
          disabled={!selection.isAvailable}
          onClick={selection.toggle}
          className={`${icon} aria-pressed:bg-accent-bg aria-pressed:text-accent`}
        >
          <MousePointer size={14} aria-hidden />
        </IconButton>
        <IconButton label="Reload the preview" disabled={url === null} onClick={onReload} className={icon}>
          <RotateCw size={14} aria-hidden />
        </IconButton>
        {url !== null && (
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            aria-label="Open the preview in a new tab"
            title="Open the preview in a new tab"
            className={`inline-flex items-center justify-center rounded-md text-ink-2 hover:bg-well hover:text-ink ${icon}`}
          >
            <ExternalLink size={14} aria-hidden />
          </a>
        )}
        {onStop && (
          <IconButton label="Stop the server" onClick={onStop} className={icon}>
            <LoopDetector size={14} aria-hidden />
          </IconButton>
        )}
      </div>
    </header>
  )
}

const toggle =
  "inline-flex h-7 shrink-0 items-center rounded-md border border-line bg-sheet px-2 text-xs text-ink-2 nums hover:bg-well hover:text-ink disabled:text-ink-3 aria-pressed:border-accent aria-pressed:bg-accent-bg aria-pressed:text-accent aria-expanded:border-strong max-md:min-h-11"
const icon = "!size-7 max-md:!h-11 max-md:!w-9"

/** Returns the address without its long, meaningless part: the host name, or the path of its folder. */
function shortAddress({ root, opaque }: ShownPage, path: string): string {
  const { host, pathname } = new URL(root)
  return opaque
    ? `${host}${pathname.slice(0, 5)}…${path}`
    : `${host.slice(0, 5)}…${host.slice(host.indexOf("."))}${path}`
}

import { clsx } from "clsx"
import type { PlannedFile, PlannedFileState } from "../../../session/stream/conversation.ts"
import { ArrowRight, Equal, Trash2 } from "../../../ui/icons.tsx"
import { StatusIcon } from "../../../ui/status-icon.tsx"

const words = {
  planned: "planned",
  writing: "being written",
  written: "written",
  kept: "kept as it is",
  deleted: "deleted",
  renamed: "renamed",
  failed: "not written",
} satisfies Record<PlannedFileState, string>

const icons = {
  planned: null,
  writing: <StatusIcon state="busy" size={12} label={null} />,
  written: <StatusIcon state="done" size={12} label={null} />,
  kept: <Equal size={12} aria-hidden className="shrink-0 text-ink-3" />,
  deleted: <Trash2 size={12} aria-hidden className="shrink-0 text-ink-3" />,
  renamed: <ArrowRight size={12} aria-hidden className="shrink-0 text-ok" />,
  failed: <StatusIcon state="error" size={12} label={null} />,
} satisfies Record<PlannedFileState, unknown>

const looks = {
  planned: "border-dashed border-line text-ink-3",
  writing: "border-accent bg-accent-bg text-ink",
  written: "border-line text-ink",
  kept: "border-line text-ink-2",
  deleted: "border-line text-ink-3 line-through",
  renamed: "border-line text-ink",
  failed: "border-err text-err",
} satisfies Record<PlannedFileState, string>

interface Props {
  file: PlannedFile
  /** Null for a file that isn't there to be opened. */
  onOpen: (() => void) | null
}

/** A planned file and its state. */
export function FileChip({ file: { path, from, purpose, state, reason }, onOpen }: Props) {
  const className = clsx(
    "flex h-7 min-w-0 items-center gap-1 rounded-sm border px-1.5 font-mono text-xs max-md:h-9",
    looks[state],
    onOpen && "hover:border-strong",
  )
  const title = [`${words[state]}${from ? `, was ${from}` : ""}`, reason ?? purpose].filter(Boolean).join(" – ")
  const content = (
    <>
      {icons[state]}
      <span className="truncate">{path}</span>
      <span className="unseen">, {words[state]}</span>
    </>
  )
  if (!onOpen)
    return (
      <span title={title} data-state={state} className={className}>
        {content}
      </span>
    )
  return (
    <button type="button" title={title} data-state={state} onClick={onOpen} className={className}>
      {content}
    </button>
  )
}

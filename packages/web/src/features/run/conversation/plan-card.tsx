import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import type { PlannedFile, PlannedFileState, PlanView } from "../../../session/stream/conversation.ts"
import { fileAt } from "../../../session/stream/files.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { StatusIcon } from "../../../ui/icons.tsx"
import { MoreButton } from "../../../ui/long-text.tsx"
import { ArrowRight, Equal, Trash2 } from "../../../ui/session-icons.tsx"

const FIRST_FILES = 24

interface Props {
  plan: PlanView
  /** True if its run failed, so that planned files won't be written. */
  failed: boolean
  expanded: boolean
  onToggle(): void
  onOpen(path: string): void
}

/** The planned project: its name, a summary, and what happened to each file. */
export function PlanCard({ plan: given, failed, expanded, onToggle, onOpen }: Props) {
  const files = useSessionData(({ shown }) => shown.files)
  const plan = failed ? { ...given, files: given.files.map(asNotWritten) } : given
  const shown = expanded ? plan.files : plan.files.slice(0, FIRST_FILES)
  return (
    <section aria-label={`Plan: ${plan.name}`} className="rounded-md border border-line bg-sheet px-3 py-2.5">
      <h3 className="text-sm font-semibold">
        <span className="text-ink-2">Plan · </span>
        {plan.name}
      </h3>
      {plan.description !== "" && <p className="mt-0.5 text-sm text-ink-2">{plan.description}</p>}
      {plan.techstack !== "" && <p className="mt-0.5 text-xs text-ink-3">{plan.techstack}</p>}
      <ul aria-label="Planned files" className="mt-2 flex flex-wrap gap-1.5">
        {shown.map((file) => {
          const isThere = file.state === "writing" || fileAt(files, file.path) !== undefined
          return (
            <li key={file.path} className="flex max-w-full min-w-0">
              <FileChip file={file} onOpen={isThere ? () => onOpen(file.path) : null} />
            </li>
          )
        })}
      </ul>
      {plan.files.length > FIRST_FILES && (
        <MoreButton expanded={expanded} onToggle={onToggle}>
          {expanded ? "Show fewer" : `Show all ${formatCount(plan.files.length, "file")}`}
        </MoreButton>
      )}
      <p className="mt-1.5 text-xs text-ink-3 nums">{progressText(plan)}</p>
    </section>
  )
}

function asNotWritten(file: PlannedFile): PlannedFile {
  return file.state === "planned" ? { ...file, state: "failed" } : file
}

function progressText({ files }: PlanView): string {
  const count = (...states: string[]) => files.filter(({ state }) => states.includes(state)).length
  const [writing, failed] = [count("writing"), count("failed")]
  return [
    `${count("written", "kept", "deleted", "renamed")} of ${formatCount(files.length, "file")}`,
    writing > 0 && `${writing} being written`,
    failed > 0 && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(" · ")
}

const words = {
  planned: "planned",
  writing: "being written",
  written: "written",
  kept: "unchanged",
  deleted: "deleted",
  renamed: "renamed",
  failed: "failed",
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

interface FileChipProps {
  file: PlannedFile
  /** Null if the file doesn't exist, so it can't be opened. */
  onOpen: (() => void) | null
}

function FileChip({ file: { path, from, purpose, state, reason }, onOpen }: FileChipProps) {
  const className = clsx(
    "flex h-7 min-w-0 items-center gap-1 rounded-sm border px-1.5 font-mono text-xs max-md:h-9",
    looks[state],
    onOpen && "hover:border-strong",
  )
  const title = [`${words[state]}${from ? `, formerly ${from}` : ""}`, reason ?? purpose].filter(Boolean).join(" – ")
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

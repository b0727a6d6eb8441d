import { dollars } from "@switchyard/core/people/usage/amounts"
import { formatCount } from "@switchyard/core/text/format"
import { clsx } from "clsx"
import { Link } from "wouter"
import type { Session } from "../../api/session.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { lastRequest, nameOfRepository, stateOf } from "../../session/list/session-labels.ts"
import { Button } from "../../ui/button.tsx"
import { Pin, StatusIcon } from "../../ui/icons.tsx"
import { Check } from "../../ui/more-icons.tsx"
import { Picture } from "../../ui/picture.tsx"
import { ago } from "../../ui/time.ts"
import { agentOf, kindTitles } from "./board-filter.ts"

interface Props {
  session: Session
  isSelected: boolean
  /** True if any session is selected. The cards then show their checkboxes. */
  isSelecting: boolean
  onSelect(options: { upTo: boolean }): void
  onAnswer(): void
}

/** A session on the board. The whole card is a link to the session. */
export function SessionCard({ session, isSelected, isSelecting, onSelect, onAnswer }: Props) {
  const { id, name, pinned, active, status, question } = session
  const line = question ? question.title : lastRequest(session)
  return (
    <li
      data-card={id}
      className={clsx(
        "group relative rounded-md border bg-sheet p-3 text-sm hover:border-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-accent",
        isSelected ? "border-accent bg-accent-bg" : "border-line",
      )}
    >
      <div className="flex items-start gap-2">
        <span className="mt-0.5 flex">
          <StatusIcon state={status} label={null} />
        </span>
        <Link
          href={paths.session(id)}
          aria-keyshortcuts="X E Delete"
          title={name}
          className="line-clamp-2 min-w-0 flex-1 font-semibold wrap-anywhere outline-none after:absolute after:inset-0"
        >
          {name}
        </Link>
        {pinned && <Pin size={12} aria-hidden className="mt-1 shrink-0 text-ink-3" />}
        <Select name={name} isSelected={isSelected} isShown={isSelecting} onSelect={onSelect} />
      </div>
      <Screenshot of={session} />
      <p className="mt-1 truncate text-xs text-ink-3">{originOf(session)}</p>
      {line && (
        <p className={clsx("mt-1.5 line-clamp-2 wrap-anywhere", question ? "text-ink" : "text-ink-2")}>{line}</p>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-x-2.5 text-xs text-ink-3 nums">
        {question ? (
          <Button size="sm" className="relative z-1" onClick={onAnswer} aria-label={`Answer question in ${name}`}>
            Answer…
          </Button>
        ) : (
          (active || status === "error" || status === "idle") && (
            <span className={status === "error" ? "text-err" : undefined}>{stateOf(session)}</span>
          )
        )}
        <Checks of={session} />
        <Changes of={session} />
        <span className="ml-auto">{ago(session.last_activity)}</span>
      </div>
    </li>
  )
}

interface SelectProps {
  name: string
  isSelected: boolean
  /** True if it is always shown. With a mouse, it otherwise appears over the card. */
  isShown: boolean
  onSelect: Props["onSelect"]
}

/** The card's checkbox, smaller than the area that takes the click. */
function Select({ name, isSelected, isShown, onSelect }: SelectProps) {
  const hidden = "pointer-fine:opacity-0 pointer-fine:group-hover:opacity-100 has-focus-visible:opacity-100"
  return (
    <span className={clsx("relative z-1 -mt-0.5 -mr-1 size-6 shrink-0 max-md:size-8", !isShown && hidden)}>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isSelected}
        onChange={({ nativeEvent }) => onSelect({ upTo: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey })}
        className="peer absolute inset-0 size-full cursor-pointer appearance-none rounded-sm"
      />
      <span className="pointer-events-none absolute inset-1 rounded-sm border border-strong bg-sheet peer-checked:border-accent peer-checked:bg-accent" />
      <Check
        size={14}
        aria-hidden
        className="pointer-events-none absolute inset-0 m-auto hidden text-sheet peer-checked:block"
      />
    </span>
  )
}

function Screenshot({ of: { id, picture } }: { of: Session }) {
  const { api } = useStudio()
  if (!picture) return null
  return (
    <Picture
      src={api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id, sha256: picture.sha256 } })}
      // The picture shows what the name says.
      alt=""
      width={picture.width}
      height={picture.height}
      className="float-right mt-2 ml-2 h-12 w-19"
    />
  )
}

/** Returns the session's kind, repository, and agent or model. */
function originOf(session: Session): string {
  const { kind, repository } = session
  return [kindTitles[kind], repository && nameOfRepository(repository), agentOf(session)].filter(Boolean).join(" · ")
}

const checkTitles = { passed: "Checks passed", failed: "Checks failed", not_run: "Not checked" }

/** Result of the checks. Sessions without files have nothing to check. */
function Checks({ of: { checks, active, file_count, changes } }: { of: Session }) {
  if (active || (checks === "not_run" && !file_count && !changes?.files)) return null
  const tone = { passed: "text-ok", failed: "text-err", not_run: undefined }[checks]
  return <span className={tone}>{checkTitles[checks]}</span>
}

/** Size of the work, and its cost. */
function Changes({ of: { changes, file_count, cost_usd } }: { of: Session }) {
  const files = changes?.files ?? file_count
  return (
    <>
      {changes && changes.files > 0 && (
        <span>
          <span className="text-ok">+{changes.additions}</span> <span className="text-err">−{changes.deletions}</span>
        </span>
      )}
      {Boolean(files) && <span>{formatCount(files ?? 0, "file")}</span>}
      {cost_usd !== null && cost_usd > 0 && <span>{dollars(cost_usd)}</span>}
    </>
  )
}

import { clsx } from "clsx"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import type { AgentStatus, RosterEntry } from "../../session/thread/roster.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { type IconState, Plus, StatusIcon } from "../../ui/icons.tsx"

interface Props {
  roster: RosterEntry[]
  selected: string | undefined
  /** Null if nothing can be changed. */
  onAdd: (() => void) | null
}

/** All agents in a session, with what each is doing and waiting for. */
export function AgentStrip({ roster, selected, onAdd }: Props) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 border-b border-line px-2 py-1.5">
      <nav aria-label="Agents" className="flex min-w-0 flex-1 items-stretch gap-1.5 overflow-x-auto p-0.5">
        {roster.map((entry) => (
          <Chip key={entry.agentId} entry={entry} isSelected={entry.agentId === selected} />
        ))}
        {onAdd && (
          <button
            type="button"
            onClick={onAdd}
            className="flex min-h-9 shrink-0 items-center gap-1 rounded-md border border-dashed border-strong px-2.5 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:min-h-11"
          >
            <Plus size={14} aria-hidden /> Add agent
          </button>
        )}
      </nav>
      <CollisionNote roster={roster} />
    </div>
  )
}

const icons = {
  starting: "busy",
  busy: "busy",
  idle: "idle",
  parked: "needs_input",
  needs_input: "needs_input",
  failed: "error",
} satisfies Record<AgentStatus, IconState>

const statusNames = {
  starting: "Starting",
  busy: "Working",
  idle: "Idle",
  parked: "Paused",
  needs_input: "Needs you",
  failed: "Failed",
} satisfies Record<AgentStatus, string>

function Chip({ entry, isSelected }: { entry: RosterEntry; isSelected: boolean }) {
  const { sessionId } = useShownSession()
  const { agentId, name, address, status, waitsFor, state } = entry
  const doing = useSessionData(({ activity, replaySeq }) =>
    replaySeq === null && status === "busy" ? (activity.get(agentId) ?? null) : null,
  )
  const queued = state.agent.queued.length
  const line = waitsFor ?? doing ?? (status === "busy" ? state.agent.progress : null) ?? statusNames[status]
  return (
    <Link
      href={paths.agent(sessionId, address)}
      replace
      aria-current={isSelected ? "true" : undefined}
      title={line}
      className={clsx(
        "flex min-h-9 max-w-64 min-w-0 shrink-0 items-center gap-2 rounded-md border px-2.5 py-0.5 text-sm max-md:min-h-11",
        status === "needs_input" ? "bg-need-bg" : "bg-sheet hover:bg-well",
        isSelected ? "border-accent" : status === "needs_input" ? "border-need" : "border-line",
      )}
    >
      <StatusIcon state={icons[status]} label={statusNames[status]} />
      <span className={clsx("shrink-0", isSelected && "font-semibold")}>{name}</span>
      <span className="min-w-0 truncate text-xs text-ink-3">{line}</span>
      {queued > 0 && (
        <span className="shrink-0 rounded-full border border-line bg-paper px-1.5 text-xs text-ink-2 nums">
          {queued} <span className="unseen">queued</span>
        </span>
      )}
    </Link>
  )
}

/** Lists the worktrees that would conflict if they were merged now. */
function CollisionNote({ roster }: { roster: RosterEntry[] }) {
  const { sessionId } = useShownSession()
  const collisions = useSessionData(({ shown }) => shown.collisions)
  if (collisions.length === 0) return null
  const nameOf = (worktree: string) =>
    roster.find(({ state }) => (state.agent.worktree ?? state.run?.worktree ?? "main") === worktree)?.name ?? worktree
  const all = collisions.map(({ worktrees, files }) => `${worktrees.map(nameOf).join(" and ")}: ${files.join(", ")}`)
  const [{ worktrees, files, fileCount }] = collisions as [(typeof collisions)[number]]
  const [file = ""] = files
  return (
    <p role="status" className="max-w-full min-w-0 truncate px-1 text-xs text-ink-2" title={all.join("\n")}>
      {worktrees.map(nameOf).join(" ↔ ")}:{" "}
      <Link href={paths.changes(sessionId)} className="font-mono text-err underline underline-offset-2">
        {file.slice(file.lastIndexOf("/") + 1)}
      </Link>
      {fileCount > 1 && ` and ${fileCount - 1} more`} would conflict
      {collisions.length > 1 && `, plus ${collisions.length - 1} more ${collisions.length === 2 ? "pair" : "pairs"}`}
    </p>
  )
}

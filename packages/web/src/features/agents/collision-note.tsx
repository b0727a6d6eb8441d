import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { useSessionData } from "../../session/view/use-session.ts"

/** Names the worktrees that would conflict if they were merged as they are. */
export function CollisionNote({ session, roster }: { session: SessionStore; roster: RosterEntry[] }) {
  const collisions = useSessionData(session, ({ shown }) => shown.collisions)
  if (collisions.length === 0) return null
  const nameOf = (worktree: string) =>
    roster.find(({ state }) => (state.agent.worktree ?? state.run?.worktree ?? "main") === worktree)?.name ?? worktree
  const all = collisions.map(({ worktrees, files }) => `${worktrees.map(nameOf).join(" and ")}: ${files.join(", ")}`)
  const [{ worktrees, files, fileCount }] = collisions as [(typeof collisions)[number]]
  const [file = ""] = files
  return (
    <p role="status" className="max-w-full min-w-0 truncate px-1 text-xs text-ink-2" title={all.join("\n")}>
      {worktrees.map(nameOf).join(" ↔ ")}:{" "}
      <Link href={paths.changes(session.sessionId)} className="font-mono text-err underline underline-offset-2">
        {file.slice(file.lastIndexOf("/") + 1)}
      </Link>
      {fileCount > 1 && ` and ${fileCount - 1} more`} would conflict
      {collisions.length > 1 && `, ${collisions.length - 1} more ${collisions.length === 2 ? "pair" : "pairs"}`}
    </p>
  )
}

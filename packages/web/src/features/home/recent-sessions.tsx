import type { Session, SessionList } from "@switchyard/core/sessions/schema"
import type { UseQueryResult } from "@tanstack/react-query"
import { Link } from "wouter"
import { paths } from "../../app/routes.ts"
import { Button } from "../../ui/button.tsx"
import { Notice, Skeleton } from "../../ui/notice.tsx"
import { Shape, type ShapeState } from "../../ui/shape.tsx"
import { ago } from "../../ui/time.ts"

const SHOWN = 8

/** What was worked on last. */
export function RecentSessions({ query }: { query: UseQueryResult<SessionList, Error> }) {
  const { data, error, isPending, refetch } = query
  return (
    <section aria-label="Recent sessions" className="mt-10">
      <h2 className="mb-1 text-sm font-semibold text-ink-3">Recent</h2>
      {isPending && <Skeleton lines={3} />}
      {error && (
        <Notice tone="err" className="my-2 flex items-center justify-between gap-3">
          <span>
            {error.message} {data && "Below is what was read last."} <Link href={paths.connect()}>Connection</Link>
          </span>
          <Button size="sm" onClick={() => refetch()}>
            Retry
          </Button>
        </Notice>
      )}
      <ul className="divide-y divide-line border-y border-line">
        {data?.sessions.slice(0, SHOWN).map((session) => (
          <Recent key={session.id} session={session} />
        ))}
      </ul>
    </section>
  )
}

const ends = {
  idle: "not run",
  busy: "working",
  needs_input: "waiting for you",
  done: "done",
  error: "failed",
} satisfies Record<ShapeState, string>

function Recent({ session }: { session: Session }) {
  const { status, progress, file_count } = session
  const state =
    status === "busy" && progress
      ? `file ${Math.min(progress.step + 1, progress.total)} of ${progress.total}`
      : ends[status]
  return (
    <li>
      <Link
        href={paths.session(session.id)}
        className="grid min-h-(--row) grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-2 hover:bg-well max-md:py-3"
      >
        <Shape state={status} label={null} />
        <span className="truncate">{session.name}</span>
        <span className="text-sm text-ink-3 nums">{ago(session.last_activity)}</span>
        <span className="col-start-2 text-sm text-ink-3 nums">
          {state}
          {file_count ? ` · ${file_count} ${file_count === 1 ? "file" : "files"}` : ""}
        </span>
      </Link>
    </li>
  )
}

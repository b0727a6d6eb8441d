import { Link } from "wouter"
import type { Session } from "../../api/session.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { lastActiveFirst } from "../../session/list/session-groups.ts"
import { lastRequest, statusLabel } from "../../session/list/session-labels.ts"
import type { SessionsQuery } from "../../session/list/use-sessions.ts"
import { Button } from "../../ui/button.tsx"
import { StatusIcon } from "../../ui/icons.tsx"
import { Notice, Skeleton } from "../../ui/notice.tsx"
import { Picture } from "../../ui/picture.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { ago } from "../../ui/time.ts"
import { useDelay } from "../../ui/use-delay.ts"

const SHOWN = 8

export function RecentSessions({ query }: { query: SessionsQuery }) {
  const { data, error, isPending, isFetching, refetch } = query
  const late = useDelay(300)
  return (
    <section aria-label="Recent sessions" className="mt-10">
      <h2 className="mb-1 text-sm font-semibold text-ink-3">Recent</h2>
      {error && (
        <Notice tone="err" className="mb-2 flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1 basis-72">
            {error.message} {data && "Showing the last known list."}{" "}
            <TextLink href={paths.connect()}>Connection</TextLink>
          </span>
          <Button size="sm" disabled={isFetching} onClick={() => refetch()}>
            Retry
          </Button>
        </Notice>
      )}
      {isPending && late && <Skeleton lines={3} />}
      <ul className="divide-y divide-line border-y border-line empty:border-0">
        {lastActiveFirst(data?.sessions ?? [])
          .slice(0, SHOWN)
          .map((session) => (
            <Recent key={session.id} session={session} />
          ))}
      </ul>
    </section>
  )
}

function Recent({ session }: { session: Session }) {
  const request = lastRequest(session)
  const { api } = useStudio()
  const { id, picture } = session
  return (
    <li>
      <Link
        href={paths.session(session.id)}
        className="grid min-h-(--row) grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-2 hover:bg-well max-md:py-3"
      >
        <StatusIcon state={session.status} label={null} />
        <span className="truncate">{session.name}</span>
        <span className="text-sm text-ink-3 nums">{ago(session.last_activity)}</span>
        {picture && (
          <Picture
            src={api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path: { id, sha256: picture.sha256 } })}
            // The picture shows what the name says.
            alt=""
            width={picture.width}
            height={picture.height}
            className="col-start-4 row-span-2 row-start-1 h-12 w-19 max-md:hidden"
          />
        )}
        <span className="col-start-2 flex min-w-0 gap-x-2 text-sm text-ink-3 nums">
          <span className="shrink-0">{statusLabel(session)}</span>
          {request && (
            <span className="min-w-0 truncate text-ink-2">
              <span className="unseen">Last request: </span>
              {request}
            </span>
          )}
        </span>
      </Link>
    </li>
  )
}

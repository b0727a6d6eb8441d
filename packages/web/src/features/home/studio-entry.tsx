import { Redirect } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { lastActiveFirst } from "../../session/list/session-groups.ts"
import { useSessions } from "../../session/list/use-sessions.ts"
import { Skeleton } from "../../ui/notice.tsx"

/** Opens the most recent session, or the home page if there is none. */
export function StudioEntry() {
  const { data, isPending } = useSessions()
  if (isPending) return <Skeleton lines={6} className="m-6" />
  const [last] = lastActiveFirst(data?.sessions ?? [])
  return <Redirect to={last ? paths.run(last.id) : paths.home()} replace />
}

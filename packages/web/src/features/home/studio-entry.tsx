import { Redirect } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useSessions } from "../../session/list/use-sessions.ts"
import { Skeleton } from "../../ui/notice.tsx"

/** The session that was used last, or the place where one begins. */
export function StudioEntry() {
  const { data, isPending } = useSessions()
  if (isPending) return <Skeleton lines={6} className="m-6" />
  const last = data?.sessions[0]
  return <Redirect to={last ? paths.run(last.id) : paths.home()} replace />
}

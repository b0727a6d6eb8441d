import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { ApiError } from "../../api/client.ts"
import { Session } from "../../api/session.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { Empty } from "../../ui/notice.tsx"
import { dayOf, momentOf } from "../../ui/time.ts"
import { RestoreSession } from "./restore-session.tsx"

/** Explains why a session is gone, as far as the server tells this user. */
export function GoneSession({ id }: { id: string }) {
  const { api } = useStudio()
  // A user whose session expired is redirected to the login by this request itself.
  const { isPending, error } = useQuery({
    queryKey: ["gone", id],
    queryFn: ({ signal }) => api.call("GET /api/v1/sessions/{id}", { path: { id }, response: Session, signal }),
    retry: false,
  })
  if (isPending) return null
  const { title, text, mine } = explain(error)
  return (
    <Empty page title={title}>
      <p>{text}</p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Link
          href={paths.home()}
          className="inline-flex h-9 items-center rounded-md bg-accent px-3.5 font-semibold text-sheet hover:bg-accent-hover max-md:min-h-11"
        >
          New session{" "}
        </Link>
        {mine && <RestoreSession id={id} />}
      </div>
    </Empty>
  )
}

interface Words {
  title: string
  text: ReactNode
  /** Whether the session belonged to this user. */
  mine: boolean
}

function explain(error: Error | null): Words {
  const { deleted_at: at, reason } = error instanceof ApiError ? error.details : {}
  if (typeof at !== "string") {
    const text = "It may have been deleted, or it belongs to someone else."
    return { title: "Session not found", text, mine: false }
  }
  if (reason === "retention") {
    return {
      title: `This session expired on ${dayOf(at)}`,
      text: "It expired because it wasn't used. Its files were deleted with it; a zip you downloaded still has them.",
      mine: true,
    }
  }
  return {
    title: "This session was deleted",
    text: `It was deleted on ${momentOf(at)}, here, in another tab or through the API. Its files were deleted with it.`,
    mine: true,
  }
}

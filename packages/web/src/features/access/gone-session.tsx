import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { type Api, ApiError } from "../../api/client.ts"
import { Session } from "../../api/session.ts"
import { MAX_ZIP_BYTES, writeArchive } from "../../session/actions/write-archive.ts"
import { useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { FileButton } from "../../ui/file-button.tsx"
import { Empty, ErrorNotice } from "../../ui/notice.tsx"
import { dayOf, momentOf } from "../../ui/time.ts"

/** Explains why a session is gone, as far as the server tells this user. */
export function GoneSession({ id }: { id: string }) {
  // If the user's login has expired, this request itself redirects to the login page.
  const { isPending, error } = useResponse(
    ["gone", id],
    "GET /api/v1/sessions/{id}",
    { path: { id }, response: Session },
    { retry: false },
  )
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
  /** True if the session belonged to this user. */
  mine: boolean
}

function explain(error: Error | null): Words {
  const { deleted_at: at, reason } = error instanceof ApiError ? error.details : {}
  if (typeof at !== "string") {
    const text = "It may have been deleted, or it may belong to someone else."
    return { title: "Session not found", text, mine: false }
  }
  if (reason === "retention") {
    return {
      title: `This session expired on ${dayOf(at)}`,
      text: "Unused sessions expire, and their files are deleted. You can restore the session from a downloaded zip.",
      mine: true,
    }
  }
  return {
    title: "This session was deleted",
    text: `The session and its files were deleted in the studio or through the API on ${momentOf(at)}.`,
    mine: true,
  }
}

/** Restores the session at its old URL from a zip downloaded earlier. */
function RestoreSession({ id }: { id: string }) {
  const { api } = useStudio()
  const restore = useMutation({
    mutationFn: (zip: File) => restoreFrom(api, id, zip),
    // A full load, because the page's cached data belongs to the deleted session.
    onSuccess: () => location.assign(paths.files(id)),
  })
  return (
    <>
      <FileButton
        disabled={restore.isPending || restore.isSuccess}
        field="Zip file to restore from"
        accept=".zip,application/zip"
        onChoose={(zip) => restore.mutate(zip)}
      >
        {restore.isPending ? "Restoring…" : "Restore from zip"}
      </FileButton>
      <ErrorNotice error={restore.error} className="mt-4 basis-full text-left" />
    </>
  )
}

async function restoreFrom(api: Api, id: string, zip: File): Promise<void> {
  if (zip.size > MAX_ZIP_BYTES) throw new Error(`${zip.name} is too large. The limit is 3 MB.`)
  await writeArchive(api, id, new Uint8Array(await zip.arrayBuffer()))
}

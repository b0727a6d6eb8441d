import { useMutation } from "@tanstack/react-query"
import type { Api } from "../../api/client.ts"
import { MAX_ZIP_BYTES, writeArchive } from "../../session/actions/write-archive.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { FileButton } from "../../ui/file-button.tsx"
import { Notice } from "../../ui/notice.tsx"

/** Restores the session at its old URL from a zip that was downloaded before. */
export function RestoreSession({ id }: { id: string }) {
  const { api } = useStudio()
  const restore = useMutation({
    mutationFn: (zip: File) => restoreFrom(api, id, zip),
    // The page's cached data belongs to the deleted session.
    onSuccess: () => location.assign(paths.files(id)),
  })
  return (
    <>
      <FileButton
        disabled={restore.isPending || restore.isSuccess}
        field="The zip to restore from"
        accept=".zip,application/zip"
        onChoose={(zip) => restore.mutate(zip)}
      >
        {restore.isPending ? "Restoring …" : "Restore from a zip"}
      </FileButton>
      {restore.error && (
        <Notice tone="err" className="mt-4 basis-full text-left">
          {restore.error.message}
        </Notice>
      )}
    </>
  )
}

async function restoreFrom(api: Api, id: string, zip: File): Promise<void> {
  if (zip.size > MAX_ZIP_BYTES) throw new Error(`${zip.name} is larger than 3 MB, more than can be restored from here.`)
  await writeArchive(api, id, new Uint8Array(await zip.arrayBuffer()))
}

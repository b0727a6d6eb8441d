import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { formatBytes } from "@switchyard/core/text/format"
import { useStudio } from "../../../session/context/studio.ts"
import { Empty } from "../../../ui/notice.tsx"

/** A binary file, or one too large to show: it can only be downloaded. */
export function BinaryFile({ sessionId, file }: { sessionId: string; file: ManifestFile }) {
  const { api } = useStudio()
  const name = file.path.slice(file.path.lastIndexOf("/") + 1)
  const path = { id: sessionId, sha256: file.sha256 }
  const href = api.url("GET /api/v1/sessions/{id}/artifacts/{sha256}", { path, query: { filename: name } })
  return (
    <Empty title={file.binary ? "Binary file" : "This file is too large to show"}>
      <p className="nums">{formatBytes(file.size)}</p>
      <a
        href={href}
        download={name}
        className="mt-3 inline-block rounded-md border border-strong px-3 py-1.5 text-ink hover:bg-well"
      >
        Download {name}
      </a>
    </Empty>
  )
}

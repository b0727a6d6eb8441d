import { formatBytes, formatCount } from "@switchyard/core/text/format"
import { useEffect, useState } from "react"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { useAttempt } from "../../../ui/use-attempt.ts"
import { type Chosen, type Packed, pack } from "./pack.ts"

interface Props {
  chosen: Chosen
  /** Returns true if there is already a file or folder at a path. */
  taken(path: string): boolean
  onUpload(zip: Uint8Array): Promise<void>
  onClose(): void
}

/** Shows what an upload writes and replaces, and stays open until the server has it. */
export function UploadDialog({ chosen, taken, onUpload, onClose }: Props) {
  const [packed, setPacked] = useState<Packed | null>(null)
  const [fault, setFault] = useState<unknown>(null)
  const { attempt, busy, error } = useAttempt()
  useEffect(() => {
    pack(chosen).then(setPacked, setFault)
  }, [chosen])

  const upload = async ({ zip }: Packed) => {
    if (await attempt(() => onUpload(zip))) onClose()
  }
  return (
    <FormDialog
      title={packed ? `Upload ${formatCount(packed.paths.length, "file")}?` : "Upload"}
      action={busy ? "Uploading…" : "Upload"}
      blocked={packed === null || busy}
      onSubmit={() => packed && upload(packed)}
      onClose={onClose}
    >
      <ErrorNotice error={error ?? fault} />
      {packed === null ? (
        !fault && <p className="text-sm text-ink-2">Reading…</p>
      ) : (
        <Summary {...packed} taken={taken} />
      )}
    </FormDialog>
  )
}

const SHOWN = 6

function Summary({ zip, paths, leftOut, taken }: Packed & Pick<Props, "taken">) {
  const replaced = new Set(paths.filter(taken))
  // Files to be replaced come first, because they are what the user has to decide about.
  const ordered = [...replaced, ...paths.filter((path) => !replaced.has(path))]
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p>
        Zipped size: {formatBytes(zip.length)}.{" "}
        {replaced.size === 0
          ? "No files will be replaced."
          : `${formatCount(replaced.size, "existing file")} will be replaced.`}
        {leftOut > 0 && ` Skipped ${formatCount(leftOut, "Git, dependency or system file")}.`}
      </p>
      <ul className="rounded-md border border-line px-3 py-2 font-mono text-xs">
        {ordered.slice(0, SHOWN).map((path) => (
          <li key={path} className="flex justify-between gap-3 py-0.5">
            <span className="min-w-0 truncate" title={path}>
              {path}
            </span>
            {replaced.has(path) && <span className="shrink-0 text-need">replaced</span>}
          </li>
        ))}
        {ordered.length > SHOWN && <li className="py-0.5 text-ink-3">and {ordered.length - SHOWN} more</li>}
      </ul>
    </div>
  )
}

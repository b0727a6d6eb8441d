import type { RequestOf } from "@switchyard/client/request"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { decodeJson, object, oneOf, text } from "../../../api/decode.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { FileButton } from "../../../ui/file-button.tsx"
import { type File, Upload } from "../../../ui/more-icons.tsx"
import { ErrorNotice, Notice } from "../../../ui/notice.tsx"
import { Download } from "../../../ui/session-icons.tsx"

type ExportedConfig = RequestOf<"POST /api/v1/config/import">["body"]["config"]

const Imported = object({ message: text })
/** Recognises exported settings. Everything else in them is checked by the server. */
const Exported = object({ format: oneOf("switchyard-config-1") })
const NOT_EXPORTED = "This isn't a Switchyard settings file."

/** Exports the settings to a file, and imports a file to replace them. */
export function TransferSection() {
  const { api } = useStudio()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<{ name: string; config: ExportedConfig } | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const importing = useMutation({
    mutationFn: (config: ExportedConfig) =>
      api.call("POST /api/v1/config/import", { body: { config }, response: Imported }),
    onSuccess: () => {
      setChosen(null)
      return client.invalidateQueries()
    },
  })

  async function read(file: File): Promise<void> {
    importing.reset()
    const json = await file.text()
    const isExported = decodeJson(Exported, json) !== undefined
    setWrong(isExported ? null : NOT_EXPORTED)
    if (isExported) setChosen({ name: file.name, config: JSON.parse(json) })
  }

  return (
    <section aria-labelledby="transfer" className="border-t border-line py-4">
      <h2 id="transfer" className="font-semibold">
        Export and import
      </h2>
      <p className="mt-1 mb-3 text-sm text-ink-3">
        Move your settings to another server. Keys and tokens aren't included.
      </p>
      <ErrorNotice error={wrong} className="mb-3" />
      {importing.data && (
        <Notice tone="ok" className="mb-3">
          {importing.data.message}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => linkTo(api.url("GET /api/v1/config/export", {}))}>
          <Download size={15} aria-hidden /> Export
        </Button>
        <FileButton field="Settings to import" accept="application/json,.json" onChoose={(file) => void read(file)}>
          <Upload size={15} aria-hidden /> Import…
        </FileButton>
      </div>
      {chosen && (
        <ConfirmDialog
          title="Replace your settings?"
          action="Replace"
          busy={importing.isPending}
          failure={<ErrorNotice error={importing.error} />}
          onConfirm={() => importing.mutate(chosen.config)}
          onClose={() => setChosen(null)}
        >
          <strong className="break-all">{chosen.name}</strong> will replace your preferences, snippets, and settings for
          verification, cleanup, limits, budget, permissions and repositories. Accounts aren't affected.
        </ConfirmDialog>
      )}
    </section>
  )
}

function linkTo(url: string): void {
  const link = document.createElement("a")
  link.href = url
  link.download = "switchyard-settings.json"
  link.click()
}

import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { formatCount } from "@switchyard/core/text/format"
import { useLayoutEffect, useRef, useState } from "react"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { useUnsaved } from "../files/buffer/use-unsaved.ts"
import { useNotRestorable, useVersions, type Wanted } from "./use-versions.ts"

interface Props extends Wanted {
  label?: string
  onRestored?(): void
}

/** Restores a version. Asks first if the person has unsaved edits that it affects. */
export function RestoreButton({ label = "Restore", onRestored, ...wanted }: Props) {
  const { version, path } = wanted
  const { restore } = useVersions()
  const reason = useNotRestorable()
  const unsaved = [...useUnsaved()].filter((one) => path === undefined || one === path)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const own = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => () => leaveFocus(own.current), [])

  async function run(): Promise<void> {
    setBusy(true)
    const restored = await restore(wanted)
    setBusy(false)
    setAsking(false)
    if (restored) onRestored?.()
  }

  return (
    <span ref={own} className="inline-flex">
      <Button
        size="sm"
        tone="quiet"
        className="text-xs"
        disabled={busy || reason !== null}
        title={reason ?? undefined}
        onClick={() => (unsaved.length > 0 ? setAsking(true) : void run())}
      >
        {label}
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Restore version ${version}?`}
          action="Restore"
          busy={busy}
          onConfirm={() => void run()}
          onClose={() => setAsking(false)}
        >
          <p>
            You have unsaved edits in{" "}
            {unsaved.length === 1 ? showBidiControls(unsaved[0] ?? "") : formatCount(unsaved.length, "file")}. They'll
            stay in the editor, where you can compare them with the restored version.
          </p>
        </ConfirmDialog>
      )}
    </span>
  )
}

/** If a removed button has the focus, focuses what is around it. Restoring may leave nothing to restore. */
function leaveFocus(removed: HTMLElement | null): void {
  if (!removed?.contains(document.activeElement)) return
  const around = removed.closest<HTMLElement>("dialog, [data-region]")
  queueMicrotask(() => {
    if (document.activeElement === document.body)
      (around?.querySelector<HTMLElement>(":scope > header button") ?? around)?.focus()
  })
}

import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"

const HistoryDialog = lazyPart(async () => (await import("./history-dialog.tsx")).HistoryDialog)

/** Button that opens a file's history. */
export function FileHistory({ path }: { path: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" tone="quiet" aria-label={`History of ${path}`} onClick={() => setOpen(true)}>
        History
      </Button>
      {open && <HistoryDialog path={path} onClose={() => setOpen(false)} />}
    </>
  )
}

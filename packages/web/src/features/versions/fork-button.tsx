import { useState } from "react"
import { useReadOnly } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { useVersions } from "./use-versions.ts"

/** Starts a new session with a version's files. */
export function ForkButton({ version }: { version: number }) {
  const offline = useReadOnly() !== null
  const { fork } = useVersions()
  const [busy, setBusy] = useState(false)

  async function run(): Promise<void> {
    setBusy(true)
    await fork(version)
    setBusy(false)
  }

  return (
    <Button size="sm" tone="quiet" className="text-xs" disabled={busy || offline} onClick={() => void run()}>
      Fork
    </Button>
  )
}

import { useState } from "react"
import type { VersionRef } from "../../session/stream/conversation.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { ForkButton } from "./fork-button.tsx"
import { RestoreButton } from "./restore-button.tsx"

const CompareDialog = lazyPart(async () => (await import("./compare-dialog.tsx")).CompareDialog)
const HistoryDialog = lazyPart(async () => (await import("./history-dialog.tsx")).HistoryDialog)

/** A version of the files, and what can be done with it. */
export function VersionActions({ version, previous, seq }: VersionRef) {
  const session = useShownSession()
  const current = useSessionData(({ live }) => live.files.version)
  const [open, setOpen] = useState<"compare" | "history" | null>(null)
  const close = () => setOpen(null)
  const isCurrent = version === current
  return (
    <fieldset className="mt-0.5 -ml-1 flex flex-wrap items-center text-xs text-ink-3">
      <legend className="unseen">Version {version}</legend>
      <Button
        size="sm"
        tone="quiet"
        className="text-xs nums"
        title="Show all versions"
        onClick={() => setOpen("history")}
      >
        Version {version}
      </Button>
      {isCurrent ? (
        <span className="px-2">Current</span>
      ) : (
        <Button size="sm" tone="quiet" className="text-xs" onClick={() => session.replay(seq)}>
          Open
        </Button>
      )}
      <Button size="sm" tone="quiet" className="text-xs" onClick={() => setOpen("compare")}>
        Compare
      </Button>
      {!isCurrent && <RestoreButton version={version} />}
      <ForkButton version={version} />
      {open === "compare" && <CompareDialog version={version} previous={previous} onClose={close} />}
      {open === "history" && <HistoryDialog onClose={close} />}
    </fieldset>
  )
}

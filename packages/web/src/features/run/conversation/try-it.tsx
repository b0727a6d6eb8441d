import { Suspense, useState } from "react"
import { startCheck } from "../../../session/actions/start-check.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Notice } from "../../../ui/notice.tsx"

const CheckCommandsDialog = lazyPart(async () => (await import("./check-commands-dialog.tsx")).CheckCommandsDialog)

/** Has what was built installed, tested and started. Asks first where that runs on somebody's own machine. */
export function TryIt({ sessionId }: { sessionId: string }) {
  const { api } = useStudio()
  const [state, setState] = useState<"idle" | "starting" | "asking">("idle")
  const [error, setError] = useState<string | null>(null)
  const [choosing, setChoosing] = useState(false)

  async function start(consent: boolean): Promise<void> {
    setState("starting")
    setError(null)
    const refused = await startCheck(api, sessionId, consent)
    setState(refused?.code === "consent_required" ? "asking" : "idle")
    if (refused && refused.code !== "consent_required") setError(refused.message)
  }

  if (state === "asking") {
    return (
      <Notice tone="need" className="mt-1.5 flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 flex-1 basis-60">
          Allow what is built to be installed, tested and started on this machine, in a sandbox where there is one?
          You'll only be asked once; later runs do it by themselves, and mend what fails.
        </span>
        <Button onClick={() => start(true)}>Allow</Button>
      </Notice>
    )
  }
  return (
    <div className="mt-1.5">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={state === "starting"} onClick={() => start(false)}>
          Try what was built
        </Button>
        <Button size="sm" tone="quiet" onClick={() => setChoosing(true)}>
          Commands
        </Button>
      </div>
      {choosing && (
        <Suspense>
          <CheckCommandsDialog sessionId={sessionId} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
      {error && (
        <Notice tone="err" className="mt-1.5">
          {error}
        </Notice>
      )}
    </div>
  )
}

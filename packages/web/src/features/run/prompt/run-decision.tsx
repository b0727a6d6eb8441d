import type { RunMode } from "../../../session/actions/use-run-actions.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"

interface Props {
  fileCount: number
  onDecide(mode: RunMode): void
  onClose(): void
}

/** Asks whether the run should continue with the existing files. */
export function RunDecision({ fileCount, onDecide, onClose }: Props) {
  const { sessionId } = useShownSession()
  return (
    <Dialog
      title="Continue in this session?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => onDecide("fresh")}>New session</Button>
          <Button tone="primary" data-autofocus onClick={() => onDecide("continue")}>
            Continue here
          </Button>
        </>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <dt className="text-ink-3">Session</dt>
        <dd className="truncate font-mono">{sessionId}</dd>
        <dt className="text-ink-3">Files</dt>
        <dd className="nums">{fileCount}</dd>
      </dl>
      <p className="mt-3">
        <strong>Continue here</strong> lets the coder read and change the existing files.
      </p>
      <p className="mt-1">
        <strong>New session</strong> opens an empty one. This one isn't changed.
      </p>
    </Dialog>
  )
}

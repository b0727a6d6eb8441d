import { Button } from "../../../ui/button.tsx"
import { Play, Square } from "../../../ui/icons.tsx"
import { StatusIcon } from "../../../ui/status-icon.tsx"
import type { ComposerState } from "./composer-state.ts"

/** Starts the run, or stops the current one. */
export function RunButton({ state: { button, blocked }, onStop }: { state: ComposerState; onStop(): void }) {
  if (button === "stop" || button === "stopping") {
    const stopping = button === "stopping"
    return (
      <Button onClick={onStop} disabled={stopping} id="agent-run-button" data-agent-action="stop-agent">
        {stopping ? <StatusIcon state="busy" label={null} /> : <Square size={13} aria-hidden />}
        {stopping ? "Stopping" : "Stop"}
      </Button>
    )
  }
  const starting = button === "starting"
  return (
    <Button type="submit" tone="primary" disabled={blocked} id="agent-run-button" data-agent-action="run-agent">
      {starting ? <StatusIcon state="busy" label={null} /> : <Play size={14} aria-hidden />}
      {starting ? "Starting" : "Run"}
    </Button>
  )
}

import type { ComponentProps } from "react"
import { Button } from "../../ui/button.tsx"
import { StatusIcon } from "../../ui/icons.tsx"
import { Square } from "../../ui/session-icons.tsx"

/** Stops a run or an answer. `isStopping`: that was requested already. */
export function StopButton({ isStopping, ...button }: ComponentProps<typeof Button> & { isStopping?: boolean }) {
  return (
    <Button disabled={isStopping} {...button}>
      {isStopping ? <StatusIcon state="busy" label={null} /> : <Square size={13} aria-hidden />}
      {isStopping ? "Stopping" : "Stop"}
    </Button>
  )
}

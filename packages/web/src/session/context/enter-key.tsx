import { CornerDownLeft } from "../../ui/icons.tsx"
import { useBrowser } from "./studio.ts"

/** Marks the button that Enter presses, on devices with a keyboard. */
export function EnterKey() {
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  if (!enterSends) return null
  return <CornerDownLeft size={13} aria-hidden className="opacity-70 pointer-coarse:hidden" />
}

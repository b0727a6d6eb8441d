import { IconButton } from "../../ui/button.tsx"
import { AppWindow } from "../../ui/icons.tsx"

/** Shows or hides the preview next to the files. */
export function PreviewToggle({ shown, onToggle }: { shown: boolean; onToggle(): void }) {
  return (
    <IconButton
      label={shown ? "Hide the preview" : "Show the preview"}
      aria-pressed={shown}
      onClick={onToggle}
      className="!size-7 aria-pressed:text-accent max-md:!size-11"
    >
      <AppWindow size={15} aria-hidden />
    </IconButton>
  )
}

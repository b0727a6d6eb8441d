import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useBrowser } from "../../session/context/studio.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { ShortcutTable } from "./shortcut-table.tsx"

export function HelpDialog({ onClose }: { onClose(): void }) {
  const letters = useBrowser((state) => state.preferences.single_letter_keys)
  const link = "text-accent underline underline-offset-2"
  return (
    <Dialog title="Keyboard" onClose={onClose} wide>
      <ShortcutTable />
      <p className="mt-4 text-sm text-ink-3">
        {letters
          ? "Single keys can be switched off in the "
          : "Single keys are switched off now. Switch them on in the "}
        <Link href={paths.settings("appearance")} onClick={onClose} className={link}>
          settings
        </Link>
        . The{" "}
        <Link href={paths.guide()} onClick={onClose} className={link}>
          guide
        </Link>{" "}
        has the rest.
      </p>
    </Dialog>
  )
}

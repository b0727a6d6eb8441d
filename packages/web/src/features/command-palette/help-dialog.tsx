import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useBrowser } from "../../session/context/studio.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { ShortcutTable } from "./shortcut-table.tsx"

export function HelpDialog({ onClose }: { onClose(): void }) {
  const letters = useBrowser((state) => state.preferences.single_letter_keys)
  const link = "text-accent underline underline-offset-2"
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <ShortcutTable />
      <p className="mt-4 text-sm text-ink-3">
        {letters ? "You can turn off single-key shortcuts in " : "Single-key shortcuts are off. Turn them on in "}
        <Link href={paths.settings("appearance")} onClick={onClose} className={link}>
          Settings
        </Link>
        . For more help, see the{" "}
        <Link href={paths.guide()} onClick={onClose} className={link}>
          guide
        </Link>
        .
      </p>
    </Dialog>
  )
}

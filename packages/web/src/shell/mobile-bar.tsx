import { useState } from "react"
import { Link } from "wouter"
import { SessionList } from "../features/sessions/session-list.tsx"
import { paths } from "../session/context/routes.ts"
import { Dialog } from "../ui/dialog.tsx"
import { House, LayoutList, Settings } from "../ui/icons.tsx"

const item = "flex min-h-12 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-ink-2"

/** Navigation at the bottom of the screen on phones. */
export function MobileBar() {
  const [listed, setListed] = useState(false)
  return (
    <nav aria-label="Studio" className="flex border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] md:hidden">
      <Link href={paths.home()} className={item}>
        <House size={18} aria-hidden /> Home
      </Link>
      <button type="button" className={item} onClick={() => setListed(true)}>
        <LayoutList size={18} aria-hidden /> Sessions
      </button>
      <Link href={paths.settings()} className={item}>
        <Settings size={18} aria-hidden /> Settings
      </Link>
      {listed && (
        <Dialog title="Sessions" onClose={() => setListed(false)}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: what is clicked is the link inside */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link answers the keyboard with a click */}
          <div onClick={(event) => (event.target as HTMLElement).closest("a") && setListed(false)}>
            <SessionList />
          </div>
        </Dialog>
      )}
    </nav>
  )
}

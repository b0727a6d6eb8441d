import { useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../session/context/commands.ts"
import { paths } from "../session/context/routes.ts"
import { useBrowser } from "../session/context/studio.ts"
import { useSignOut } from "../session/context/use-sign-out.ts"
import { CircleUser } from "../ui/icons.tsx"
import { Menu, type MenuItem } from "../ui/menu.tsx"

/** The signed-in user and a way to sign out. Nothing if no log-in is required. */
export function UserMenu() {
  const me = useBrowser((state) => state.me)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [, go] = useLocation()
  const { signOut } = useSignOut()
  useCommand("sign-out", "Sign out", signOut)
  if (!me || me.auth_mode === "open") return null
  const items: MenuItem[] = [
    { name: "Access tokens", run: () => go(paths.settings("tokens")) },
    ...(signOut ? [{ name: "Sign out", run: signOut }] : []),
  ]
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        aria-label={`User ${me.owner}`}
        title={`Signed in as ${me.owner}`}
        onClick={({ currentTarget }) => setAnchor(anchor ? null : currentTarget)}
        className="ml-1 flex h-8 items-center gap-1.5 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:h-11"
      >
        <CircleUser size={17} aria-hidden className="shrink-0" />
        <span className="max-w-[14ch] truncate max-md:unseen">{me.owner}</span>
      </button>
      {anchor && <Menu label="User" items={items} anchor={anchor} onClose={() => setAnchor(null)} />}
    </>
  )
}

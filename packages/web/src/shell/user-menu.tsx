import { useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../session/context/commands.ts"
import { paths } from "../session/context/routes.ts"
import { useSignOut } from "../session/context/use-sign-out.ts"
import { Menu, type MenuItem } from "../ui/menu.tsx"
import { CircleUser } from "../ui/more-icons.tsx"

/** The signed-in user and a way to sign out. */
export function UserMenu({ owner }: { owner: string }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [, go] = useLocation()
  const { signOut } = useSignOut()
  useCommand("sign-out", "Sign out", signOut)
  const items: MenuItem[] = [
    { name: "Access tokens", run: () => go(paths.settings("tokens")) },
    ...(signOut ? [{ name: "Sign out", run: signOut }] : []),
  ]
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        aria-label={`User ${owner}`}
        title={`Signed in as ${owner}`}
        onClick={({ currentTarget }) => setAnchor(anchor ? null : currentTarget)}
        className="ml-1 flex h-8 items-center gap-1.5 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:h-11"
      >
        <CircleUser size={17} aria-hidden className="shrink-0" />
        <span className="max-w-[14ch] truncate max-md:unseen">{owner}</span>
      </button>
      {anchor && <Menu label="User" items={items} anchor={anchor} onClose={() => setAnchor(null)} />}
    </>
  )
}

import { useBrowser } from "../../../session/context/studio.ts"
import { useSignOut } from "../../../session/context/use-sign-out.ts"
import { Button } from "../../../ui/button.tsx"

/** The signed-in user, and a sign-out for sessions by cookie. */
export function CurrentUser() {
  const me = useBrowser((state) => state.me)
  const { busy, signOut } = useSignOut()
  if (!me) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>
        Signed in as <strong>{me.owner}</strong> <span className="text-ink-3">({me.scopes.join(", ")})</span>
      </p>
      {signOut && (
        <Button onClick={signOut} disabled={busy}>
          Sign out
        </Button>
      )}
    </div>
  )
}

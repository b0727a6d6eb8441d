import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import * as z from "zod"
import { paths } from "../../../session/context/routes.ts"
import { useBrowser, useStudio, useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"

/** The signed-in user, and a sign-out for sessions by cookie. */
export function CurrentUser() {
  const { api, browser } = useStudio()
  const me = useBrowser((state) => state.me)
  const client = useQueryClient()
  const toast = useToast()
  const [, go] = useLocation()
  const leave = useMutation({
    mutationFn: () => api.call("POST /logout", { response: z.object({ logged_out: z.literal(true) }) }),
    onError: (error) => toast(`Still signed in: ${error.message}`, "err"),
    onSuccess: () => {
      browser.setState({ me: null, loggedOut: true })
      client.clear()
      go(paths.login())
    },
  })
  if (!me) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>
        Signed in as <strong>{me.owner}</strong> <span className="text-ink-3">({me.scopes.join(", ")})</span>
      </p>
      {me.csrf_token !== null && (
        <Button onClick={() => leave.mutate()} disabled={leave.isPending}>
          Sign out
        </Button>
      )}
    </div>
  )
}

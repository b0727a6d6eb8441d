import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { anything, object } from "../../api/decode.ts"
import { paths } from "./routes.ts"
import { useBrowser, useStudio, useToast } from "./studio.ts"

/** Signs this browser out. `signOut` is null if there is no login to end. */
export function useSignOut(): { busy: boolean; signOut: (() => void) | null } {
  const { api, browser } = useStudio()
  const hasLogin = useBrowser(({ me }) => me !== null && me.csrf_token !== null)
  const client = useQueryClient()
  const toast = useToast()
  const [, go] = useLocation()
  const leave = useMutation({
    mutationFn: () => api.call("POST /logout", { response: object({ logged_out: anything }) }),
    onError: (error) => toast(`Couldn't sign out: ${error.message}`, "err"),
    onSuccess: () => {
      browser.setState({ me: null, loggedOut: true })
      client.clear()
      go(paths.login())
    },
  })
  return { busy: leave.isPending, signOut: hasLogin ? () => leave.mutate() : null }
}

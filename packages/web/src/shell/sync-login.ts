import type { Me } from "@switchyard/core/people/access/schema"
import type { Studio } from "../session/context/studio.ts"

/**
 * Lets nothing of one person stand where another sits: what was read for the first is forgotten, and tabs, which share their
 * log-in, tell each other who came and who left.
 */
export function syncLogin({ browser, config, sessions }: Studio): void {
  if (config.auth_mode === "open") return
  const others = new BroadcastChannel(`switchyard.login ${config.api_base}`)
  browser.subscribe(({ me }, { me: before }) => {
    if (me?.owner !== before?.owner) sessions.clear()
    if (me?.csrf_token !== before?.csrf_token) others.postMessage(me)
  })
  others.onmessage = ({ data: me }: MessageEvent<Me | null>) => {
    const { me: mine } = browser.getState()
    if (me?.csrf_token === mine?.csrf_token) return
    // Somebody else's: nothing that is shown here is theirs.
    if (me && mine && me.owner !== mine.owner) return location.reload()
    browser.setState({ me, loggedOut: me === null })
  }
}

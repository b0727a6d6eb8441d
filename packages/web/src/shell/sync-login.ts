import type { Me } from "@switchyard/core/people/access/schema"
import type { Studio } from "../session/context/studio.ts"

/** Separates users who share a browser: clears the previous user's data, and keeps all tabs on the same login. */
export function syncLogin(studio: Studio): void {
  const { browser, config, sessions } = studio
  if (config.auth_mode === "open") return
  const others = new BroadcastChannel(`switchyard.login ${config.api_base}`)
  browser.subscribe(({ me }, { me: before }) => {
    if (me?.owner !== before?.owner) {
      sessions.clear()
      studio.streams?.close()
      studio.streams = null
    }
    if (me?.csrf_token !== before?.csrf_token) others.postMessage(me)
  })
  others.onmessage = ({ data: me }: MessageEvent<Me | null>) => {
    const { me: mine } = browser.getState()
    if (me?.csrf_token === mine?.csrf_token) return
    // Another user has logged in, so everything on this page must go.
    if (me && mine && me.owner !== mine.owner) return location.reload()
    browser.setState({ me, loggedOut: me === null })
  }
}

import { ApiError } from "../../api/client.ts"
import { MeDecoder } from "../../api/me.ts"
import type { Studio } from "../../session/context/studio.ts"

const TOKEN = /^#token=([\w-]+)$/

/** Returns true if the URL contains a token, like the one that a server prints when it starts. */
export function hasAddressToken({ hash }: Pick<Location, "hash">): boolean {
  return TOKEN.test(hash)
}

/** Removes the token from the URL, so that it doesn't end up in bookmarks or the tab's history. */
export function takeAddressToken({ hash, pathname, search }: Location, history: History): string | null {
  const token = TOKEN.exec(hash)?.[1] ?? null
  if (token !== null) history.replaceState(history.state, "", pathname + search)
  return token
}

/**
 * Signs in with the token from the URL. Does nothing if a user is already signed in, because a link must not change who
 * that is.
 */
export async function signInWith({ config, api, browser }: Studio, token: string): Promise<void> {
  if (config.auth_mode === "open") return
  try {
    const me = await api.call("GET /v1/me", { response: MeDecoder }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return api.call("POST /login", { body: { token }, response: MeDecoder })
    })
    browser.setState({ me, loggedOut: false })
  } catch (error) {
    // The sign-in page then asks for another token.
    if (!isRefusal(error)) throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorized"
}

import { ApiError } from "../../api/client.ts"
import { MeDecoder } from "../../api/me.ts"
import type { Studio } from "../../session/context/studio.ts"

const TOKEN = /^#token=([\w-]+)$/

/** Whether the address has a token, as the one that a server prints at its start. */
export function hasAddressToken({ hash }: Pick<Location, "hash">): boolean {
  return TOKEN.test(hash)
}

/** Takes the token out of the address, so that neither a bookmark nor the tab's history has it. */
export function takeAddressToken({ hash, pathname, search }: Location, history: History): string | null {
  const token = TOKEN.exec(hash)?.[1] ?? null
  if (token !== null) history.replaceState(history.state, "", pathname + search)
  return token
}

/** Signs in with the token of the address. A link must not change who somebody is, so this does nothing for a known user. */
export async function signInWith({ config, api, browser }: Studio, token: string): Promise<void> {
  if (config.auth_mode === "open") return
  try {
    const me = await api.call("GET /v1/me", { response: MeDecoder }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return api.call("POST /login", { body: { token }, response: MeDecoder })
    })
    browser.setState({ me, loggedOut: false })
  } catch (error) {
    // The sign-in page asks for another.
    if (!isRefusal(error)) throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorized"
}

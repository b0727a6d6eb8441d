import { LOGIN_MAX_MS } from "@switchyard/core/people/access/logins"
import type { Context } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { isLocalhostName } from "./loopback.ts"

/** Returns the secret of the browser's login, if there is one. */
export function loginCookie(c: Context): string | undefined {
  return getCookie(c, cookieOf(c).name)
}

/** Sends the login cookie to the browser. The server decides how long the login is valid, not the cookie. */
export function setLoginCookie(c: Context, secret: string): void {
  const { name, attributes } = cookieOf(c)
  setCookie(c, name, secret, { ...attributes, maxAge: Math.floor(LOGIN_MAX_MS / 1000) })
}

export function clearLoginCookie(c: Context): void {
  const { name, attributes } = cookieOf(c)
  deleteCookie(c, name, attributes)
}

/**
 * Returns the cookie's name and attributes. Scripts and other sites can't use the cookie. `__Host-` prevents other
 * hosts in the domain from setting it. Without TLS, the cookie is only sent to a browser on this machine, because that
 * traffic never leaves the machine.
 */
function cookieOf(c: Context) {
  const plain = new URL(c.req.url).protocol === "http:" && isLocalhostName(c.req.header("host") ?? "")
  return {
    name: plain ? "switchyard" : "__Host-switchyard",
    attributes: { httpOnly: true, sameSite: "Strict", path: "/", secure: !plain } as const,
  }
}

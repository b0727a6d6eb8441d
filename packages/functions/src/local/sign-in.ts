import { createHash } from "node:crypto"
import { rm } from "node:fs/promises"
import { userInfo } from "node:os"
import { formatSharedToken, tokenFile } from "@switchyard/core/people/access/token-file"
import { isLoopbackName } from "../http/guards.ts"
import { replaceSecret } from "./secrets.ts"

/** The address at which this machine's own programs reach a server that listens on `url`, be it on all addresses. */
export function localAddress(url: string): URL {
  const address = new URL(url)
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  if (address.hostname === "[::]") address.hostname = "[::1]"
  return address
}

/** The address that signs a browser in. What follows the `#` stays in the browser: no server, log or referrer has it. */
export function signInUrl(base: URL | string, token: string): string {
  return new URL(`/#token=${token}`, base).href
}

/**
 * The address under a name that only whoever has the token knows. Browsers send a log-in's cookie to every port of a name, so
 * under `127.0.0.1` they would send it to whatever an agent serves there; and they find `*.localhost` by themselves (RFC
 * 6761). Undefined where this machine's own address isn't the one to use.
 */
export function secretAddress(address: URL, token: string): URL | undefined {
  if (!isLoopbackName(address.host)) return undefined
  const name = createHash("sha256").update(`host ${token}`).digest("hex").slice(0, SECRET_NAME_CHARS)
  return new URL(`${address.protocol}//${name}.localhost:${address.port}`)
}

const SECRET_NAME_CHARS = 16

/**
 * Leaves the token where the command line of this user finds it. Resolves to what takes it away again: once the server is
 * gone, its port may be another program's.
 */
export async function shareToken(
  server: URL,
  token: string,
  env: Record<string, string | undefined>,
): Promise<() => Promise<void>> {
  // Not `HOME`: with sudo that may be another user's, who could not read the file, or remove its folder.
  const file = tokenFile(server, { env, home: userInfo().homedir })
  await replaceSecret(file, formatSharedToken({ token, pid: process.pid }))
  return () => rm(file, { force: true })
}

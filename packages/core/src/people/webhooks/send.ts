import { createHmac } from "node:crypto"
import { isAppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import { sendRequest } from "../../network/host-request.ts"

/** Sends one message to a URL. Returns undefined if the message was accepted, or else the reason why it wasn't. */
export type SendWebhook = (
  message: { url: string; secret: string; id: string; body: string },
  options: { signal: AbortSignal },
) => Promise<string | undefined>

const ANSWERED_WITHIN_MS = 10_000

/**
 * Creates a sender for URLs that callers choose. It only connects to allowed hosts, resolves the host for each
 * connection, and doesn't follow redirects. It ignores the response except for its status.
 */
export function createSendWebhook(deps: {
  hosts: Pick<HostPolicy, "allowsAny" | "check" | "lookupFor">
  clock: { now(): number }
}): SendWebhook {
  const { hosts, clock } = deps
  return async ({ url, secret, id, body }, { signal }) => {
    const target = new URL(url)
    const host = target.hostname
    try {
      if (!hosts.allowsAny) await hosts.check(host, { signal })
      const headers = {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "Switchyard",
        "switchyard-delivery": id,
        "switchyard-signature": signatureOf(secret, Math.floor(clock.now() / 1000), body),
      }
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)])
      const sent = { method: "POST", headers, body, lookup: hosts.lookupFor(host), signal: within }
      const response = await sendRequest(target, sent)
      const { statusCode: status = 0 } = response
      response.destroy()
      return status >= 200 && status < 300 ? undefined : `The URL responded with status ${status}.`
    } catch (error) {
      signal.throwIfAborted()
      return reasonOf(error)
    }
  }
}

/**
 * Returns a message's signature: the time of sending in Unix seconds, and an HMAC of the time and the body. It prevents
 * others from forging messages, and from replaying old messages as new ones.
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

/** Returns a reason that reveals nothing about forbidden hosts, not even whether they exist. */
function reasonOf(error: unknown): string {
  if (isAppError(error, "host_refused")) return error.message
  if (error instanceof Error && error.name === "TimeoutError") return "The URL didn't respond in time."
  return "The URL couldn't be reached."
}

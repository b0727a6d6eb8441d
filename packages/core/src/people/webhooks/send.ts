import { createHmac } from "node:crypto"
import { isAppError } from "../../errors.ts"
import type { HostPolicy } from "../../host-policy.ts"
import { sendRequest } from "../../host-request.ts"

/** Sends one message to an address. Resolves to why it wasn't taken, or to undefined if it was. */
export type SendWebhook = (
  message: { url: string; secret: string; id: string; body: string },
  options: { signal: AbortSignal },
) => Promise<string | undefined>

const ANSWERED_WITHIN_MS = 10_000

/**
 * Sends messages to addresses that callers named: only to hosts that may be reached, looked up for this very connection, and
 * wherever they redirect to, no further. What they answer is passed over, but for the status.
 */
export function createSendWebhook({
  hosts,
  clock,
}: {
  hosts: Pick<HostPolicy, "allowsAny" | "check" | "lookupFor">
  clock: { now(): number }
}): SendWebhook {
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
      return status >= 200 && status < 300 ? undefined : `The address answered with status ${status}.`
    } catch (error) {
      signal.throwIfAborted()
      return reasonOf(error)
    }
  }
}

/**
 * The signature of a message: when it was sent, in Unix seconds, and an HMAC of that and the body. So nobody can make one up,
 * and an old one can be told from a new one.
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

/** Words that say nothing of a host that may not be reached, not even whether it is there. */
function reasonOf(error: unknown): string {
  if (isAppError(error, "host_refused")) return error.message
  if (error instanceof Error && error.name === "TimeoutError") return "The address didn't answer in time."
  return "The address couldn't be reached."
}

import { isIP } from "node:net"
import type { Context } from "hono"
import * as z from "zod"

/**
 * Returns the client's network address. Trusts only the header that the proxy sets according to the configuration,
 * because clients can forge all other headers.
 */
export function clientAddress(
  c: Context,
  { clientAddressHeader }: { clientAddressHeader?: string | undefined },
): string {
  const { incoming, requestContext } = Connection.safeParse(c.env).data ?? {}
  const connected = incoming?.socket.remoteAddress ?? requestContext?.http.sourceIp ?? "unknown"
  const reported = clientAddressHeader && lastAddress(c.req.header(clientAddressHeader) ?? "")
  return reported || connected
}

/** Connection data provided by the local server's adapter or by Lambda. */
const Connection = z.object({
  incoming: z.object({ socket: z.object({ remoteAddress: z.string().optional() }) }).optional(),
  requestContext: z.object({ http: z.object({ sourceIp: z.string() }) }).optional(),
})

/**
 * Returns the last address in the list. A proxy appends its client's address to the list that it received, so only the
 * last entry comes from the proxy.
 */
function lastAddress(list: string): string | undefined {
  const last = list.split(",").at(-1)?.trim() ?? ""
  // Some proxies append the port, which is different for each connection.
  const { bracketed, plain } = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::\d+)?$/.exec(last)?.groups ?? {}
  return [last, bracketed, plain].find((address) => address !== undefined && isIP(address) !== 0)
}

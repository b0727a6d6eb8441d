import { isIP } from "node:net"
import type { Context } from "hono"
import * as z from "zod"

/**
 * The address of a request's sender, as the network knows it. A header counts only if the configuration names it, as the
 * one in which a proxy reports its client: senders can write whatever they like into all others.
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

/** The bindings of the local server's adapter, or of Lambda's. */
const Connection = z.object({
  incoming: z.object({ socket: z.object({ remoteAddress: z.string().optional() }) }).optional(),
  requestContext: z.object({ http: z.object({ sourceIp: z.string() }) }).optional(),
})

/** A proxy appends its client to the addresses that the client sent, so only the last is the proxy's own. */
function lastAddress(list: string): string | undefined {
  const last = list.split(",").at(-1)?.trim() ?? ""
  // Some proxies add the port, which is another one for each connection.
  const { bracketed, plain } = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::\d+)?$/.exec(last)?.groups ?? {}
  return [last, bracketed, plain].find((address) => address !== undefined && isIP(address) !== 0)
}

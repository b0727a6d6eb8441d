import type { Context } from "hono"
import * as z from "zod"

/** The address of a request's sender, as the network knows it: headers of the sender's own don't count. */
export function clientAddress(c: Context): string {
  const { incoming, requestContext } = Connection.safeParse(c.env).data ?? {}
  return incoming?.socket.remoteAddress ?? requestContext?.http.sourceIp ?? "unknown"
}

/** The bindings of the local server's adapter, or of Lambda's. */
const Connection = z.object({
  incoming: z.object({ socket: z.object({ remoteAddress: z.string().optional() }) }).optional(),
  requestContext: z.object({ http: z.object({ sourceIp: z.string() }) }).optional(),
})

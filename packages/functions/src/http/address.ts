import type { Context } from "hono"
import * as z from "zod"

/** Where a request came from, as far as the network says so: of what a caller says of itself, nothing counts. */
export function addressOf(c: Context): string {
  const { incoming, requestContext } = Connection.safeParse(c.env).data ?? {}
  return incoming?.socket.remoteAddress ?? requestContext?.http.sourceIp ?? "unknown"
}

/** What the local server's adapter brings along, or Lambda's. */
const Connection = z.object({
  incoming: z.object({ socket: z.object({ remoteAddress: z.string().optional() }) }).optional(),
  requestContext: z.object({ http: z.object({ sourceIp: z.string() }) }).optional(),
})

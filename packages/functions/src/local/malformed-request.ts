import type { Duplex } from "node:stream"
import { malformedRequest } from "../http/errors.ts"
import { respondAndClose } from "./respond-and-close.ts"

/** Status lines for invalid HTTP requests, by Node's error code. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
}

/** Responds to a request that Node couldn't parse. Unlike Node's own response, the response includes the reason. */
export async function rejectMalformed(error: Error & { code?: string }, connection: Duplex): Promise<void> {
  if (!connection.writable || error.code === "ECONNRESET") return void connection.destroy()
  const status = STATUS_LINES[error.code ?? ""] ?? "400 Bad Request"
  const body = await malformedRequest(error).text()
  const headers = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  respondAndClose(connection, status, headers, body)
}

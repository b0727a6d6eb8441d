import type { Duplex } from "node:stream"
import { unreadableRequest } from "../http/errors.ts"

/** Requests that Node refuses for another reason than that they aren't HTTP, by its errors' codes. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
}

/** Answers a request that Node couldn't parse, which it would do without a word of why. */
export async function answerNotHttp(error: Error & { code?: string }, connection: Duplex): Promise<void> {
  if (!connection.writable || error.code === "ECONNRESET") return void connection.destroy()
  const status = STATUS_LINES[error.code ?? ""] ?? "400 Bad Request"
  const body = await unreadableRequest(error).text()
  const headers = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  // Nothing reads from it any more, and so nothing would see that its other end is gone.
  connection.once("finish", () => connection.destroy())
  connection.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`)
}

import type { Duplex } from "node:stream"

/** Responds on a connection from which no request is read any more, and closes it. */
export function respondAndClose(connection: Duplex, status: string, headers: string[] = [], body = ""): void {
  // Nothing else would notice that its other end is gone.
  connection.once("finish", () => connection.destroy())
  connection.end([`HTTP/1.1 ${status}`, ...headers, "Connection: close", "", body].join("\r\n"))
}

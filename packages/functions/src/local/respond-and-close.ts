import type { Duplex } from "node:stream"

/** Responds on a connection that is no longer read, and closes it. */
export function respondAndClose(connection: Duplex, status: string, headers: string[] = [], body = ""): void {
  // Otherwise a lost connection would stay open unnoticed.
  connection.once("finish", () => connection.destroy())
  connection.end([`HTTP/1.1 ${status}`, ...headers, "Connection: close", "", body].join("\r\n"))
}

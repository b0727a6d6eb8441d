import type { Duplex } from "node:stream"

/** Responds on a connection that is no longer read, then closes the connection. */
export function respondAndClose(connection: Duplex, status: string, headers: string[] = [], body = ""): void {
  // Without this, a connection that the client dropped would stay open.
  connection.once("finish", () => connection.destroy())
  connection.end([`HTTP/1.1 ${status}`, ...headers, "Connection: close", "", body].join("\r\n"))
}

import type { Duplex } from "node:stream"

/** Answers on a connection that no request is read from any more, and closes it. */
export function closeWith(connection: Duplex, status: string, headers: string[] = [], body = ""): void {
  // Nothing would see that its other end is gone.
  connection.once("finish", () => connection.destroy())
  connection.end([`HTTP/1.1 ${status}`, ...headers, "Connection: close", "", body].join("\r\n"))
}

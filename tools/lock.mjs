// Locks that allow one process at a time per name on this machine. Runs on Node 20 with nothing installed.
import { createHash } from "node:crypto"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Waits for the lock with this name, and holds it until this process ends. The lock is a listening socket, which the
 * system closes however the process ends. Returns its file descriptor if there is one: a child process that inherits it
 * also holds the lock, even if this process is killed. Calls `onWait` once if it has to wait.
 */
export async function acquireLock(name, onWait) {
  const path = addressOf(createHash("sha256").update(name).digest("hex").slice(0, 32))
  let waited = false
  for (;;) {
    const server = createServer((socket) => socket.on("error", () => {}).unref())
    try {
      server.listen(path)
      await once(server, "listening")
      server.unref()
      return server._handle?.fd
    } catch (error) {
      // If locks are unavailable, continue without one.
      if (error.code !== "EADDRINUSE") return undefined
    }
    if (!waited) onWait()
    waited = true
    await untilReleased(path)
  }
}

/** Waits until the lock is released. The holder never accepts the connection, which lasts as long as the lock. */
async function untilReleased(path) {
  const socket = connect(path)
  try {
    await new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject).resume())
  } catch (error) {
    // The holder was killed: its socket file remains, but nothing is listening.
    if (error.code === "ECONNREFUSED" && !path.startsWith("\0")) rmSync(path, { force: true })
  }
}

/** Returns the socket's address. On Linux and Windows, it disappears with its listener; elsewhere, a file remains. */
function addressOf(id) {
  if (process.platform === "linux") return `\0switchyard-${id}`
  if (process.platform === "win32") return `\\\\.\\pipe\\switchyard-${id}`
  return join(tmpdir(), `switchyard-${id}.sock`)
}

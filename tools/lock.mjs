// One process at a time, of all that ask for the same name on this machine. Runs on Node 20 with nothing installed.
import { createHash } from "node:crypto"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Waits until nobody holds the lock of this name, and holds it until this process ends, however it ends: the lock is a
 * socket that is listened on, which the system closes. Resolves to its file descriptor, where there is one: a child that
 * inherits it holds the lock, too, if this process is killed. Calls `onWait` once, if it has to wait.
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
      // Where no lock can be had, the work is done without one.
      if (error.code !== "EADDRINUSE") return undefined
    }
    if (!waited) onWait()
    waited = true
    await untilReleased(path)
  }
}

/** The holder accepts nothing and says nothing: the connection lasts as long as the lock. */
async function untilReleased(path) {
  const socket = connect(path)
  try {
    await new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject).resume())
  } catch (error) {
    // A file that nobody listens on was left by a holder that was killed.
    if (error.code === "ECONNREFUSED" && !path.startsWith("\0")) rmSync(path, { force: true })
  }
}

/** On Linux and Windows it is gone with whoever listens on it; elsewhere a file stays. */
function addressOf(id) {
  if (process.platform === "linux") return `\0switchyard-${id}`
  if (process.platform === "win32") return `\\\\.\\pipe\\switchyard-${id}`
  return join(tmpdir(), `switchyard-${id}.sock`)
}

// Runs a project's server while people view it. A sandbox without the machine's network can't accept connections from
// outside, so this program connects to the runner's socket ahead of each request.
// Arguments: the socket, and JSON with the `command`; `limitMs`, its time to start; `isAlone`, true if nothing else
// listens on ports here; and the server's `port`, if it was configured.
import { connect } from "node:net"
import { startServer } from "./started-server.js"

const [socket, about] = process.argv.slice(2)
const { command, limitMs, isAlone, port: setPort } = JSON.parse(about)
/**
 * Number of connections kept ready for a browser: as many as it opens at once, and a few more for connections that stay
 * open.
 */
const WAITING = 12
const AGAIN_AFTER_MS = 250

const server = await startServer(command, {
  ...{ limitMs, isAlone, port: setPort },
  onExit: end,
  onAnswer(answer) {
    const where = setPort === undefined ? "" : ` on port ${setPort}`
    if (!answer) return end(1, `It didn't respond to HTTP requests${where} within ${limitMs / 1000} s.`)
    for (let each = 0; each < WAITING; each++) wait(answer)
  },
})

/**
 * Connects to the runner. When the first byte arrives, connects to the project's server and opens another waiting
 * connection.
 */
function wait({ host, port }) {
  const browser = connect(socket)
  let isNeeded = true
  const again = (afterMs) => {
    if (isNeeded) setTimeout(wait, afterMs, { host, port })
    isNeeded = false
  }
  browser.once("data", (first) => {
    again(0)
    browser.pause()
    const project = connect(port, host)
    project.on("error", () => browser.destroy())
    project.on("close", () => browser.destroy())
    browser.on("close", () => project.destroy())
    project.write(first)
    browser.pipe(project)
    project.pipe(browser)
  })
  browser.on("error", () => browser.destroy())
  browser.on("close", () => again(AGAIN_AFTER_MS))
}

function end(code, words) {
  server?.kill()
  setTimeout(() => {
    console.log(words)
    process.exit(code)
  }, 100)
}

// Shows that a project starts: runs its start command, and asks what it serves for its first page. Ends with 0 if it answers,
// if it goes on without listening, or if it ends well by itself; the last line says which.
//
// Arguments: the command, for how long it may start, in milliseconds, and `alone` if nothing else has ports here.
import { startServer } from "./started-server.js"

const [command, limitMs, others] = process.argv.slice(2)

const server = await startServer(command, {
  limitMs: Number(limitMs),
  isAlone: others === "alone",
  onExit: end,
  onAnswer(answer) {
    if (!answer) return end(0, "It went on running, and answered no HTTP request.")
    const { status, port } = answer
    end(status < 500 ? 0 : 1, `It answered GET / on port ${port} with status ${status}.`)
  },
})

function end(code, words) {
  server?.kill()
  // After what it has printed.
  setTimeout(() => {
    console.log(words)
    process.exit(code)
  }, 100)
}

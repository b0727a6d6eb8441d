// Repeats a user's first steps with a fresh checkout: npm start, a run, its files and their tests, npm test. Runs
// inside the checkout, on any Node.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"

const began = Date.now()
const server = spawn("npm", ["start"], { stdio: ["ignore", "pipe", "inherit"], detached: true })
const ended = once(server, "exit")
const url = await Promise.race([listening(), ended.then(() => undefined)])
if (url === undefined) fail("npm start exited before it was listening.")
note(`npm start is listening on ${url}`)

const run = ["switchyard", "run", "Build a tiny URL shortener with tests", "--out", "../shortener"]
const { status } = spawnSync("npx", run, { stdio: "inherit", env: { ...process.env, SWITCHYARD_URL: url } })
if (status !== 0) fail(`The run exited with ${status}.`)
const files = readdirSync("../shortener")
if (files.length < 3) fail(`The run didn't create a project: ${files.join(", ")}`)
note(`the run created ${files.join(", ")}`)
if (spawnSync("npm", ["test"], { cwd: "../shortener", stdio: "inherit" }).status !== 0)
  fail("The project's own tests failed.")
note("the project's own tests passed")

process.kill(-server.pid, "SIGINT")
await ended
const tests = spawnSync("npm", ["test"], { stdio: "inherit", env: { ...process.env, SKIPPED_TESTS: "../skipped" } })
note("npm test ended")
process.exit(tests.status ?? 1)

async function listening() {
  let said = ""
  for await (const text of server.stdout.setEncoding("utf8")) {
    process.stdout.write(text)
    said += text
    const found = /listening on (\S+)/.exec(said)?.[1]
    if (found) return found
  }
}

function note(text) {
  console.log(`[${((Date.now() - began) / 1000).toFixed(0)} s] ${text}`)
}

function fail(text) {
  console.error(text)
  if (server.exitCode === null) process.kill(-server.pid, "SIGINT")
  process.exit(1)
}

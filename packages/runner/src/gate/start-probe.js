// Checks that a project starts: runs its start command or serves its files, and requests its first page, in a browser
// if there is one. Exits with 0 if the page responds without errors, if the program keeps running without listening, or
// if it exits successfully. The last line of output says which of these happened. Runs next to the project, because the
// project's sandbox can't accept connections from outside.
// The argument is JSON: `command`, or `page` (the path of a file); `limitMs`, the time to start; `failsFrom`, the first
// status that fails; `isAlone`, true if nothing else listens on ports here; and, if there is a browser, `browser` and
// `results`, the folder for its results.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openPage } from "./open-page.js"
import { serveFiles } from "./served-files.js"
import { startServer } from "./started-server.js"

const { command, page, limitMs, failsFrom, isAlone, browser, results } = JSON.parse(process.argv[2])

const server =
  command === undefined ? undefined : await startServer(command, { limitMs, isAlone, onExit: end, onAnswer })
if (page !== undefined) {
  const port = await serveFiles(process.cwd())
  const found = await look(`http://127.0.0.1:${port}/${page}`)
  if (!found) end(0, "No browser could open it.")
  else judge(found, page, `A browser opened ${page}`)
}

async function onAnswer(answer) {
  if (!answer) return end(0, "It kept running but didn't respond to HTTP requests.")
  const { status, host, port, isPage } = answer
  const answered = `It responded to GET / on port ${port} with status ${status}`
  if (status >= failsFrom) return end(1, `${answered}.`)
  if (!browser || !isPage || status >= 400) return end(0, `${answered}.`)
  const found = await look(`http://${host.includes(":") ? `[${host}]` : host}:${port}/`)
  if (!found) end(0, `${answered}; no browser could open its page.`)
  else judge(found, "its page", `${answered}, and a browser opened its page`)
}

/**
 * Judges a page. If the page needed other sites, its errors and emptiness are ignored, but its own missing files count.
 */
function judge(found, what, opened) {
  const { faults, others } = found
  for (const words of wordsOf(found)) console.log(words)
  if (faults.length > 0) return end(1, `A browser opened ${what}, which doesn't work: ${faults[0]}`)
  if (others.length > 0) return end(0, `${opened}; resources from ${others.slice(0, 3).join(", ")} were unavailable.`)
  const [words] = wordsOf(found)
  if (words !== undefined) return end(1, `A browser opened ${what}, which fails: ${words}`)
  end(0, `${opened} without errors.`)
}

/** Describes a page's faults. Mentions emptiness only if nothing else explains it. */
function wordsOf({ faults, errors, isEmpty }) {
  const words = [...faults, ...errors]
  return isEmpty && words.length === 0 ? ["it remains empty although it has scripts"] : words
}

/** Opens a page and writes the results for the runner. */
async function look(url) {
  if (!browser) return undefined
  const found = await openPage(url, { browser, profile: join(results, "profile") })
  if (!found) return undefined
  const { png, others } = found
  mkdirSync(results, { recursive: true })
  if (png) writeFileSync(join(results, "page.png"), png)
  writeFileSync(join(results, "page.json"), JSON.stringify({ errors: wordsOf(found), others }))
  return found
}

function end(code, words) {
  server?.kill()
  // Wait until the server's output has been printed.
  setTimeout(() => {
    console.log(words)
    process.exit(code)
  }, 100)
}

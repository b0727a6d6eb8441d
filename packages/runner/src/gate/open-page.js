// Opens a page in a browser once, and reports its errors and a picture. The browser is driven by a pipe, because a
// debugging port would look like one of the project's. Plain JavaScript, so that any version of Node runs it.
import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { collectFaults, DOMAINS } from "./page-faults.js"

/** Common screen size. Drawn at half the resolution, because the picture is shown small. */
const SCREEN = { width: 1280, height: 800, deviceScaleFactor: 0.5, mobile: false }
const STARTS_WITHIN_MS = 20_000
const LOADS_WITHIN_MS = 10_000
/** Scripts may fail a moment after the page has loaded. */
const SETTLES_AFTER_MS = 600
/** Extra time for applications that ask their server before they draw anything. */
const DRAWS_WITHIN_MS = 3000
/** A page that draws nothing for this long isn't slow: one of its scripts runs forever. */
const ANSWERS_WITHIN_MS = 20_000

const FLAGS = [
  "--headless=new",
  "--remote-debugging-pipe",
  // The browser is already in the project's sandbox, and can't create another one inside it.
  "--no-sandbox",
  "--no-first-run",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-breakpad",
  // Allows only the project itself, even if no sandbox enforces that.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]",
]

/**
 * Opens a page, in up to two tries. Returns undefined if no browser got that far. Faults are those of `collectFaults`,
 * and no other host can be reached. `isEmpty` is true if the page's scripts draw nothing. `png` is missing if the page
 * never came to rest. Takes at most 102 seconds, because a browser may die at the end of the first try.
 *
 * @param {string} url
 * @param {{ browser: string, profile: string }} about
 * @returns {Promise<{ errors: string[], faults: string[], others: string[], isEmpty: boolean, png?: Buffer } | undefined>}
 */
export async function openPage(url, about) {
  // A browser may die as it starts, or starve on a busy machine. Then its try proves nothing.
  return (await openOnce(url, about)) ?? (await openOnce(url, about))
}

async function openOnce(url, { browser, profile }) {
  const args = [...FLAGS, `--user-data-dir=${profile}`, "about:blank"]
  // The browser creates a socket there, whose path must be short.
  const env = { ...process.env, TMPDIR: "/tmp" }
  const child = spawn(browser, args, { env, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] })
  const gone = new Promise((_, reject) => child.on("error", reject).on("exit", () => reject(new Error("It ended."))))
  gone.catch(() => {})
  try {
    const page = await within(STARTS_WITHIN_MS, Promise.race([goTo(connect(child), url), gone]))
    return page && (await Promise.race([watch(page), page.crashed, gone]))
  } catch {
    return undefined
  } finally {
    child.kill("SIGKILL")
  }
}

/** Returns the promise's result, or undefined after `ms`. */
function within(ms, promise) {
  return Promise.race([promise, sleep(ms, undefined, { ref: false })])
}

/** Navigates a browser to a page, and listens to it from the start. */
async function goTo({ ask, on }, url) {
  const { targetInfos } = await ask("Target.getTargets")
  const { targetId } = targetInfos.find(({ type }) => type === "page")
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true })
  const inPage = (method, params) => ask(method, params, sessionId)
  const found = collectFaults(on, url)
  // Without an answer, a page that opens a dialog would wait forever.
  on("Page.javascriptDialogOpening", () => inPage("Page.handleJavaScriptDialog", { accept: true }).catch(() => {}))
  const crashed = new Promise((_, reject) => on("Inspector.targetCrashed", () => reject(new Error("It crashed."))))
  crashed.catch(() => {})

  for (const domain of ["Inspector", "Page", ...DOMAINS]) await inPage(`${domain}.enable`)
  await inPage("Emulation.setDeviceMetricsOverride", SCREEN)
  const blank = (await inPage("Page.getFrameTree")).frameTree.frame
  // The blank page loads too, and on a busy machine perhaps only now.
  const loaded = new Promise((resolve) =>
    on("Page.lifecycleEvent", ({ name, frameId, loaderId }) => {
      if (name === "load" && frameId === blank.id && loaderId !== blank.loaderId) resolve()
    }),
  )
  await inPage("Page.setLifecycleEventsEnabled", { enabled: true })
  const { errorText } = await inPage("Page.navigate", { url })
  if (errorText) throw new Error(errorText)
  return { inPage, found, loaded, crashed }
}

/** Waits until a page has loaded and settled. A page that keeps loading, as from a stream, is taken as it is. */
async function watch({ inPage, found, loaded }) {
  const { errors, faults, others } = found
  await within(LOADS_WITHIN_MS, loaded)
  await sleep(SETTLES_AFTER_MS)
  const shown = await within(ANSWERS_WITHIN_MS, captureShown(inPage))
  if (!shown) faults.push(`for ${ANSWERS_WITHIN_MS / 1000} seconds it drew nothing, as if a script of it never ended`)
  return { errors, faults, others: [...others], isEmpty: false, ...shown }
}

/** Captures a page. An empty page gets some more time to draw something. */
async function captureShown(inPage) {
  let isEmpty = await isStillEmpty(inPage)
  if (isEmpty) {
    await sleep(DRAWS_WITHIN_MS)
    isEmpty = await isStillEmpty(inPage)
  }
  const { data } = await inPage("Page.captureScreenshot", { format: "png" })
  return { isEmpty, png: Buffer.from(data, "base64") }
}

async function isStillEmpty(inPage) {
  const { result } = await inPage("Runtime.evaluate", { expression: `(${isEmptyPage})()`, returnByValue: true })
  return result.value === true
}

/** Runs in the page. True if it has scripts, which should draw something, but no text and no visible element. */
function isEmptyPage() {
  const { body, scripts } = document
  if (!body || scripts.length === 0 || body.innerText.trim() !== "") return false
  return [...body.querySelectorAll("*")].every((element) => element.offsetWidth * element.offsetHeight === 0)
}

/** Connects to the browser's protocol over its pipe: JSON messages, each followed by a zero byte. */
function connect(child) {
  const [, , , outgoing, incoming] = child.stdio
  const waiting = new Map()
  const listeners = new Map()
  let last = 0
  let rest = ""
  outgoing.on("error", () => {})
  incoming.on("error", () => {})
  incoming.setEncoding("utf8")
  incoming.on("data", (chunk) => {
    const messages = (rest + chunk).split("\0")
    rest = messages.pop()
    for (const message of messages) receive(JSON.parse(message))
  })

  function receive({ id, method, params, result, error }) {
    if (id === undefined) return listeners.get(method)?.(params)
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  }

  return {
    on: (method, listener) => listeners.set(method, listener),
    ask(method, params = {}, sessionId) {
      const id = ++last
      outgoing.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
  }
}

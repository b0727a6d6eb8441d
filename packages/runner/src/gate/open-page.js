// Opens a page in a browser and reports its errors and a screenshot. The browser is controlled over a pipe, because a
// debugging port could be mistaken for one of the project's own ports. Plain JavaScript, because any version of Node
// must be able to run it.
import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { collectFaults, DOMAINS } from "./page-faults.js"

/** Common screen size, at half the resolution because screenshots are shown small. */
const SCREEN = { width: 1280, height: 800, deviceScaleFactor: 0.5, mobile: false }
const STARTS_WITHIN_MS = 20_000
const LOADS_WITHIN_MS = 10_000
/** Time to wait after a page has loaded, because scripts may fail shortly after that. */
const SETTLES_AFTER_MS = 600
/** Extra time for applications that query their server before drawing anything. */
const DRAWS_WITHIN_MS = 3000
/** Time limit for showing the page. Only a script that never ends makes a page exceed it. */
const ANSWERS_WITHIN_MS = 20_000

const FLAGS = [
  "--headless=new",
  "--remote-debugging-pipe",
  // The browser already runs in the project's sandbox and can't create a nested one.
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
  // Allow access only to the project itself, even if no sandbox enforces it.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]",
]

/**
 * Opens a page in up to two attempts. Returns undefined if both fail. Faults come from `collectFaults`. No other host
 * can be reached. `isEmpty` is true if the page's scripts draw nothing. `png` is missing if the page never became idle.
 * Takes up to 102 seconds, because the browser may die at the end of the first attempt.
 *
 * @param {string} url
 * @param {{ browser: string, profile: string }} about
 * @returns {Promise<{ errors: string[], faults: string[], others: string[], isEmpty: boolean, png?: Buffer } |
 * undefined>}
 */
export async function openPage(url, about) {
  // The browser may die while starting, or get too little CPU time on a busy machine. Such an attempt proves nothing.
  return (await openOnce(url, about)) ?? (await openOnce(url, about))
}

async function openOnce(url, { browser, profile }) {
  const args = [...FLAGS, `--user-data-dir=${profile}`, "about:blank"]
  // The browser creates a socket in TMPDIR, whose path must be short.
  const env = { ...process.env, TMPDIR: "/tmp" }
  const child = spawn(browser, args, { env, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] })
  const gone = new Promise((_, reject) =>
    child.on("error", reject).on("exit", () => reject(new Error("The browser exited."))),
  )
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

/** Returns the promise's result, or undefined after `ms` milliseconds. */
function within(ms, promise) {
  return Promise.race([promise, sleep(ms, undefined, { ref: false })])
}

/** Navigates the browser to a page, listening to its events from the start. */
async function goTo({ ask, on }, url) {
  const { targetInfos } = await ask("Target.getTargets")
  const { targetId } = targetInfos.find(({ type }) => type === "page")
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true })
  const inPage = (method, params) => ask(method, params, sessionId)
  const found = collectFaults(on, url)
  // Accept dialogs. Otherwise, the page would wait for an answer forever.
  on("Page.javascriptDialogOpening", () => inPage("Page.handleJavaScriptDialog", { accept: true }).catch(() => {}))
  const crashed = new Promise((_, reject) =>
    on("Inspector.targetCrashed", () => reject(new Error("The page crashed."))),
  )
  crashed.catch(() => {})

  for (const domain of ["Inspector", "Page", ...DOMAINS]) await inPage(`${domain}.enable`)
  await inPage("Emulation.setDeviceMetricsOverride", SCREEN)
  const blank = (await inPage("Page.getFrameTree")).frameTree.frame
  // Ignore the blank page. On a busy machine, it may finish loading only now.
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

/** Waits until a page has loaded and become idle. Gives up on a page that never finishes loading. */
async function watch({ inPage, found, loaded }) {
  const { errors, faults, others } = found
  await within(LOADS_WITHIN_MS, loaded)
  await sleep(SETTLES_AFTER_MS)
  const shown = await within(ANSWERS_WITHIN_MS, captureShown(inPage))
  if (!shown)
    faults.push(`it drew nothing for ${ANSWERS_WITHIN_MS / 1000} seconds, as if one of its scripts never ended`)
  return { errors, faults, others: [...others], isEmpty: false, ...shown }
}

/** Takes a screenshot. Gives an empty page some more time to draw something. */
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

/** Runs in the page. True if the page has scripts, which should draw something, but no text or visible elements. */
function isEmptyPage() {
  const { body, scripts } = document
  if (!body || scripts.length === 0 || body.innerText.trim() !== "") return false
  return [...body.querySelectorAll("*")].every((element) => element.offsetWidth * element.offsetHeight === 0)
}

/** Connects to the browser over its pipe. Messages are JSON, each followed by a zero byte. */
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

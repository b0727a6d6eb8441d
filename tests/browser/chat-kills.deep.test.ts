import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { count } from "../../packages/web/src/features/chat/count.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../faults/processes.ts"
import type { RecordedRequest, Turn } from "../fixtures/model-server/script.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { inChromium, type Suite } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import { startWire } from "./harness/wire.ts"

const TURNS = 20
/** Turn that commits the files instead of sending a message. */
const COMMIT_AT = 10
/** Turn that the user stops. */
const STOP_AT = 7
/** Turns whose edit searches for a line that doesn't exist. */
const FAILING = [4, 16]

/** Moments of a turn at which the test kills the server. */
type Moment =
  | ("sending" | "accepted")
  | ("asked" | "half answered" | "wholly answered")
  | ("settled" | "summarising" | "committing")

const KILLS: Readonly<Record<number, Moment>> = {
  2: "asked",
  3: "half answered",
  4: "accepted",
  5: "wholly answered",
  6: "sending",
  8: "settled",
  [COMMIT_AT]: "committing",
  12: "half answered",
  14: "accepted",
  15: "asked",
  16: "summarising",
  18: "wholly answered",
  20: "half answered",
}

/** Moments that only the model server can detect. */
const OF_THE_MODEL: ReadonlySet<Moment> = new Set(["asked", "half answered", "wholly answered", "committing"])

const beginning = (n: number) => ["I think about", ` line ${n}, `]
/** Text long enough that the conversation is summarized once. */
const MIDDLE = "and the more one thinks about it, the more lines there are. ".repeat(120)
const COMMIT_MESSAGE = "docs: note the lines"

inChromium("a conversation of twenty turns", ({ visit }) => {
  it("has the same messages, files and figures, however often the server is killed meanwhile", async () => {
    const undisturbed = await converse(visit, {})
    expect(undisturbed.deaths).toBe(0)
    const disturbed = await converse(visit, KILLS)
    expect(disturbed).toEqual({ ...undisturbed, deaths: Object.keys(KILLS).length })
  })
})

/** Holds the conversation in a browser, and returns what remains of it afterwards. */
async function converse(visit: Suite["visit"], kills: Readonly<Record<number, Moment>>) {
  await using folder = await temporaryFolder()
  /**
   * Requests to the model that the test waits for, by subject. Unless the moment is "wholly answered", the model hangs.
   */
  const awaited = new Map<string, { at: Moment; reached: PromiseWithResolvers<void> }>()
  const expectAt = (subject: string, at: Moment) => {
    const reached = Promise.withResolvers<void>()
    awaited.set(subject, { at, reached })
    return reached.promise
  }
  const models = await startModelServer((request) => {
    const subject = subjectOf(request)
    const turn = turnFor(subject, request)
    const wanted = awaited.get(subject)
    awaited.delete(subject)
    if (wanted?.at !== "wholly answered") wanted?.reached.resolve()
    else void request.closed.then(() => wanted.reached.resolve())
    if (wanted && !wanted.at.endsWith("answered")) return { ...turn, fault: { kind: "hang", afterFrames: 0 } }
    const isHalf = wanted?.at === "half answered" || subject === String(STOP_AT)
    return isHalf ? { ...turn, fault: { kind: "hang", afterFrames: 1 + beginning(0).length } } : turn
  })
  let server: ServerProcess = startServer(folder.path, models.url)
  await using wire = await startWire((await server.url) ?? "")
  let deaths = 0
  const kill = async () => {
    deaths++
    server.kill("SIGKILL")
    await server.ended
  }
  const start = async () => {
    server = startServer(folder.path, models.url)
    wire.aim((await server.url) ?? "")
  }
  const ask: Ask = async (method, path, json) => {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(wire.url + path, { method, headers, body: json && JSON.stringify(json) })
    return answer.json()
  }

  try {
    const { id } = await ask("POST", "/api/v1/sessions", {})
    for (const [path, content] of Object.entries({ "log.md": "Line 0\n", "readme.md": "A log.\n" })) {
      await ask("PUT", `/workspace/file?workspace_id=${id}`, { path, content })
    }
    await ask("PUT", `/api/v1/sessions/${id}/chat/selection`, { files: ["log.md"] })
    await using visitor = await visit(`${wire.url}/s/${id}/chat`)
    const { page } = visitor
    const screen = onChatScreen(page)

    for (let n = 1; n <= TURNS; n++) {
      const at = kills[n]
      const reached = at && OF_THE_MODEL.has(at) ? expectAt(n === COMMIT_AT ? "commit" : String(n), at) : undefined
      const summarising = at === "summarising" ? expectAt("summary", at) : undefined
      const isLost = at === "sending" || at === "accepted"
      if (isLost) {
        let isSent = false
        await page.route(/\/chat$/, async (route) => {
          if (route.request().method() !== "POST" || isSent) return route.fallback()
          isSent = true
          // The server accepts the message, but its response never reaches the page.
          if (at === "accepted") await route.fetch()
          await kill()
          await route.abort()
        })
      }
      if (n === COMMIT_AT) await screen.commit()
      else await screen.send(`${n}. Write line ${n}`)
      if (isLost) {
        await page.getByRole("form", { name: "Next message" }).getByRole("alert").waitFor()
        await start()
        if (at === "sending") await screen.send()
      }
      if (reached) {
        await reached
        if (at === "half answered") await screen.says(beginning(n).join("").trim())
        await kill()
        await start()
      }
      if (n === STOP_AT) {
        await screen.says(beginning(n).join("").trim())
        await screen.stop()
      }
      await screen.says(n === COMMIT_AT ? COMMIT_MESSAGE : n === STOP_AT ? "[stopped]" : lastWords(n))
      await screen.isIdle()
      await summarising
      if (at === "settled" || at === "summarising") {
        await kill()
        await start()
      }
    }
    const left = await leftOf(id, ask)
    const figures = async () => {
      const shown = await screen.figures()
      // The page loads the figures with two requests, and either may still be pending.
      const isWhole =
        shown.includes(`Turns\n${TURNS}`) && shown.includes(`History ${count(left.context.history_tokens)}`)
      return isWhole ? shown : "not all of it yet"
    }
    await until(figures).not.toBe("not all of it yet")
    const shown = await figures()
    await page.reload()
    await until(figures).toBe(shown)
    return { deaths, shown, ...left }
  } finally {
    server.kill("SIGKILL")
    await server.ended
    await models.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent
type Ask = (method: string, path: string, json?: object) => Promise<any>

/** Returns a session's messages, files and totals, without ids and times, which differ between runs. */
async function leftOf(id: string, ask: Ask) {
  const { messages, totals, selected_files, compaction } = await ask("GET", `/api/v1/sessions/${id}/chat`)
  const { context } = await ask("GET", `/api/v1/sessions/${id}/chat/context`)
  const { files } = await ask("GET", `/api/v1/sessions/${id}/chat/files`)
  const texts: Record<string, string> = {}
  for (const { path } of files) {
    texts[path] = (await ask("GET", `/workspace/file?workspace_id=${id}&path=${path}`)).content
  }
  const timeless = messages.map(({ seq, end_seq, ts, request_id, ...message }: Record<string, unknown>) => message)
  const places = new Map(messages.map(({ seq }: { seq: number }, at: number) => [`history:${seq}`, `history:#${at}`]))
  const placed = JSON.stringify(context).replaceAll(/history:[1-9]\d*/g, (key) => String(places.get(key) ?? key))
  return {
    ...{ messages: timeless, totals, selected_files, summary: compaction.summary, texts },
    context: JSON.parse(placed),
  }
}

function onChatScreen(page: Page) {
  const log = page.getByRole("log", { name: "Conversation" })
  const field = page.getByRole("textbox", { name: "Message" })
  const button = (name: string) => page.getByRole("button", { name, exact: true })
  return {
    async send(message?: string) {
      if (message !== undefined) {
        await until(() => field.inputValue()).toBe("")
        await field.fill(message)
      }
      await button("Send").click()
    },
    stop: () => button("Stop").click(),
    commit: () => button("Commit").click(),
    says: (text: string) => until(() => log.innerText()).toContain(text),
    isIdle: () => button("Send").waitFor(),
    figures: () => page.getByRole("region", { name: "Context" }).innerText(),
  }
}

/** Returns the subject of a request to the model: the turn's number, "commit", "summary" or "nothing". */
function subjectOf({ body }: RecordedRequest): string {
  const [{ content: system }] = body.messages
  if (String(system).startsWith("You write the message of a git commit")) return "commit"
  if (String(system).startsWith("You read a conversation")) return "summary"
  const asked = JSON.stringify(body.messages.at(-1).content)
  return /(\d+)\. Write line/.exec(asked)?.[1] ?? "nothing"
}

function turnFor(subject: string, { body }: RecordedRequest): Turn {
  if (subject === "commit") return { text: [COMMIT_MESSAGE] }
  if (subject === "summary") {
    return { json: { boundary: null, confidence: 0, summary: "A log gets one line after the other." } }
  }
  const line = FAILING.includes(Number(subject)) ? "No line" : "Line 0"
  const edit = `log.md\n<<<< EDIT\n${line}\n==== REPLACE\n${line}\nLine ${subject}\n>>>> EDIT END\n\n`
  // Usage depends on the prompt's length, so the figures reveal any difference between two prompts.
  const input = JSON.stringify(body.messages).length
  return {
    text: [...beginning(Number(subject)), MIDDLE, `\n\n${edit}`, lastWords(Number(subject))],
    usage: { input, output: 100, cacheRead: Math.floor(input / 3) },
  }
}

const lastWords = (n: number) => `That was line ${n}.`

import { AppError } from "@switchyard/core/errors"
import { ModelError } from "@switchyard/core/models/errors"
import type { ModelRequest } from "@switchyard/core/models/provider"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import { readPage } from "@switchyard/core/work/pages/read-page"
import { expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { openChatBench } from "./chat-bench.ts"

const asked: string[] = []
const fetchPage: FetchPage = async (url) => {
  asked.push(url)
  if (url.includes("gone"))
    throw new AppError("invalid_request", "Can't fetch this URL. The server responded with status 404.")
  return { url, mediaType: "text/html", text: `<title>Leases</title><p>Of ${new URL(url).pathname}</p>` }
}

it("a turn reads the pages that its message names, and the next turns are shown them, too", async () => {
  const bench = await openChatBench(undefined, { fetchPage })
  const model = createScriptedProvider(() => textAnswer("Yes."))
  const turn = async (content: string, excludedUrls: string[] = []) => {
    await bench.execute(await bench.ask(content, { excludedUrls }), model)
    return (model.requests.at(-1) as ModelRequest).messages.map(({ content }) => String(content)).join("\n")
  }
  const blob = "https://github.com/o/r/blob/main/a.ts"
  const shown = await turn(`What do https://a.example/x, https://a.example/gone and ${blob} say?`)
  expect(asked).toEqual([
    "https://a.example/x",
    "https://a.example/gone",
    "https://raw.githubusercontent.com/o/r/main/a.ts",
  ])
  expect(shown).toContain("# URL Context")
  expect(shown).toContain("## https://a.example/x\n**Leases**\n\nOf /x")
  expect(shown).toContain(`## ${blob}\n**Leases**`)
  const [, answer] = await bench.messages()
  expect(answer?.result).toMatchObject({
    url_context: ["https://a.example/x", blob],
    notice: "Couldn't read https://a.example/gone. Can't fetch this URL. The server responded with status 404.",
  })
  expect(await turn("And?")).toContain("Of /x")
  expect(await turn("Without https://a.example/x", ["https://a.example/x"])).not.toContain("Of /x")
  expect(asked).toHaveLength(3)
  // A page read within the last day comes from the log. A page that couldn't be read is requested again.
  expect(await turn("Once more: https://a.example/x and https://a.example/gone")).toContain("Of /x")
  expect(asked.slice(3)).toEqual(["https://a.example/gone"])
  await bench.close()
})

it("a repository's address is read as its README, and says that nothing else was read", async () => {
  const seen: string[] = []
  const fetching: FetchPage = async (url) => {
    seen.push(url)
    if (/README/.test(url) && !url.includes("/o/r/")) throw new AppError("invalid_request", "Status 404.")
    return { url, mediaType: "text/plain", text: `Of ${new URL(url).pathname}` }
  }
  const { signal } = new AbortController()
  const read = (url: string) => readPage({ fetchPage: fetching }, url, signal)
  for (const url of [
    "https://github.com/o/r",
    "https://github.com/o/r.git",
    "https://github.com/o/r/?tab=readme#use",
  ]) {
    const { text, error } = await read(url)
    expect([error, text]).toEqual([
      null,
      expect.stringMatching(/only its README.*open a session.*\n\nOf \/o\/r\/HEAD\/README/s),
    ])
  }
  expect(await read("https://github.com/topics/react")).toMatchObject({ text: "Of /topics/react", error: null })
  expect(await read("https://github.com/o/r/issues/1")).toMatchObject({ text: "Of /o/r/issues/1", error: null })
  expect(seen).toHaveLength(6)
})

it("a long page is summarised by the small model, once for the same text and aspect, and shown as its summary", async () => {
  const long = (name: string) => `${"It goes on. ".repeat(500)}${name}`
  const longPage: FetchPage = async (url) => {
    return { url, mediaType: "text/plain", text: long(new URL(url).pathname) }
  }
  const bench = await openChatBench(undefined, { fetchPage: longPage })
  let isBroken = false
  const model = createScriptedProvider(({ system }) => {
    const isSummary = system.startsWith("You summarise a page")
    if (isSummary && isBroken) throw new ModelError("auth_error", "No key.")
    return textAnswer(isSummary ? "Leases are renewed." : "Yes.")
  })
  const turn = async (content: string) => {
    await bench.execute(await bench.ask(content), model)
    return (model.requests.at(-1) as ModelRequest).messages.map(({ content }) => String(content)).join("\n")
  }
  const summaries = () => model.requests.filter(({ system }) => system.startsWith("You summarise")).length
  expect(await turn("What does https://a.example/x say?")).toContain("**\n\nLeases are renewed.")
  expect(summaries()).toBe(1)
  expect(model.requests[0]?.messages[0]?.content).toContain(long("/x"))
  expect(await turn("Once more: https://a.example/x")).toContain("Leases are renewed.")
  expect(summaries()).toBe(1)
  await turn("How do I install it? https://a.example/x")
  expect(summaries()).toBe(2)
  isBroken = true
  expect(await turn("And https://a.example/y?")).toContain("It goes on. It goes on.")
  await bench.close()
})

it("a long page that a person added is summarised with the next message, once, and shown as its summary", async () => {
  const longPage: FetchPage = async (url) => ({
    url,
    mediaType: "text/plain",
    text: `${url} ${"It goes on. ".repeat(500)}`,
  })
  const bench = await openChatBench(undefined, { fetchPage: longPage })
  const model = createScriptedProvider(({ system }) =>
    textAnswer(system.startsWith("You summarise a page") ? "It goes on for long." : "Yes."),
  )
  const turn = async (content: string) => {
    await bench.execute(await bench.ask(content), model)
    return (model.requests.at(-1) as ModelRequest).messages.map(({ content }) => String(content)).join("\n")
  }
  const summaries = () => model.requests.filter(({ system }) => system.startsWith("You summarise")).length
  await turn("What does https://a.example/x say?")
  await bench.addPage("https://a.example/y")
  await bench.addPage("https://a.example/z")
  await bench.forgetPage("https://a.example/z")
  const shown = await turn("And now?")
  expect(shown).toContain("## https://a.example/y\n**")
  expect(shown).not.toContain("It goes on. It goes on.")
  expect(summaries()).toBe(2)
  expect(await turn("Once more")).toContain("It goes on for long.")
  expect((await bench.eventsOf("chat_pages_read")).length).toBe(2)
  await bench.close()
})

it("a successor doesn't read a page again that is in the log", async () => {
  asked.length = 0
  const bench = await openChatBench(undefined, { fetchPage })
  const runId = await bench.ask("What does https://a.example/y say?")
  const { records } = bench.stores
  let isDead = false
  const put: typeof records.put = (...args) =>
    isDead ? Promise.reject(new Error("It is dead.")) : records.put(...args)
  const dying = createScriptedProvider(() => {
    isDead = true
    return textAnswer("Yes.")
  })
  await bench.execute(runId, dying, { on: { ...bench.stores, records: { ...records, put } } }).catch(() => {})
  await bench.execute(
    runId,
    createScriptedProvider(() => textAnswer("Yes.")),
  )
  expect([(await bench.run(runId)).status, asked]).toEqual(["completed", ["https://a.example/y"]])
  await bench.close()
})

it("a page that a person added is shown until it is forgotten, and one that can't be read is refused", async () => {
  const bench = await openChatBench(undefined, { fetchPage })
  const model = createScriptedProvider(() => textAnswer("Yes."))
  const turn = async (content: string) => {
    await bench.execute(await bench.ask(content), model)
    return (model.requests.at(-1) as ModelRequest).messages.map(({ content }) => String(content)).join("\n")
  }
  expect(await bench.addPage("https://a.example/z")).toMatchObject({ title: "Leases", text: "Of /z" })
  await expect(bench.addPage("https://a.example/gone")).rejects.toMatchObject({ code: "invalid_request" })
  expect(await bench.pages()).toEqual(["https://a.example/z"])
  expect(await turn("Well?")).toContain("## https://a.example/z\n**Leases**\n\nOf /z")
  expect(await turn("And https://a.example/x?")).toContain("Of /z")
  await bench.forgetPage("https://a.example/z")
  expect(await bench.pages()).toEqual(["https://a.example/x"])
  const after = await turn("Still?")
  expect(after).not.toContain("Of /z")
  expect(after).toContain("Of /x")
  // A forgotten page can be added again.
  await bench.addPage("https://a.example/z")
  expect(await turn("Again?")).toContain("Of /z")
  await bench.close()
})

it("a successor doesn't pay again for the summary of a page that was added, and makes none of one that was forgotten", async () => {
  const longPage: FetchPage = async (url) => ({ url, mediaType: "text/plain", text: "It goes on. ".repeat(500) + url })
  const bench = await openChatBench(undefined, { fetchPage: longPage })
  const model = createScriptedProvider(() => textAnswer("It goes on for long."))
  await bench.execute(
    await bench.ask("Hi"),
    createScriptedProvider(() => textAnswer("Hi.")),
  )
  await bench.addPage("https://a.example/x")
  const runId = await bench.summarize("https://a.example/x")
  const { records, blobs } = bench.stores
  let isDead = false
  const puts: typeof records.put = (...args) =>
    isDead ? Promise.reject(new Error("It is dead.")) : records.put(...args)
  const store: typeof blobs.put = async (...args) => {
    const size = await blobs.put(...args)
    isDead ||= args[0].includes("/pages/")
    return size
  }
  const on = { ...bench.stores, records: { ...records, put: puts }, blobs: { ...blobs, put: store } }
  await bench.execute(runId, model, { on }).catch(() => {})
  expect([isDead, (await bench.run(runId)).status, model.requests.length]).toEqual([true, "running", 1])
  await bench.execute(runId, model)
  expect([(await bench.run(runId)).status, model.requests.length]).toEqual(["completed", 1])
  expect(await bench.eventsOf("chat_page_summarized")).toMatchObject([{ summary: "It goes on for long." }])
  await bench.addPage("https://a.example/y")
  const late = await bench.summarize("https://a.example/y")
  await bench.forgetPage("https://a.example/y")
  await bench.execute(late, model)
  expect([(await bench.run(late)).status, model.requests.length]).toEqual(["completed", 1])
  expect(await bench.pages()).toEqual(["https://a.example/x"])
  await bench.close()
})

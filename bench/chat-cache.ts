import { fileURLToPath } from "node:url"
import { factsOf } from "@switchyard/core/files/symbols/file-facts"
import { referencesOf } from "@switchyard/core/files/symbols/references"
import type { FileFacts } from "@switchyard/core/files/symbols/schema"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { block, openChatBench } from "../tests/core/work/chat/chat-bench.ts"
import { createScriptedProvider, textAnswer } from "../tests/fixtures/scripted-model.ts"
import { type Block, type Counted, createCacheCounter } from "./cache-counter.ts"
import type { Line, Question } from "./measure.ts"
import { copies, sourcesIn } from "./project.ts"
import { aidersOrder, createMaps, naiveOrder, ourOrder } from "./prompt-orders.ts"

const TURNS = 30
/** Code that the chat is about: this repository's own. */
const FOLDER = fileURLToPath(new URL("../packages/core/src/work/", import.meta.url))
/** Other code of a large repository, whose list of files is nearly as long as the product shows. */
const MODULES = fileURLToPath(new URL("../packages/functions/src/", import.meta.url))
const MANY = 10_000
const SELECTED = ["chat/prompt/assemble.ts", "chat/turn/turn.ts", "chat/turn/ask.ts", "chat/history/transcript.ts"]
const JOINING = { turn: 8, file: "chat/turn/settle-turn.ts" }
/** Turns whose answer edits a selected file. In `DECLARATION`, it edits a declaration. */
const EDITS = [3, 6, 10, 14, 18, 22, 26]
const DECLARATION = 14

/** Size of a smaller repository, and its number of turns. Each turn after the first selects one more file. */
const FEW = 99
const SELECTING_TURNS = 5

type Order = "our order" | "the naive order" | "Aider's order"

export const chatCache: Question = {
  asks: "Which share of a chat's prompts over 30 turns is not read from the provider's cache, by the order of their parts?",
  async answer() {
    const small = repository()
    return [
      ...linesOf(`${Object.keys(small).length} files`, await countSession(small)),
      ...linesOf(`${MANY.toLocaleString("en")} files`, await countSession(enlarged(small))),
      selectingLine(await countSelecting(Object.fromEntries(Object.entries(small).slice(0, FEW)))),
    ]
  },
}

function selectingLine(turns: readonly Counted[]): Line {
  const later = turns.slice(1)
  const unread = sumOf(later, ({ written, fresh }) => written + fresh)
  const all = unread + sumOf(later, ({ read }) => read)
  return {
    what: `${FEW} files, ${later.length} turns that each select one more: not read from the cache`,
    ...{ value: unread, unit: "tokens", ratio: unread / all },
    baseline: { what: "all tokens of their prompts", value: all },
    target: { of: "ratio", atMost: 0.25 },
  }
}

function linesOf(repository: string, counted: Record<Order, Counted[]>): Line[] {
  const naive = sumOf(counted["the naive order"], priced)
  return (Object.keys(counted) as Order[]).flatMap((order) => {
    const turns = counted[order]
    const paid = sumOf(turns, ({ written, fresh }) => written + fresh)
    const all = paid + sumOf(turns, ({ read }) => read)
    const price = sumOf(turns, priced)
    const isOurs = order === "our order"
    const unread: Line = {
      ...{ what: `${repository}, ${order}: not read from the cache`, value: paid, unit: "tokens", ratio: paid / all },
      baseline: { what: "all tokens of its prompts", value: all },
      ...(isOurs && { target: { of: "ratio", atMost: 0.12 } }),
    }
    if (order === "the naive order") return [unread]
    return [
      unread,
      {
        ...{ what: `${repository}, ${order}: their price in tokens`, value: price, unit: "tokens" },
        ...{ ratio: price / naive, baseline: { what: "the naive order", value: naive } },
        ...(isOurs && { target: { of: "ratio", atMost: 0.8 } }),
      },
    ]
  })
}

function sumOf(turns: readonly Counted[], of: (turn: Counted) => number): number {
  return turns.reduce((total, turn) => total + of(turn), 0)
}

/** Returns the price in tokens: a tenth for a read token, and 1.25 for a written one. */
function priced({ read, written, fresh }: Counted): number {
  return 0.1 * read + 1.25 * written + fresh
}

/** Plays the session as the product does, and counts each turn's prompts in the three orders. */
async function countSession(repository: Record<string, string>): Promise<Record<Order, Counted[]>> {
  const chat = await openChatBench(undefined, { model: "anthropic/claude-sonnet-4-5" })
  const counters = { ours: createCacheCounter(), naive: createCacheCounter(), aider: createCacheCounter() }
  const counted: Record<Order, Counted[]> = { "our order": [], "the naive order": [], "Aider's order": [] }
  try {
    await chat.write(repository)
    await chat.parse()
    const maps = createMaps()
    let selected = SELECTED
    for (let turn = 1; turn <= TURNS; turn++) {
      if (turn === JOINING.turn) selected = [...selected, JOINING.file]
      const question = `Question ${turn}: ${"what happens to a turn whose executor dies? ".repeat(8)}`
      const files = new Map(Object.entries(await chat.files()))
      const parts = { maps, files, selected, history: await chat.history(), question }
      const answer = answerOf(turn, files)
      const model = createScriptedProvider((request) => textAnswer(isChat(request) ? answer : SUMMARY))
      await chat.execute(await chat.ask(question, { files: selected }), model)
      const request = model.requests.find(isChat)
      if (!request) throw new Error("The model was not asked: the turn took longer than its lease.")
      const add = (order: Order, count: (prompt: readonly Block[]) => Counted, prompt: Block[]) =>
        counted[order].push(count(prompt))
      add("our order", counters.ours, ourOrder(request))
      add("the naive order", counters.naive, await naiveOrder(parts))
      add("Aider's order", counters.aider, await aidersOrder(parts))
    }
  } finally {
    await chat.close()
  }
  return counted
}

/** Counts the prompts of turns. Each selects one more file, those with the most references first. */
async function countSelecting(files: Record<string, string>): Promise<Counted[]> {
  const chat = await openChatBench(undefined, { model: "anthropic/claude-sonnet-4-5" })
  const count = createCacheCounter()
  const turns: Counted[] = []
  try {
    await chat.write(files)
    await chat.parse()
    const byReferences = await mostReferenced(files)
    for (let turn = 0; turn <= SELECTING_TURNS; turn++) {
      const model = createScriptedProvider((request) =>
        textAnswer(isChat(request) ? answerOf(turn, new Map()) : SUMMARY),
      )
      const selected = byReferences.slice(0, turn)
      await chat.execute(await chat.ask(`Question ${turn}: where does a turn end?`, { files: selected }), model)
      const request = model.requests.find(isChat)
      if (!request) throw new Error("The model was not asked: the turn took longer than its lease.")
      turns.push(count(ourOrder(request)))
    }
  } finally {
    await chat.close()
  }
  return turns
}

async function mostReferenced(files: Record<string, string>): Promise<string[]> {
  const facts = new Map<string, FileFacts>()
  for (const [path, text] of Object.entries(files)) {
    const found = await factsOf(path, text)
    if (found) facts.set(path, found)
  }
  const { referrers } = referencesOf(facts, Object.keys(files))
  const count = (path: string) => referrers.get(path)?.length ?? 0
  return Object.keys(files).toSorted((a, b) => count(b) - count(a))
}

const isChat = ({ output }: ModelRequest) => output === undefined
const SUMMARY = JSON.stringify({ boundary: null, confidence: 0, summary: "They spoke about executors. ".repeat(60) })

/** Returns an answer of about 1,000 tokens, with an edit in some turns. */
function answerOf(turn: number, files: ReadonlyMap<string, string>): string {
  const words = `Answer ${turn}. ${"Its successor reads from the log how far it was, and goes on from there. ".repeat(55)}`
  if (!EDITS.includes(turn)) return words
  const path = SELECTED[turn % SELECTED.length] ?? ""
  const text = files.get(path)
  if (text === undefined) throw new Error(`There is no ${path}.`)
  const [line = ""] = text.split("\n")
  const added = turn === DECLARATION ? `export const added${turn} = ${turn}` : `// Of turn ${turn}.`
  return `${words}\n\n${block(path, `${line}\n`, `${line}\n${added}\n`)}`
}

function repository(): Record<string, string> {
  return Object.fromEntries(sourcesIn(FOLDER).map(({ path, text }) => [path, text]))
}

/** Returns the code among enough other code to make it `MANY` files. */
function enlarged(files: Record<string, string>): Record<string, string> {
  const others = copies(MODULES, MANY - Object.keys(files).length)
  return { ...files, ...Object.fromEntries([...others].map(({ path, text }) => [`modules/${path}`, text])) }
}

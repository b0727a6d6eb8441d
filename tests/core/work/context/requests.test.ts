import { forecastCache } from "@switchyard/core/work/context/cache-guard"
import { advanceContext } from "@switchyard/core/work/context/cascade"
import { CACHED_TIERS, type ContextState, type Tier } from "@switchyard/core/work/context/tiers"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { acts, assembled, type Chat, newChat, observedIn, perform } from "./histories.ts"

const emptyContext: ContextState = { items: [] }
const NUM_RUNS = cases({ usual: 500, deep: 5000 })

describe("a request", () => {
  /** Returns the prompt's texts up to the end of a tier. */
  const prefixOf = (chat: Chat, state: ContextState, tiers: number) => {
    const kept = new Set<Tier>(CACHED_TIERS.slice(0, tiers))
    const { system, messages } = assembled(
      { ...chat, files: chat.files },
      { items: state.items.filter(({ tier }) => kept.has(tier)) },
    )
    const end = messages.findIndex(({ content }) => content.startsWith("# Repository Files") || content === "And now?")
    return [system, ...messages.slice(0, end).map(({ content }) => content)]
  }

  it("begins as the last one did, up to the first tier that changed", () => {
    fc.assert(
      fc.property(acts, fc.constantFrom(0, 60, 400), fc.constantFrom(0, 30, 300), (given, target, treeTokens) => {
        const chat = newChat()
        let last = advanceContext(emptyContext, observedIn(chat), { target, treeTokens })
        for (const act of given) {
          const before = [0, 1, 2, 3, 4].map((tiers) => prefixOf(chat, last.state, tiers))
          const isShorter = act.do === "compact" || act.do === "rewind"
          const oldHistory = last.state.items.some(({ key }) => key.startsWith("history:") && isShorter)
          perform(chat, act)
          const next = advanceContext(last.state, observedIn(chat), { target, treeTokens })
          const sound = CACHED_TIERS.findIndex((tier) => next.broken.includes(tier))
          const tiers = sound === -1 ? 4 : sound
          const [was = [], is = []] = [
            before[oldHistory ? 0 : tiers],
            prefixOf(chat, next.state, oldHistory ? 0 : tiers),
          ]
          expect(is.slice(0, was.length)).toEqual(was)
          last = next
        }
      }),
      { numRuns: NUM_RUNS },
    )
  })

  it("is the same twice when nothing moved", () => {
    fc.assert(
      fc.property(acts, (given) => {
        const chat = newChat()
        let { state } = advanceContext(emptyContext, observedIn(chat), { target: 60 })
        for (const act of [...given, { do: "nothing" as const }]) {
          const before = assembled(chat, state)
          perform(chat, act)
          const next = advanceContext(state, observedIn(chat), { target: 60 })
          if (act.do === "nothing" && next.changes.length === 0) expect(assembled(chat, next.state)).toEqual(before)
          state = next.state
        }
      }),
      { numRuns: NUM_RUNS },
    )
  })

  it("asks and answers in turn: each question is followed by its answer, a summary comes first", () => {
    fc.assert(
      fc.property(acts, fc.constantFrom(0, 60, 400), fc.constantFrom(0, 30, 300), (given, target, treeTokens) => {
        const chat = newChat()
        let state = emptyContext
        for (const act of given) {
          perform(chat, act)
          state = advanceContext(state, observedIn(chat), { target, treeTokens }).state
          const { messages } = assembled(chat, state)
          expect(messages.every(({ role }, at) => role === (at % 2 === 0 ? "user" : "assistant"))).toBe(true)
          expect(messages.at(-1)?.content).toBe("And now?")
          const numbers = [...chat.history.keys()].sort((a, b) => a - b)
          const said = numbers.flatMap((number) => chat.history.get(number) ?? [])
          const pairs = said.flatMap(({ role, content }, at) => {
            const answer = said[at + 1]?.role === "assistant" ? said[at + 1]?.content : "[no answer]"
            return role === "user" ? [[content, answer]] : []
          })
          const sent = messages.flatMap(({ content }, at) =>
            content.startsWith("Asked") ? [[content, messages[at + 1]?.content]] : [],
          )
          expect(sent).toEqual(pairs)
        }
      }),
      { numRuns: NUM_RUNS },
    )
  })

  it("shows a file's symbols besides its text only where hiding them would rewrite a tier, each message once, and has four marks at most", () => {
    fc.assert(
      fc.property(acts, (given) => {
        const chat = newChat()
        let state = emptyContext
        for (const act of given) {
          perform(chat, act)
          const before = new Set(state.items.filter(({ hidden }) => !hidden).map(({ key }) => key))
          const { broken, ...advanced } = advanceContext(state, observedIn(chat), { target: 60 })
          state = advanced.state
          const shown = state.items.filter(({ key, hidden }) => !hidden && !key.startsWith("history:"))
          const twice = shown.filter(({ key }) => key.startsWith("symbol:") && chat.selected.has(key.slice(7)))
          expect(twice.every(({ key, tier }) => before.has(key) && !broken.some((one) => one === tier))).toBe(true)
          expect(new Set(shown.map(({ key }) => key)).size).toBe(shown.length)
          const { messages, cacheAfter } = assembled(chat, state)
          expect(messages.filter(({ content }) => content.startsWith("A")).length).toBe(chat.history.size + 1)
          expect(cacheAfter.length).toBeLessThanOrEqual(4)
        }
      }),
      { numRuns: NUM_RUNS / 5 },
    )
  })

  it("continues the last one, whatever is selected and said, unless something moves", () => {
    const added = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant("select" as const), file: fc.nat({ max: 9 }), text: fc.constant("") }),
        fc.record({ do: fc.constant("say" as const), text: fc.string({ maxLength: 400 }) }),
      ),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(acts, added, (given, then) => {
        const chat = newChat()
        let { state } = advanceContext(emptyContext, observedIn(chat), { target: 60 })
        for (const act of given) {
          perform(chat, act)
          state = advanceContext(state, observedIn(chat), { target: 60 }).state
        }
        for (const act of then) {
          const last = assembled(chat, state)
          perform(chat, act)
          const next = advanceContext(state, observedIn(chat), { target: 60 })
          state = next.state
          const { system, messages } = assembled(chat, state)
          const kept = last.messages.slice(0, -1)
          if (next.changes.length === 0)
            expect([system, ...messages.slice(0, kept.length)]).toEqual([last.system, ...kept])
        }
      }),
      { numRuns: NUM_RUNS },
    )
  })
})

describe("the cache guard", () => {
  it("says what a request writes again, and why", () => {
    const chat = newChat()
    let { state } = advanceContext(emptyContext, observedIn(chat), { target: 60 })
    for (let request = 0; request < 4; request++) state = advanceContext(state, observedIn(chat), { target: 60 }).state
    const last = { state, context: assembled(chat, state) }
    const same = advanceContext(state, observedIn(chat), { target: 60 }).state
    const unchanged = forecastCache(last, { state: same, context: assembled(chat, same) })
    expect([unchanged.lost_tokens, unchanged.changes]).toEqual([0, []])
    expect(unchanged.cached_tokens).toBeGreaterThan(100)
    perform(chat, { do: "edit", file: 3, text: "other" })
    const next = advanceContext(same, observedIn(chat), { target: 60 }).state
    const forecast = forecastCache(
      { state: same, context: assembled(newChat(), same) },
      { state: next, context: assembled(chat, next) },
    )
    expect(forecast.lost_tokens).toBeGreaterThan(0)
    expect(forecast.changes).toContainEqual({ tier: "L3", path: "src/f3.ts", reason: "edited" })
  })
})

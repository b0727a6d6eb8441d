import { forecastCache } from "@switchyard/core/work/context/cache-guard"
import { advanceContext } from "@switchyard/core/work/context/cascade"
import { seedContext } from "@switchyard/core/work/context/seed"
import {
  CACHED_TIERS,
  type ContextItem,
  type ContextState,
  type ItemKey,
  type Observed,
  THRESHOLDS,
  type Tier,
} from "@switchyard/core/work/context/tiers"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { acts, assembled, type Chat, newChat, observedIn, perform } from "./histories.ts"

const emptyContext: ContextState = { items: [] }
const NUM_RUNS = cases({ usual: 500, deep: 5000 })

const item = (key: ItemKey, tier: Tier, n: number, tokens = 5000): ContextItem => ({
  ...{ key, tier, n, tokens, hash: "h", hidden: false },
})
const observedOf = ({ items }: ContextState): Observed[] =>
  items.map(({ key, hash, tokens }) => ({ key, hash, tokens }))
const tiersOf = ({ items }: ContextState) => Object.fromEntries(items.map(({ key, tier, n }) => [key, `${tier} ${n}`]))

function afterRequests(state: ContextState, count: number, options: { target: number }): ContextState {
  const observed = observedOf(state)
  let next = state
  for (let left = count; left > 0; left--) next = advanceContext(next, observed, options).state
  return next
}

describe("tiers", () => {
  it.each([0, 1536])("rise together once the uppermost is free (target %i)", (target) => {
    const state: ContextState = {
      items: [item("symbol:a", "L1", 9), item("symbol:b", "L2", 6), item("symbol:c", "L3", 3)],
    }
    expect(tiersOf(afterRequests(state, 2, { target }))).toEqual({
      ...{ "symbol:a": "L1 11", "symbol:b": "L2 8", "symbol:c": "L3 5" },
    })
    expect(tiersOf(afterRequests(state, 3, { target }))).toEqual({
      ...{ "symbol:a": "L0 12", "symbol:b": "L1 9", "symbol:c": "L2 6" },
    })
  })

  it("are entered after three more requests that show an item unchanged, and left by an edit", () => {
    const file: Observed = { key: "file:a", hash: "1", tokens: 10 }
    let { state } = advanceContext(emptyContext, [file], { target: 0 })
    const seen = [tiersOf(state)["file:a"]]
    for (let request = 0; request < 3; request++) {
      state = advanceContext(state, [file], { target: 0 }).state
      seen.push(tiersOf(state)["file:a"])
    }
    expect(seen).toEqual(["active 0", "active 1", "active 2", "L3 3"])
    const edited = advanceContext(state, [{ ...file, hash: "2" }], { target: 0 })
    expect(tiersOf(edited.state)).toEqual({ "file:a": "active 0" })
    expect(edited.broken).toEqual(["L3"])

    // A file that is worked on has to stay as it is for twice as long.
    state = edited.state
    for (let request = 0; request < 5; request++) {
      state = advanceContext(state, [{ ...file, hash: "2" }], { target: 0 }).state
    }
    expect(tiersOf(state)).toEqual({ "file:a": "active 5" })
    state = advanceContext(state, [{ ...file, hash: "2" }], { target: 0 }).state
    expect(tiersOf(state)).toEqual({ "file:a": "L3 3" })
    expect(edited.changes).toEqual([{ key: "file:a", from: "L3", to: "active" }])
  })

  it("take the first real hash of a placeholder for no change", () => {
    const state: ContextState = { items: [{ ...item("symbol:a", "L2", 6), hash: "" }] }
    const { state: next, broken } = advanceContext(state, [{ key: "symbol:a", hash: "real", tokens: 9 }], {
      target: 0,
    })
    expect([next.items[0]?.hash, next.items[0]?.tokens, broken]).toEqual(["real", 9, []])
  })

  it("hold back so much of a full tier as the cache needs", () => {
    const state: ContextState = {
      items: [item("symbol:a", "L3", 5, 1000), item("symbol:b", "L3", 5, 1000), item("symbol:c", "L3", 5, 1000)],
    }
    expect(tiersOf(afterRequests(state, 1, { target: 1536 }))).toEqual({
      ...{ "symbol:a": "L3 5", "symbol:b": "L2 6", "symbol:c": "L2 6" },
    })
  })

  it("go down a tier a request, with their count, while they are too small", () => {
    const state: ContextState = { items: [item("symbol:a", "L1", 9, 10), item("symbol:z", "L0", 12)] }
    expect(tiersOf(afterRequests(state, 1, { target: 100 }))["symbol:a"]).toBe("L2 10")
  })

  it("keep a deselected file's symbols where they were, and show a file once", () => {
    const symbol: Observed = { key: "symbol:a", hash: "s", tokens: 5, text: "a: m f()" }
    const state: ContextState = { items: [{ ...item("symbol:a", "L1", 9), hash: "s", text: "a: m f()" }] }
    const chosen = advanceContext(state, [symbol, { key: "file:a", hash: "f", tokens: 9 }], { target: 0 })
    expect(chosen.broken).toEqual(["L1"])
    expect(chosen.state.items.find(({ key }) => key === "symbol:a")).toMatchObject({ tier: "L1", hidden: true })
    const without = advanceContext(chosen.state, [symbol], { target: 0 })
    expect(without.state.items).toMatchObject([{ key: "symbol:a", tier: "L1", hidden: false }])
  })
})

describe("messages of the conversation", () => {
  const said = (count: number): Observed[] =>
    Array.from({ length: count }, (_, at) => ({
      ...{ key: `history:${at}` as ItemKey, hash: `${at}`, tokens: 100 },
      role: at % 2 === 0 ? "user" : "assistant",
    }))

  it("join L3 once they are four times as many as a cache takes, the oldest first, behind a window", () => {
    const few = advanceContext(emptyContext, said(26), { target: 500 })
    expect(few.changes).toEqual([])
    const many = advanceContext(few.state, said(28), { target: 500 })
    const older = Array.from({ length: 22 }, (_, at) => `history:${at}`)
    expect(many.changes.map(({ key }) => key)).toEqual(older)
    expect(many.broken).toEqual([])
  })

  it("join L3 when that is written anyway", () => {
    const file: Observed = { key: "file:a", hash: "1", tokens: 10 }
    let { state } = advanceContext(emptyContext, [file], { target: 500 })
    for (let request = 0; request < 2; request++)
      state = advanceContext(state, [file, ...said(6)], { target: 500 }).state
    const { changes } = advanceContext(state, [file, ...said(7)], { target: 500 })
    expect(changes.map(({ key }) => key)).toEqual(["file:a", "history:0", "history:1"])
  })

  it("join L3 when the working files before them are written anyway, and files only then, for they go before them", () => {
    const [edited, stable] = ["file:a", "file:b"].map(
      (key): Observed => ({ key: key as ItemKey, hash: "1", tokens: 100 }),
    )
    let state = advanceContext(emptyContext, said(6), { target: 500 }).state
    const request = (...observed: (Observed | undefined)[]) => {
      const advanced = advanceContext(
        state,
        observed.flatMap((one) => one ?? []),
        { target: 500 },
      )
      state = advanced.state
      return advanced.changes.map(({ key }) => key)
    }
    expect(request(edited, stable, ...said(7))).toEqual(["history:0", "history:1"])
    for (let quiet = 0; quiet < 4; quiet++) expect(request(edited, stable, ...said(9))).toEqual([])
    const next = request(edited && { ...edited, hash: "2" }, stable, ...said(9))
    expect(next).toEqual(["file:b", "history:2", "history:3"])
  })

  it("wait for a request that writes L3 anyway, or until they are as long as the list of files behind it", () => {
    const edits = (...lengths: number[]) => {
      let { state } = advanceContext(emptyContext, [], { target: 500 })
      return lengths.map((length, at) => {
        const observed: Observed[] = [{ key: "file:a", hash: `${at}`, tokens: 10 }, ...said(length)]
        const { changes, ...next } = advanceContext(state, observed, { target: 500, treeTokens: 1500 })
        state = next.state
        return changes.length
      })
    }
    expect(edits(10, 20)).toEqual([0, 0])
    expect(edits(10, 21)).toEqual([0, 16])
    const quiet = said(40)
    expect(advanceContext(emptyContext, quiet, { target: 500, treeTokens: 1500 }).changes).toEqual([])
    const more = advanceContext(emptyContext, said(41), { target: 500, treeTokens: 1500 })
    expect(more.changes).toHaveLength(36)
  })

  it("are followed by files only where those are half as long as what is written anew for them", () => {
    const afterThree = (treeTokens: number) => {
      const file: Observed = { key: "file:a", hash: "1", tokens: 100 }
      let { state } = advanceContext(emptyContext, [file], { target: 500 })
      for (let request = 0; request < 2; request++)
        state = advanceContext(state, [file], { target: 500, treeTokens }).state
      return advanceContext(state, [file], { target: 500, treeTokens }).changes.map(({ key }) => key)
    }
    expect([afterThree(200), afterThree(201)]).toEqual([["file:a"], []])
  })

  it("join L3 with the answers to them, and leave it if others come to stand before them", () => {
    for (const count of [26, 27, 28, 29, 30]) {
      const { items } = advanceContext(emptyContext, said(count), { target: 500 }).state
      expect(items.filter(({ tier }) => tier === "L3").length % 2).toBe(0)
    }
    // A tier of before that has a question without its answer gets that, too.
    const split: ContextState = {
      items: said(3).map((one, at) => ({ ...item(one.key, at < 1 ? "L3" : "active", 3), ...one })),
    }
    expect(tiersOf(advanceContext(split, said(4), { target: 500 }).state)).toMatchObject({
      ...{ "history:0": "L3 3", "history:1": "L3 3", "history:2": "active 4", "history:3": "active 0" },
    })
    const inL3 = advanceContext(emptyContext, said(40).slice(2), { target: 500 }).state
    const summarised = advanceContext(inL3, [...said(2), ...said(40).slice(20)], { target: 500 }).state
    expect(summarised.items.every(({ tier }) => tier === "active")).toBe(true)
  })

  it("never join without a target, and leave altogether after a compaction", () => {
    const { state } = advanceContext(emptyContext, said(40), { target: 0 })
    expect(state.items.every(({ tier }) => tier === "active")).toBe(true)
    const inL3 = advanceContext(emptyContext, said(40), { target: 500 })
    const compacted = advanceContext(inL3.state, said(2), { target: 500 })
    expect(compacted.state.items.map(({ key }) => key)).toEqual(["history:0", "history:1"])
    expect(compacted.broken).toEqual([])
  })
})

describe("the first state", () => {
  const symbols = fc.uniqueArray(
    fc.record({ path: fc.stringMatching(/^[a-z]{1,3}$/), tokens: fc.integer({ min: 1, max: 3000 }) }),
    { selector: ({ path }) => path, maxLength: 60 },
  )

  it("loses nothing, and leaves at most one tier too small", () => {
    const input = fc.tuple(symbols, fc.nat({ max: 4000 }), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }))
    fc.assert(
      fc.property(input, ([given, target, pairs]) => {
        const observed = given.map(({ path, tokens }): Observed => ({ key: `symbol:${path}`, hash: "", tokens }))
        const nameAt = (at: number) => given[at % Math.max(1, given.length)]?.path ?? ""
        const mutual = pairs.map(([a, b]): [string, string] => [nameAt(a), nameAt(b)])
        const options = { mutual, references: new Map<string, number>(), target, systemTokens: 500 }
        const { items } = seedContext(observed, options)
        expect(items.map(({ key }) => key)).toEqual(observed.map(({ key }) => key).sort())
        expect(items.every(({ tier, n }) => n === THRESHOLDS[tier].entry)).toBe(true)
        const sums = (["L1", "L2", "L3"] as const).map((tier) =>
          items.filter((one) => one.tier === tier).reduce((sum, { tokens }) => sum + tokens, 0),
        )
        const small = sums.filter((sum) => sum > 0 && sum < target)
        expect(small.length === 0 || sums.filter((sum) => sum > 0).length === 1).toBe(true)
        expect(seedContext(observed.toReversed(), options)).toEqual({ items })
      }),
      { numRuns: NUM_RUNS },
    )
  })

  it("has files together that import each other, and the most common ones in L0", () => {
    const observed = ["a", "b", "c", "d"].map((path): Observed => ({ key: `symbol:${path}`, hash: "", tokens: 1000 }))
    const { items } = seedContext(observed, {
      ...{ mutual: [["a", "d"]], references: new Map([["c", 7]]), target: 600, systemTokens: 0 },
    })
    const tiers = Object.fromEntries(items.map(({ key, tier }) => [key, tier]))
    expect(tiers["symbol:c"]).toBe("L0")
    expect(tiers["symbol:a"]).toBe(tiers["symbol:d"])
    expect(tiers["symbol:b"]).not.toBe(tiers["symbol:a"])
  })
})

describe("a request", () => {
  /** The texts up to the end of a tier. */
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

  it("shows each file once, as text or as symbols, and each message once, and has four marks at most", () => {
    fc.assert(
      fc.property(acts, (given) => {
        const chat = newChat()
        let state = emptyContext
        for (const act of given) {
          perform(chat, act)
          state = advanceContext(state, observedIn(chat), { target: 60 }).state
          const shown = state.items.filter(({ key, hidden }) => !hidden && !key.startsWith("history:"))
          expect(new Set(shown.map(({ key }) => key.replace(/^\w+:/, ""))).size).toBe(shown.length)
          const { messages, cacheAfter } = assembled(chat, state)
          expect(messages.filter(({ content }) => content.startsWith("A")).length).toBe(chat.history.size + 1)
          expect(cacheAfter.length).toBeLessThanOrEqual(4)
        }
      }),
      { numRuns: NUM_RUNS / 5 },
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

import { advanceContext } from "@switchyard/core/work/context/cascade"
import { seedContext } from "@switchyard/core/work/context/seed"
import {
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
  it("rise together once the uppermost is free", () => {
    const state: ContextState = {
      items: [item("symbol:a", "L1", 9), item("symbol:b", "L2", 6), item("symbol:c", "L3", 3)],
    }
    expect(tiersOf(afterRequests(state, 2, { target: 0 }))).toEqual({
      ...{ "symbol:a": "L1 11", "symbol:b": "L2 8", "symbol:c": "L3 5" },
    })
    expect(tiersOf(afterRequests(state, 3, { target: 0 }))).toEqual({
      ...{ "symbol:a": "L0 12", "symbol:b": "L1 9", "symbol:c": "L2 6" },
    })
  })

  it("rise where a provider caches them only once they are rewritten anyway", () => {
    const items = [item("symbol:a", "L1", 9), item("symbol:b", "L1", 9), item("symbol:c", "L2", 6)]
    const quiet = afterRequests({ items }, 9, { target: 1536 })
    expect(tiersOf(quiet)).toEqual({ "symbol:a": "L1 12", "symbol:b": "L1 12", "symbol:c": "L2 9" })
    const observed = observedOf(quiet).map((one) => (one.key === "symbol:b" ? { ...one, hash: "new" } : one))
    expect(tiersOf(advanceContext(quiet, observed, { target: 1536 }).state)).toEqual({
      ...{ "symbol:a": "L0 12", "symbol:b": "active 0", "symbol:c": "L1 9" },
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

    // An edited file must remain unchanged for twice as many requests.
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
      items: ["a", "b", "c", "d"].map((name) => item(`symbol:${name}`, "L3", 5, 1000)),
    }
    const observed = observedOf(state).slice(0, 3)
    expect(tiersOf(advanceContext(state, observed, { target: 1536 }).state)).toEqual({
      ...{ "symbol:a": "L3 5", "symbol:b": "L2 6", "symbol:c": "L2 6" },
    })
  })

  it("go down a tier a request, with their count, while they are too small", () => {
    const state: ContextState = { items: [item("symbol:a", "L1", 9, 10), item("symbol:z", "L0", 12)] }
    expect(tiersOf(afterRequests(state, 1, { target: 100 }))["symbol:a"]).toBe("L2 10")
  })

  const symbolOf = (name: string): Observed => ({ key: `symbol:${name}`, hash: "s", tokens: 5, text: `${name}: m f()` })
  const [symbol, other, top] = [symbolOf("a"), symbolOf("b"), symbolOf("top")]
  const fileA: Observed = { key: "file:a", hash: "f", tokens: 9 }
  const inL1: ContextState = {
    items: [symbol, other, top].map((one, at) => ({ ...item(one.key, at < 2 ? "L1" : "L0", 9), ...one })),
  }
  const blockOf = ({ state }: { state: ContextState }) => state.items.find(({ key }) => key === "symbol:a")

  it("stay as they are when a file is selected, edited and deselected", () => {
    const chosen = advanceContext(inL1, [symbol, other, top, fileA], { target: 0 })
    expect([chosen.broken, chosen.changes]).toEqual([[], []])
    expect(blockOf(chosen)).toMatchObject({ tier: "L1", hidden: false, text: "a: m f()" })
    const declared = { ...symbol, hash: "s2", text: "a: m f() m g()" }
    const edited = advanceContext(chosen.state, [declared, other, top, { ...fileA, hash: "f2" }], { target: 0 })
    expect([edited.broken, blockOf(edited)?.text]).toEqual([[], "a: m f()"])
    const without = advanceContext(chosen.state, [symbol, other, top], { target: 0 })
    expect([without.broken, blockOf(without)?.hidden]).toEqual([[], false])
    // Without the file's text, the model would know the file only by an outdated block.
    const outdated = advanceContext(edited.state, [declared, other, top], { target: 0 })
    expect([outdated.broken, blockOf(outdated)?.tier]).toEqual([["L1"], "active"])
  })

  it("lose a selected file's symbols when they are rewritten anyway, and keep their place for them", () => {
    const chosen = advanceContext(inL1, [symbol, other, top, fileA], { target: 0 })
    const rewritten = advanceContext(chosen.state, [symbol, { ...other, hash: "s2" }, top, fileA], { target: 0 })
    expect(rewritten.broken).toEqual(["L1"])
    expect(blockOf(rewritten)).toMatchObject({ tier: "L1", hidden: true })
    const without = advanceContext(rewritten.state, [symbol, top], { target: 0 })
    expect(blockOf(without)).toMatchObject({ tier: "L1", hidden: false })
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
    const block: Observed = { key: "symbol:a", hash: "1", tokens: 10 }
    const state: ContextState = { items: [{ ...item("symbol:a", "L3", 3), ...block }] }
    const { changes } = advanceContext(state, [{ ...block, hash: "2" }, ...said(7)], { target: 500 })
    expect(changes.map(({ key }) => key)).toEqual(["symbol:a", "history:0", "history:1"])
  })

  it("join L3 when a working file before them changed, and files only then, for they stand before them", () => {
    const [edited, stable] = ["file:a", "file:b"].map(
      (key): Observed => ({ key: key as ItemKey, hash: "1", tokens: 100 }),
    ) as [Observed, Observed]
    let state = emptyContext
    const request = (...observed: Observed[]) => {
      const advanced = advanceContext(state, observed, { target: 500 })
      state = advanced.state
      return advanced.changes.map(({ key }) => key)
    }
    expect(request(edited, stable)).toEqual([])
    for (let quiet = 0; quiet < 4; quiet++) expect(request(edited, stable, ...said(7))).toEqual([])
    const again = { ...edited, hash: "2" }
    expect(request(again, stable, ...said(7))).toEqual(["file:b", "history:0", "history:1"])
    // The edited file now comes after the messages.
    expect(request({ ...edited, hash: "3" }, stable, ...said(9))).toEqual([])
    expect(request(stable, ...said(11))).toEqual([])
  })

  it("wait for a request that writes L3 anyway, or until they are as long as the list of files behind it", () => {
    const afterEdit = (length: number) => {
      const options = { target: 500, treeTokens: 1500 }
      const file: Observed = { key: "file:a", hash: "1", tokens: 10 }
      const { state } = advanceContext(emptyContext, [file], options)
      return advanceContext(
        { items: [...state.items, ...advanceContext(emptyContext, said(length), options).state.items] },
        [{ ...file, hash: "2" }, ...said(length)],
        options,
      ).changes.length
    }
    expect([afterEdit(20), afterEdit(21)]).toEqual([0, 16])
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
    // An old L3 with a question but not its answer gets the answer, too.
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

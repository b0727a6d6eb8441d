import { createRunnerPlaces, placesFor } from "@switchyard/functions/local/runner-places"
import { describe, expect, it } from "vitest"

describe("places for runners", () => {
  it("are taken in the order in which sessions ask for them", () => {
    const places = createRunnerPlaces({ total: 2, perOwner: Number.POSITIVE_INFINITY })
    expect(["a", "b", "c", "d", "a"].map((sid) => places.request(sid, "ada"))).toEqual([true, true, false, false, true])
    expect(["a", "c", "d", "e"].map((sid) => places.before(sid))).toEqual([undefined, 0, 1, undefined])
    expect(places.request("c", "ada")).toBe(false)
    expect(places.waiting()).toEqual(["c", "d"])
    places.release("a")
    expect([places.has("a"), places.grant(), places.has("c"), places.waiting()]).toEqual([false, ["c"], true, ["d"]])
    places.release("d")
    places.release("b")
    expect(places.grant()).toEqual([])
  })

  it("aren't taken by one owner alone, who holds up no other", () => {
    const places = createRunnerPlaces({ total: 3, perOwner: 2 })
    expect(["a1", "a2", "a3"].map((sid) => places.request(sid, "ada"))).toEqual([true, true, false])
    expect(places.request("b1", "bob")).toBe(true)
    expect(places.request("b2", "bob")).toBe(false)
    expect(places.inTheWayOf("a3")).toEqual(["a1", "a2"])
    expect(places.inTheWayOf("b2")).toEqual(["a1", "a2", "b1"])
    expect(places.inTheWayOf("a1")).toEqual([])
    places.release("b1")
    expect(places.grant()).toEqual(["b2"])
    places.release("a1")
    expect(places.grant()).toEqual(["a3"])
  })

  it("are two at least, and a quarter of the memory", () => {
    expect([0.5, 2, 16].map((gigabytes) => placesFor(gigabytes * 2 ** 30))).toEqual([2, 3, 27])
  })
})

import { merge } from "@switchyard/core/concurrency/merge"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

async function* source<T>(values: readonly T[], done: () => void = () => undefined): AsyncGenerator<T> {
  try {
    for (const value of values) {
      await Promise.resolve()
      yield value
    }
  } finally {
    done()
  }
}

describe("sources that are merged", () => {
  it("are all told, each in its own order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(), { maxLength: 8 }), { maxLength: 6 }), async (lists) => {
        const heard: [number, number][] = []
        const sources = lists.map((list, index) => source(list.map((value): [number, number] => [index, value])))
        for await (const one of merge(sources)) heard.push(one)
        const of = (index: number) => heard.filter(([from]) => from === index).map(([, value]) => value)
        expect(lists.map((_, index) => of(index))).toEqual(lists)
      }),
    )
  })

  it("don't wait for one that is silent, and all end when the reader leaves", async () => {
    const ended: string[] = []
    const leave = new AbortController()
    async function* silent(): AsyncGenerator<string> {
      try {
        await new Promise<void>((resolve) => leave.signal.addEventListener("abort", () => resolve()))
      } finally {
        ended.push("silent")
      }
    }
    const heard: string[] = []
    const talkative = source(["a", "b", "c", "d"], () => ended.push("talkative"))
    for await (const one of merge([silent(), talkative])) {
      heard.push(one)
      if (one !== "c") continue
      leave.abort()
      break
    }
    expect(heard).toEqual(["a", "b", "c"])
    expect(ended.sort()).toEqual(["silent", "talkative"])
  })

  it("fail with the first that fails", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "once"
      throw new Error("It broke.")
    }
    const heard: string[] = []
    const reading = (async () => {
      for await (const one of merge([broken(), source(["a", "b"])])) heard.push(one)
    })()
    await expect(reading).rejects.toThrow("It broke.")
    expect(heard).toContain("once")
  })
})

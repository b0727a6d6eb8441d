import { createTextProgress } from "@switchyard/runner/agents/text-progress"
import { describe, expect, it } from "vitest"

const heard = (...texts: string[]) => {
  const progress = createTextProgress()
  return texts.map((text) => progress.said(text))
}

describe("what a model says", () => {
  it("gets on as long as it is new", () => {
    expect(heard("I will ", "create ", "the file ", "and then ", "test it.")).toEqual(Array(5).fill(true))
  })

  it("gets nowhere while it says the same beginning again and again", () => {
    const tries = Array(50).fill("I will creat")
    expect(heard(...tries)).toEqual([true, ...Array(49).fill(false)])
    const pieces = Array(20).fill(["I will ", "creat"]).flat()
    expect(heard(...pieces).slice(2)).not.toContain(true)
  })

  it("gets nowhere while it says the same again after words that stay", () => {
    const tries = Array(20).fill("I will creat")
    expect(heard("I do what the task says.", ...tries)).toEqual([true, true, ...Array(19).fill(false)])
  })

  it("gets on where a try gets further than those before it", () => {
    expect(heard("I will creat", "I will creat", "e a file")).toEqual([true, false, true])
  })

  it("gets on in spite of words that it begins with, too", () => {
    expect(heard("I ", "think that ", "I ", "know. ", "I ", "do.")).toEqual([true, true, false, true, false, true])
  })

  it("gets nowhere in other words either, if it is known to be asked again", () => {
    const progress = createTextProgress()
    expect(progress.said("I will creat")).toBe(true)
    progress.begunAgain()
    expect(progress.said("Let me do")).toBe(false)
    expect(progress.said(" it at once.")).toBe(true)
    progress.begunAgain()
    progress.done()
    expect(progress.said("Now")).toBe(true)
  })
})

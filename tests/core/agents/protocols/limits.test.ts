import { describe, expect, it } from "vitest"
import { classifiedCorpus } from "./limit-corpus.ts"

describe("the classifier of limits", () => {
  const cases = classifiedCorpus()
  const wrong = cases.filter(({ expected, actual }) => expected !== actual)

  it("is tried on hundreds of cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(400)
  })

  it("knows what each of them is, and until when it lasts", () => {
    expect(wrong).toEqual([])
  })
})

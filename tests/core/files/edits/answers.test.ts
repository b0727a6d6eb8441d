import { editsIn } from "@switchyard/core/files/edits/answer-edits"
import { createEditBlockParser } from "@switchyard/core/files/edits/edit-blocks"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { labelledAnswers } from "./answers.ts"
import { writtenAnswers } from "./written-answers.ts"

const ANSWERS = labelledAnswers()

describe("the edits of an answer", () => {
  it(`are those that a reader finds, in each of ${ANSWERS.length} answers`, () => {
    expect(ANSWERS.length).toBeGreaterThanOrEqual(400)
    const wrong = ANSWERS.filter(({ answer, edits, unreadable }) => {
      return JSON.stringify(editsIn(answer)) !== JSON.stringify({ edits, unreadable })
    })
    expect(wrong.map(({ name, answer }) => ({ name, found: editsIn(answer) }))).toEqual([])
  })

  it("are the same however the answer arrives", () => {
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 })
    fc.assert(
      fc.property(fc.constantFrom(...ANSWERS), cuts, ({ answer }, positions) => {
        const whole = createEditBlockParser()
        whole.push(answer)
        const inParts = createEditBlockParser()
        const ends = [...new Set(positions)].sort((a, b) => a - b)
        for (const [at, end] of [...ends, answer.length].entries()) {
          inParts.push(answer.slice(ends[at - 1] ?? 0, end))
          inParts.parts()
        }
        expect(inParts.parts()).toEqual(whole.parts())
      }),
      { numRuns: cases({ usual: 1000, deep: 20_000 }) },
    )
  })

  it("are the same in single characters", () => {
    for (const { answer } of ANSWERS.filter((_, at) => at % 20 === 0)) {
      const parser = createEditBlockParser()
      for (const char of answer) parser.push(char)
      const whole = createEditBlockParser()
      whole.push(answer)
      expect(parser.parts()).toEqual(whole.parts())
    }
  })
})

describe("an answer of blocks, quotations, fences and thoughts", () => {
  const applied = (answer: string, options = {}) =>
    editsIn(answer, options).edits.flatMap(({ block, problem }) => (problem === undefined ? [block] : []))

  it("changes what it means to change, and nothing else", () => {
    fc.assert(
      fc.property(writtenAnswers, ({ answer, meant, isCertain }) => {
        if (isCertain) expect(applied(answer)).toEqual(meant)
        else for (const block of applied(answer)) expect(meant).toContainEqual(block)
      }),
      { numRuns: cases({ usual: 500, deep: 5000 }) },
    )
  })

  it("makes only whole edits of these if it is cut, and is read alike while it arrives", () => {
    fc.assert(
      fc.property(writtenAnswers, fc.array(fc.nat(2000), { maxLength: 12 }), ({ answer, meant }, cuts) => {
        const parser = createEditBlockParser()
        let at = 0
        for (const cut of cuts.map((one) => one % (answer.length + 1)).sort((a, b) => a - b)) {
          parser.push(answer.slice(at, cut))
          at = cut
          const whole = createEditBlockParser()
          whole.push(answer.slice(0, cut))
          expect(parser.parts()).toEqual(whole.parts())
          for (const block of applied(answer.slice(0, cut), { isCut: true })) expect(meant).toContainEqual(block)
        }
      }),
      { numRuns: cases({ usual: 500, deep: 5000 }) },
    )
  })
})

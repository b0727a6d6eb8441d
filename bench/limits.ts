import { classifiedCorpus, type LimitCase } from "../tests/core/agents/protocols/limit-corpus.ts"
import { type Question, timed } from "./measure.ts"

/** Limits in cases per hundred. */
const MISSED_AT_MOST = 1
const FALSE_AT_MOST = 0.5

export const limits: Question = {
  asks: "How many limits and failures of an account are classified wrong, and how much innocent text is taken for one?",
  async answer() {
    let cases: LimitCase[] = []
    const ms = await timed(() => {
      cases = classifiedCorpus()
    })
    const problems = cases.filter(({ expected }) => expected !== null)
    const innocent = cases.filter(({ expected }) => expected === null)
    const missed = problems.filter(({ expected, actual }) => expected !== actual).length
    const taken = innocent.filter(({ actual }) => actual !== null).length
    const inHundred = (count: number, all: LimitCase[]) => (100 * count) / all.length
    return [
      {
        what: `of 100 problems: missed or of the wrong class (${problems.length} cases)`,
        value: inHundred(missed, problems),
        unit: "times",
        target: { of: "value", atMost: MISSED_AT_MOST },
      },
      {
        what: `of 100 innocent texts: taken for a problem (${innocent.length} cases)`,
        value: inHundred(taken, innocent),
        unit: "times",
        target: { of: "value", atMost: FALSE_AT_MOST },
      },
      { what: "classifying all of them", value: ms, unit: "ms" },
    ]
  },
}

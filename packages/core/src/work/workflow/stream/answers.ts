import type { NodeName } from "../schema.ts"

/** The answers of models in a stream, by the visit of a node that has one under way. */
export interface Answers {
  /** The number of those that have begun so far. */
  count: number
  open: Readonly<Record<string, number>>
}

export interface Visit {
  node?: NodeName | undefined
  iteration?: number | undefined
}

export const noAnswers: Answers = { count: 0, open: {} }

/** The answers once a visit has more text, and the id of the answer that has it. */
export function continueAnswer({ count, open }: Answers, visit: Visit): { answers: Answers; id: string } {
  const number = open[keyOf(visit)] ?? count + 1
  return {
    answers: { count: Math.max(count, number), open: { ...open, [keyOf(visit)]: number } },
    id: idOf(number),
  }
}

/** The answers without the one of the visit, or all of them, that is whole or given up; and the ids of those. */
export function endAnswers({ count, open }: Answers, which: Visit | "all"): { answers: Answers; ids: string[] } {
  const isMeant = (key: string) => which === "all" || key === keyOf(which)
  const entries = Object.entries(open)
  return {
    answers: { count, open: Object.fromEntries(entries.filter(([key]) => !isMeant(key))) },
    ids: entries.filter(([key]) => isMeant(key)).map(([, number]) => idOf(number)),
  }
}

function keyOf({ node, iteration }: Visit): string {
  return `${node}:${iteration}`
}

function idOf(number: number): string {
  return `msg_${number}`
}

import type { NodeName } from "../schema.ts"

/** Unfinished model answers in a stream, by node visit. */
export interface Answers {
  /** Number of answers begun so far, including ended answers. */
  count: number
  open: Readonly<Record<string, number>>
}

export interface Visit {
  node?: NodeName | undefined
  iteration?: number | undefined
}

export const noAnswers: Answers = { count: 0, open: {} }

/** Adds a visit's new text to its answer. Returns all answers, and the ID of the visit's answer. */
export function continueAnswer({ count, open }: Answers, visit: Visit): { answers: Answers; id: string } {
  const number = open[keyOf(visit)] ?? count + 1
  return {
    answers: { count: Math.max(count, number), open: { ...open, [keyOf(visit)]: number } },
    id: idOf(number),
  }
}

/** Removes a visit's finished or discarded answer, or all answers. Also returns the IDs of the removed answers. */
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

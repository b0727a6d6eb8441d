import type { Read } from "./parser-table.ts"
import { drain } from "./read-texts.ts"
import type { TextAttack } from "./text-attacks.ts"

export interface Parser {
  name: string
  read: Read
  attacks: TextAttack[]
}

/**
 * Returns the thread's CPU time in milliseconds for reading a text. If the result is a generator, reads it to the end.
 */
async function costOf(read: Read, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    const result: unknown = await read(text)
    const values = (result as { values?: unknown } | undefined)?.values
    if (typeof values === "object" && values !== null && Symbol.iterator in values)
      await drain(values as Iterable<unknown>)
  } catch {
    // A parser may refuse a text by throwing.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Lengths of the first two texts. A linear parser takes four times as long for the second, a quadratic one 16 times.
 */
const FIRST_CHARS = 4_000
const SECOND_CHARS = 16_000
const NOTICED_RATIO = 6
/** A quadratic parser that takes less than this for the second text takes at most 1.2 s for a million characters. */
const NOTICED_MS = 0.3
/** Number of a parser's attacks that are measured with longer texts. */
const MEASURED = 3
const MAX_RATIO = 2.5
/** A doubling counts from this cost on: for shorter texts, each call's fixed cost hides the growth. */
const MEASURED_MS = 10
const MAX_CHARS = 256_000
const REPEATS = 3

/** Returns the shortest of some readings, because other load on the machine only makes them longer. */
async function leastCost(read: Read, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < REPEATS; nth++) least = Math.min(least, await costOf(read, text))
  return least
}

/**
 * Returns the milliseconds of each doubling of a text if two in a row took more than 2.5 times as long; undefined if
 * not.
 */
async function growth(read: Read, attack: TextAttack): Promise<string | undefined> {
  const costs = [await leastCost(read, attack.text(FIRST_CHARS))]
  let slow = 0
  for (let chars = 2 * FIRST_CHARS; chars <= MAX_CHARS; chars *= 2) {
    const before = costs.at(-1) ?? 0
    const cost = await leastCost(read, attack.text(chars))
    costs.push(cost)
    if (before < MEASURED_MS) continue
    // A reading delayed by other load makes one doubling look slow and the next one quick, so two in a row must be
    // slow.
    slow = cost > MAX_RATIO * before ? slow + 1 : 0
    if (slow === 2) return costs.map((ms) => ms.toFixed(0)).join(", ")
  }
}

/** Returns the attacks that cost a parser more than linear time, among the slowest three. */
export async function slowAttacks({ read, attacks }: Parser): Promise<string[]> {
  const noticed: { attack: TextAttack; cost: number }[] = []
  for (const attack of attacks) {
    const [first, second] = [attack.text(FIRST_CHARS), attack.text(SECOND_CHARS)]
    const before = await costOf(read, first)
    const cost = await costOf(read, second)
    if (cost < NOTICED_MS || cost < NOTICED_RATIO * Math.min(before, NOTICED_MS)) continue
    // The first readings may include the time to compile the parser.
    const [least, most] = [await leastCost(read, first), await leastCost(read, second)]
    if (most >= NOTICED_MS && most > NOTICED_RATIO * least) noticed.push({ attack, cost: most })
  }
  const slowest = noticed.toSorted((one, other) => other.cost - one.cost).slice(0, MEASURED)
  const found: string[] = []
  for (const { attack } of slowest) {
    // Other load on the machine is unlikely to disturb three measurements in a row.
    const costs = (await growth(read, attack)) && (await growth(read, attack)) && (await growth(read, attack))
    if (costs !== undefined) found.push(`${attack.name}: ${costs} ms`)
  }
  return found
}

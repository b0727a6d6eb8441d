import type { Read } from "./parser-table.ts"
import { drain } from "./read-texts.ts"
import type { TextAttack } from "./text-attacks.ts"

export interface Parser {
  name: string
  read: Read
  attacks: TextAttack[]
}

/** Milliseconds of this thread's processor for reading a text, to the end if that is a generator. */
async function costOf(read: Read, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    const result: unknown = await read(text)
    const values = (result as { values?: unknown } | undefined)?.values
    if (typeof values === "object" && values !== null && Symbol.iterator in values)
      await drain(values as Iterable<unknown>)
  } catch {
    // A refusal is an answer, too.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Two lengths of a text. A parser in proportion takes four times as long for the second, and the square of it 16 times. */
const FIRST_CHARS = 4_000
const SECOND_CHARS = 16_000
const NOTICED_RATIO = 6
/** A parser that takes less for the second text can't take 100 ms for one of a million characters that is its square. */
const NOTICED_MS = 0.3
/** The attacks of a parser that are measured with longer texts. */
const MEASURED = 3
const MAX_RATIO = 2.5
/** A doubling counts from here on: below, what each call costs hides what the text costs. */
const MEASURED_MS = 10
const MAX_CHARS = 256_000
const REPEATS = 3

/** The quickest of some readings: whatever else the machine does only adds to them. */
async function leastCost(read: Read, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < REPEATS; nth++) least = Math.min(least, await costOf(read, text))
  return least
}

/** The milliseconds for a text that doubles, if twice in a row that takes more than 2.5 times as long. */
async function growth(read: Read, attack: TextAttack): Promise<string | undefined> {
  const costs = [await leastCost(read, attack.text(FIRST_CHARS))]
  let slow = 0
  for (let chars = 2 * FIRST_CHARS; chars <= MAX_CHARS; chars *= 2) {
    const before = costs.at(-1) ?? 0
    const cost = await leastCost(read, attack.text(chars))
    costs.push(cost)
    if (before < MEASURED_MS) continue
    // One reading that was held up makes one doubling look quick.
    slow = cost > MAX_RATIO * before ? slow + 1 : 0
    if (slow === 2) return costs.map((ms) => ms.toFixed(0)).join(", ")
  }
}

/** The attacks for which a parser takes more than in proportion, of those that it is slowest for. */
export async function slowAttacks({ read, attacks }: Parser): Promise<string[]> {
  const noticed: { attack: TextAttack; cost: number }[] = []
  for (const attack of attacks) {
    const [first, second] = [attack.text(FIRST_CHARS), attack.text(SECOND_CHARS)]
    const before = await costOf(read, first)
    const cost = await costOf(read, second)
    if (cost < NOTICED_MS || cost < NOTICED_RATIO * Math.min(before, NOTICED_MS)) continue
    // The first readings may have compiled the parser.
    const [least, most] = [await leastCost(read, first), await leastCost(read, second)]
    if (most >= NOTICED_MS && most > NOTICED_RATIO * least) noticed.push({ attack, cost: most })
  }
  const slowest = noticed.toSorted((one, other) => other.cost - one.cost).slice(0, MEASURED)
  const found: string[] = []
  for (const { attack } of slowest) {
    // Whatever else the machine does isn't in the way three times.
    const costs = (await growth(read, attack)) && (await growth(read, attack)) && (await growth(read, attack))
    if (costs !== undefined) found.push(`${attack.name}: ${costs} ms`)
  }
  return found
}

import fc from "fast-check"

/**
 * The generators below produce the output of programs that paint a screen: text, movement, colors, regions and modes,
 * and also output that no program should write.
 */
const number = fc.integer({ min: 0, max: 30 })
const csi = (final: string, args: fc.Arbitrary<number[]> = fc.array(number, { maxLength: 3 })) =>
  args.map((given) => `\u001b[${given.join(";")}${final}`)

/** Emoji of one and of several characters, and characters that combine with others. */
const EMOJI = ["🤖", "⚡", "✅", "⚠", "⚠️", "🇩🇪", "🇩", "👨‍👩‍👧", "👍🏽", "\u200d", "\ufe0f", "🏽", "a"]

const pieces = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom("漢", "é", "🙂", "e\u0301", "─", "a"), maxLength: 12 }) },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...EMOJI), maxLength: 8 }) },
  { weight: 4, arbitrary: fc.constantFrom("\r\n", "\n", "\r", "\t", "\b") },
  { weight: 6, arbitrary: csi("H") },
  {
    weight: 4,
    arbitrary: csi(
      "m",
      fc.array(fc.constantFrom(0, 1, 2, 3, 4, 7, 9, 22, 27, 31, 44, 97, 105, 39, 49), { maxLength: 3 }),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("\u001b[38;5;200m", "\u001b[48;2;10;20;30m") },
  {
    weight: 4,
    arbitrary: fc.constantFrom("A", "B", "C", "D", "G", "d", "S", "T", "L", "M", "P", "@", "X").chain((f) => csi(f)),
  },
  { weight: 2, arbitrary: fc.constantFrom("J", "1J", "2J", "K", "1K", "2K").map((f) => `\u001b[${f}`) },
  {
    weight: 2,
    arbitrary: csi(
      "r",
      fc.tuple(number, number).map(([a, b]) => [a, b]),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1049, 47, 1047).chain((m) => fc.constantFrom(`\u001b[?${m}h`, `\u001b[?${m}l`)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("?7", "?6", "4", "?25", "?1", "?2004", "?1000", "?1006")
      .chain((m) => fc.constantFrom(`\u001b[${m}h`, `\u001b[${m}l`)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\u001b7",
      "\u001b8",
      "\u001bM",
      "\u001bD",
      "\u001bE",
      "\u001bH",
      "\u001b[3g",
      "\u001b(0",
      "\u001b(B",
      "\u000e",
      "\u000f",
      "\u001b)0",
      "\u001b=",
      "\u001b>",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\u001b]0;title\u0007",
      "\u001b]2;a title\u001b\\",
      "\u001bP1$r\u001b\\",
      "\u001b[!p",
      "\u001bc",
      "\u001b#8",
    ),
  },
)

/** A program's output. Tests cut these bytes anywhere. */
export const program = fc.array(pieces, { minLength: 1, maxLength: 60 }).map((parts) => Buffer.from(parts.join("")))

/** Like `program`, with bytes that aren't UTF-8 and sequences that don't end. */
export const hostileProgram = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: pieces.map((text) => Buffer.from(text)) },
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts))

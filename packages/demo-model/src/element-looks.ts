import { colourNames, colourPhrases, tooColourful } from "./colours.ts"
import type { ElementChange } from "./element-changes.ts"
import { type PromptWords, phrases, promptWords } from "./prompt-words.ts"
import { withoutTypos } from "./typos.ts"
import { filler } from "./vocabulary.ts"

/** Changes that a prompt asks for. A zoom is a factor. */
export type AskedChange = Omit<ElementChange, "selector" | "tag" | "index">

/** Names of an element by its tag. */
export const namesOf: Record<string, string[]> = {
  ...Object.fromEntries(["h1", "h2", "h3"].map((tag) => [tag, phrases("heading, headline, title, header, name")])),
  ...Object.fromEntries(
    ["section", "article", "div", "form"].map((tag) => [tag, phrases("card, box, section, part, block, form, area")]),
  ),
  button: ["button"],
  label: phrases("label, caption"),
  p: phrases("paragraph, sentence, line, subtitle, description"),
  input: phrases("input, field, box"),
}

/** Words about more than an element. */
const WHOLE = /\b(?:all|everything|everywhere|app|application|page|pages|project|site|website)\b/i

/** True for a prompt about the whole project. */
export function isAboutWhole(prompt: string): boolean {
  return WHOLE.test(prompt)
}

/** Returns the looks that a text asks for, or undefined if it contradicts itself or has other words too. */
export function looksIn(said: string, tag: string, others: readonly string[] = []): AskedChange | undefined {
  if (isAboutWhole(said) || isKeptVisible(said)) return undefined
  const text = said.replace(/\bwhite\b/gi, "#ffffff")
  const hexes = text.match(/#(?:[\da-f]{6}|[\da-f]{3})\b/gi) ?? []
  const plain = hexes.reduce((left, hex) => left.replace(hex, " "), text)
  const words = promptWords(withoutTypos(plain, known))
  if (words.take(tooColourful)) return undefined
  words.take(degrees)
  const zoom = zoomIn(words)
  const isBold = oneOf(words, bold)
  const isRound = oneOf(words, round)
  const isHidden = words.take([...hiding.verbs, ...hiding.states, ...hiding.unneeded])
  const named = words.takeEach(Object.values(colourPhrases).flat())
  const colours = new Set([...hexes.map((hex) => hex.toLowerCase() as `#${string}`), ...named.flatMap(colourCalled)])
  const [colour] = colours
  const onBackground = words.take(parts.background)
  const onText = words.take(parts.text)
  words.take([...about, ...(namesOf[tag] ?? []), ...filler, ...others])
  const isUnclear = [zoom, isBold, isRound].includes("unclear") || colours.size > 1
  if (words.left().length > 0 || isUnclear || (isRound !== undefined && !filled.has(tag))) return undefined
  const looks = {
    ...(colour && { colour, isBackground: onBackground || (filled.has(tag) && !onText) }),
    ...(typeof zoom === "number" && { zoom }),
    ...(typeof isBold === "boolean" && { isBold }),
    ...(typeof isRound === "boolean" && { isRound }),
  }
  if (!isHidden) return looks
  // “Remove the background” isn't about the whole element.
  return onBackground || Object.keys(looks).length > 0 ? undefined : { isHidden }
}

function colourCalled(phrase: string) {
  return colourNames.filter((name) => colourPhrases[name].includes(phrase))
}

/** Phrases for too much of what these words say, as in “too big”. */
const tooMuch = (words: string[]) =>
  words.flatMap((word) => ["too", "less", "not so", "not as", "not that"].map((before) => `${before} ${word}`))
const tooLittle = (words: string[]) => words.flatMap((word) => [`not ${word} enough`, `isn't ${word} enough`])

const big = phrases("big, large, huge, enormous, giant")
const small = phrases("small, tiny, little")
const sizes = {
  double: phrases("double the size, double its size, double size, twice as big, twice as large, twice the size"),
  half: phrases("half the size, half its size, half as big, half as large, halve the size, halve its size"),
  bigger: [
    ...phrases("bigger, larger, increase, enlarge, grow, magnify, more big, scale up, scale it up, scale this up"),
    ...tooMuch(small),
    ...tooLittle(big),
  ],
  smaller: [
    ...phrases("smaller, tinier, reduce, decrease, shrink, more small, scale down, scale it down, scale this down"),
    ...tooMuch(big),
    ...tooLittle(small),
  ],
}

/** Takes the words about the size. A comparative counts more than an adjective, as in “it's small, make it bigger”. */
function zoomIn(words: PromptWords): number | "unclear" | undefined {
  const factors = { double: 2, half: 0.5, bigger: 1.25, smaller: 0.8 }
  const asked = Object.entries(factors).filter(([name]) => words.take(sizes[name as keyof typeof sizes]))
  const adjectives = [words.take(big) ? [1.25] : [], words.take(small) ? [0.8] : []].flat()
  const found = asked.length > 0 ? asked.map(([, factor]) => factor) : adjectives
  return found.length > 1 ? "unclear" : found[0]
}

interface Opposites {
  yes: string[]
  no: string[]
}

const bold: Opposites = {
  yes: [...phrases("bold, bolder, in bold, fat, fatter, heavier, thicker"), ...tooLittle(["bold", "fat", "thick"])],
  no: [
    ...phrases("not bold, unbold, remove bold, no bold, without bold, thinner, normal weight, regular weight"),
    ...tooMuch(["bold", "fat", "heavy", "thick"]),
  ],
}
const round: Opposites = {
  yes: [
    ...phrases("round, rounder, rounded, more round, more rounded, round corners, rounded corners, rounder corners"),
    ...tooLittle(["round", "rounded"]),
  ],
  no: [...phrases("square, squared, square corners, sharp corners, not round"), ...tooMuch(["round", "rounded"])],
}

/** Takes the words of two opposites. The negative ones contain the others. */
function oneOf(words: PromptWords, { yes, no }: Opposites): boolean | "unclear" | undefined {
  const isNo = words.take(no)
  const isYes = words.take(yes)
  if (isYes && isNo) return "unclear"
  return isYes || isNo ? isYes : undefined
}

const hiding = {
  verbs: phrases(`
    remove, delete, hide, get rid of, erase, drop, scrap, ditch, lose, take away, take it away, take this away,
    take that away, take out, take it out, take this out, take that out
  `),
  states: phrases("hidden, removed, deleted, gone, invisible, disappear, vanish, go away"),
  unneeded: phrases(`
    don't need, don't want, don't show, do not need, do not want, do not show, no longer need, no longer want, no
    longer needed, no need for, not needed, isn't needed, unnecessary, unneeded, useless, superfluous
  `),
}

/** True for a clause such as “I don't want to hide it”. */
function isKeptVisible(said: string): boolean {
  return said.split(/[,.;:!?\n]/).some((clause) => {
    const words = promptWords(clause)
    return words.take(hiding.unneeded) && words.take([...hiding.verbs, ...hiding.states])
  })
}

const parts = {
  text: phrases("text, font, letters, lettering, words, writing"),
  background: phrases("background, background colour, background color, fill"),
}
const degrees = phrases(`
  a little bit, a little, a bit, bit, slightly, somewhat, a tad, a touch, much, a lot, even, far, way, still
`)
const about = phrases(`
  change, turn, set, be, should, now, size, weight, text size, font size, colour, color, element, selected, thing, one,
  look, instead, rather, paint, dye, anymore, any more, any longer, corners
`)
const known: ReadonlySet<string> = new Set(
  [
    ...Object.values(sizes).flat(),
    ...[...big, ...small, ...bold.yes, ...bold.no, ...round.yes, ...round.no],
    ...[...hiding.verbs, ...hiding.states, ...Object.values(parts).flat(), ...Object.values(colourPhrases).flat()],
  ]
    .join(" ")
    .split(" "),
)

/** Tags whose colour is that of their background. */
const filled: ReadonlySet<string> = new Set(
  phrases("button, input, textarea, select, body, main, section, article, div, form, ul"),
)

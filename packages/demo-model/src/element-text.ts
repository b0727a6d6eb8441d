import { plainLine, TEXT_LINE, unescapeText } from "./element-changes.ts"
import { type AskedChange, looksIn, namesOf } from "./element-looks.ts"
import { phrases } from "./prompt-words.ts"
import type { SelectedElement } from "./selected-elements.ts"
import { quotedAt, takeValue, withoutManners } from "./take-value.ts"

/** Returns the changes of an element that a prompt asks for, or undefined if it has other words too. */
export function askedChange(request: string, { tag, html }: SelectedElement): AskedChange | undefined {
  const prompt = /^(?:can|could|would|will)\b/i.test(request) ? request.replace(/\?$/, "") : request
  const current = TEXT_LINE.test(html) ? unescapeText(html.slice(html.indexOf(">") + 1, html.lastIndexOf("<"))) : ""
  const { quoted, rest } = quotedText(prompt, current)
  const others = looksIn(rest, tag, quoted === undefined ? [] : textWords)
  if (others && quoted === undefined && rest !== prompt) return Object.keys(others).length > 0 ? others : undefined
  if (others && quoted !== undefined && !others.isHidden) return withText(quoted, others)
  return saidText(prompt, tag) ?? replacedText(prompt, current) ?? setTextOrLooks(prompt, tag)
}

function withText(value: string, looks: AskedChange | undefined): AskedChange | undefined {
  return looks && { ...looks, text: plainLine(/^[^.!?]*\.$/.test(value) ? value.slice(0, -1) : value) }
}

/** Finds the only text in quotes. A text that the element has already is its name, as in “hide the "Add" button”. */
function quotedText(prompt: string, current: string): { quoted?: string | undefined; rest: string } {
  const found: { value: string; start: number; end: number }[] = []
  for (let at = 0; at < prompt.length; at = Math.max(at + 1, found.at(-1)?.end ?? 0)) {
    const quoted = /[\p{L}\p{N}]/u.test(prompt.charAt(at - 1)) ? undefined : quotedAt(prompt, at)
    if (quoted) found.push({ ...quoted, value: quoted.value.trim(), start: at })
  }
  const texts = found.filter(({ value }) => value !== current || current === "")
  if (texts.length > 1) return { rest: prompt }
  const rest = found.reduceRight((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, prompt)
  return { quoted: texts[0]?.value, rest }
}

/** Words around a text in quotes, as in “use "Save" as the label”. */
const textWords = phrases(`
  say, says, saying, read, reads, write, written, put, show, use, text, label, title, heading, caption, name, word,
  words, wording, replace, rename, call, called, named, new, add, prefer
`)

const pronouns = ["it", "this", "that"]
const texts = phrases("text, label, title, caption, wording, words, name")

function textNames(tag: string): string[] {
  const elements = ["element", ...(namesOf[tag] ?? [])].flatMap((name) => [name, `${name}'s`, `${name}’s`])
  return namesWith([...texts, ...elements.flatMap((name) => texts.map((text) => `${name} ${text}`))])
}

function namesWith(nouns: readonly string[]): string[] {
  return nouns.flatMap((noun) => [`the ${noun}`, `this ${noun}`, `its ${noun}`])
}

function leadsFor(names: readonly string[], patterns: readonly string[]): string[] {
  return names.flatMap((name) => patterns.map((pattern) => pattern.replace("*", name)))
}

/** A text continues to the end of the line, or to the next change. */
const ONE_TEXT = /^[^\n]{1,500}?(?=,? (?:and|then) (?:make|turn|hide|colou?r) (?:it|this)\b|\n|$)/i

const saying = phrases("rename to, should say, should read, should be called, should be named, to say, to read")
const sayings = phrases(`
  make * say, make * read, let * say, let * read, have * say, can * say, could * say, rename *, call *, name *, label *, title *, caption *
`)
const settings = phrases("change * to, set * to, replace * with, replace * by, switch * to, * should be, change * into")
const START =
  /^(?:(?:please|just|can you|could you),? )?(?:say (?!it\b)|write (?!it\b|this\b|that\b|the\b|in\b)|(?:text|label|title):)/i

/** Reads a text that a word such as “say” or “call” announces. */
function saidText(prompt: string, tag: string): AskedChange | undefined {
  const names = [...pronouns, ...textNames(tag), ...namesWith(["element", ...(namesOf[tag] ?? [])])]
  const { value, rest } = takeValue(prompt, [...saying, ...leadsFor(names, sayings)], ONE_TEXT)
  const change = value === undefined ? undefined : withText(value, looksIn(rest, tag))
  if (change) return change
  const [start = ""] = START.exec(prompt) ?? []
  if (start === "") return undefined
  const lead = start.trim().toLowerCase()
  const said = takeValue(prompt, [lead], ONE_TEXT)
  return said.value === undefined ? undefined : withText(said.value, looksIn(said.rest, tag))
}

/** Replaces a part of the element's text, as in “replace Add with Save” or “Save instead of Add”. */
function replacedText(prompt: string, current: string): AskedChange | undefined {
  const plain = withoutManners(prompt.trim().replace(/^please,? /i, ""))
  const [verb = ""] = /^(?:change|replace|swap|switch|correct)(?: (?:it|this|that))?(?: from)? /i.exec(plain) ?? []
  const instead = /^(?:say |write |put |use )?(.{1,200}?) (?:instead of|rather than) (.{1,200})$/i.exec(plain)
  const inverted = /^instead of (.{1,200}?),? (?:say|write|put|use) (.{1,200})$/i.exec(plain)
  const pairs = [
    ...(instead ? [[instead[2], instead[1]]] : []),
    ...(inverted ? [[inverted[1], inverted[2]]] : []),
    ...(verb === "" ? [] : splitsOf(plain.slice(verb.length))),
  ].map(([old = "", text = ""]) => [unquoted(old), unquoted(text)] as const)
  const found = pairs.find(([old]) => old !== "" && indexOfWord(current, old) >= 0)
  if (!found) return undefined
  const at = indexOfWord(current, found[0])
  return { text: plainLine(current.slice(0, at) + found[1] + current.slice(at + found[0].length)) }
}

/** Returns what may stand before and after “to” or “with”, the longest text before it first. */
function splitsOf(text: string): [string, string][] {
  const links = [...text.matchAll(/ (?:to|with|by|for|into) /gi)].toReversed()
  return links.map(({ index, 0: link }) => [text.slice(0, index), text.slice(index + link.length)])
}

function unquoted(text: string): string {
  const plain = text.trim().replace(/^the words? /i, "")
  const quoted = quotedAt(plain, 0)
  return quoted?.end === plain.length ? quoted.value.trim() : plain
}

function indexOfWord(text: string, word: string): number {
  const at = text.toLowerCase().indexOf(word.toLowerCase())
  const isLetter = (place: number) => /[\p{L}\p{N}]/u.test(text.charAt(place))
  return at >= 0 && !isLetter(at - 1) && !isLetter(at + word.length) ? at : -1
}

/** “Change the text to blue” is about a colour. “Change the text to Remove” isn't about removing the element. */
function setTextOrLooks(prompt: string, tag: string): AskedChange | undefined {
  const looks = looksIn(prompt, tag)
  const asked = looks && Object.keys(looks).length > 0 ? looks : undefined
  const text = takeValue(prompt, leadsFor(textNames(tag), settings), ONE_TEXT)
  const isLook = asked && !asked.isHidden && text.value === text.value?.toLowerCase()
  if (text.value !== undefined && !isLook) return withText(text.value, looksIn(text.rest, tag))
  if (looks) return asked
  const names = [...pronouns, ...namesWith(["element", ...(namesOf[tag] ?? [])])]
  const other = takeValue(prompt, ["change to", ...leadsFor(names, [...settings, "turn * into"])], ONE_TEXT)
  return other.value === undefined ? undefined : withText(other.value, looksIn(other.rest, tag))
}

/** A tag that starts or ends a model's thoughts. */
interface ThoughtTag {
  name: string
  isEnd: boolean
  from: number
  to: number
}

/**
 * A tag in a line. `isNamed` is true if the tag is only mentioned: in inline code, in quotation marks, or as a type
 * parameter.
 */
interface FoundTag extends ThoughtTag {
  isNamed: boolean
}

const NAMES = [
  ...["think", "thinking", "thought", "thoughts", "thought_process", "antthinking", "cot", "chain_of_thought"],
  ...["reason", "reasoning", "reflection", "reflect", "scratchpad", "analysis", "deliberation"],
  ...["monologue", "inner_monologue", "internal_monologue"],
].join("|")

/**
 * Matches the tags around thoughts that models and their chat templates use: `<think>` with any prefix and attributes,
 * `◁think▷`, `[THINK]`, `<|begin_of_thought|>` or `<|START_THINKING|>`, `<|channel|>analysis` until `<|channel|>final`,
 * which some servers shorten to `assistantfinal`, and `<unused94>` until `<unused95>`.
 */
const TAG = new RegExp(
  [
    `<(?<xmlEnd>/?)(?:[\\w-]+:)?(?<xml>${NAMES})(?:\\s[^<>]*)?>`,
    "◁(?<kimiEnd>/?)think(?:ing)?▷",
    String.raw`\[(?<squareEnd>/?)think(?:ing)?\](?![(:[])`,
    `<[|｜](?<tokenKind>/|(?:begin|start|end)[_▁](?:of[_▁])?)?(?<token>think(?:ing)?|thoughts?|reasoning)[|｜]>`,
    String.raw`<\|channel\|?>\s*(?<channel>\w+)(?:<\|message\|>)?`,
    String.raw`(?<final><channel\|>|assistantfinal)`,
    "<unused9(?<unused>[45])>(?:thought(?=\\s|$))?",
  ].join("|"),
  "giu",
)

/** Matches text that may contain a tag. Used as a quick check. */
const MAY_HAVE_TAG = /[<◁[]|assistantfinal/i

const FINAL_CHANNELS = /^(?:final|answer|response)$/i

/** Names of the thought tags that are still open. */
export type OpenThoughts = readonly string[]

export interface ThoughtStep {
  open: OpenThoughts
  /** Text of the line without thoughts. */
  words: string
  /**
   * Set if a thought ends here without a start tag, because some servers omit it. Everything before the end tag was a
   * thought, too. The value is "perhaps" if the tag is in a sentence with spaces around it, because it might only be
   * mentioned there.
   */
  endsUnbegun: "certainly" | "perhaps" | undefined
}

/** Reads one line of an answer outside of edit blocks. */
export function stepThoughts(before: OpenThoughts, line: string): ThoughtStep {
  let open = before
  let words = ""
  let endsUnbegun: ThoughtStep["endsUnbegun"]
  let at = 0
  for (const { name, isEnd, isNamed, from, to } of tagsIn(line)) {
    const opened = open.indexOf(name)
    // If a thought mentions its own end tag, the thought is closed too early. The real end tag then turns everything
    // before it into a thought.
    if (isNamed && !(isEnd && opened !== -1)) continue
    if (open.length === 0) words += line.slice(at, from)
    at = to
    if (!isEnd && opened === -1) open = [...open, name]
    if (isEnd && open.length === 0) {
      const isNamedPerhaps = /\s/.test(line.charAt(from - 1)) && /^\s+\S/.test(line.slice(to, to + 2))
      endsUnbegun = isNamedPerhaps && line.slice(0, from).trim() !== "" ? "perhaps" : "certainly"
      words = ""
    }
    if (isEnd && opened !== -1) open = open.slice(0, opened)
  }
  if (open.length === 0) words += line.slice(at)
  // If a thought ends within the line, the rest is treated like a new line.
  return { open, words: at > 0 ? words.trimStart() : words, endsUnbegun }
}

function tagsIn(line: string): FoundTag[] {
  if (!MAY_HAVE_TAG.test(line)) return []
  const code = createSpans(line, "`")
  const quotes = createSpans(line, '"')
  const tags: FoundTag[] = []
  for (const match of line.matchAll(TAG)) {
    const tag = toTag(match)
    if (!tag) continue
    const { from, isEnd } = tag
    const isQuoted = isEnd ? isBetweenQuotes(line, tag) : quotes.includes(from) || isTypeParameter(line, match)
    tags.push({ ...tag, isNamed: code.includes(from) || isQuoted })
  }
  return tags
}

function isBetweenQuotes(line: string, { from, to }: ThoughtTag): boolean {
  return /["'“”]/.test(line.charAt(from - 1)) && /["'“”]/.test(line.charAt(to))
}

function toTag({ 0: text, index: from, groups = {} }: RegExpExecArray): ThoughtTag | undefined {
  const place = { from, to: from + text.length }
  const { xml, xmlEnd, kimiEnd, squareEnd, token, tokenKind = "", channel, final, unused } = groups
  if (xml !== undefined) {
    return text.endsWith("/>") ? undefined : { name: xml.toLowerCase(), isEnd: xmlEnd === "/", ...place }
  }
  if (kimiEnd !== undefined) return { name: "◁think▷", isEnd: kimiEnd === "/", ...place }
  if (squareEnd !== undefined) return { name: "[think]", isEnd: squareEnd === "/", ...place }
  if (token !== undefined) {
    return { name: `|${token.toLowerCase()}|`, isEnd: tokenKind === "/" || /^end/i.test(tokenKind), ...place }
  }
  if (unused !== undefined) return { name: "unused", isEnd: unused === "5", ...place }
  return { name: "channel", isEnd: final !== undefined || FINAL_CHANNELS.test(channel ?? ""), ...place }
}

function isTypeParameter(line: string, { index, groups }: RegExpExecArray): boolean {
  const { xml = "", xmlEnd = "" } = groups ?? {}
  return xmlEnd === "" && /^[A-Z][a-z]/.test(xml) && /\w/.test(line.charAt(index - 1))
}

/**
 * Creates a function that finds text between pairs of `sign` in a line. Positions must be queried from left to right,
 * so that the line is scanned only once.
 */
function createSpans(line: string, sign: string) {
  const last = line.lastIndexOf(sign)
  let count = 0
  let at = 0
  return {
    includes(index: number): boolean {
      for (; at < index; at++) {
        const before = line[at - 1]
        if (line[at] === sign && before !== "\\" && !(sign === "`" && before === sign)) count++
      }
      return count % 2 === 1 && last > index
    },
  }
}

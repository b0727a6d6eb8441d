import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp"

/** A text that makes an expression backtrack. The pump is the part to repeat. */
export interface Attack {
  start: string
  pump: string
  end: string
}

/**
 * Returns texts on which a backtracking engine may take more than linear time. For each repetition in the expression,
 * the pump is a match of the repeated part, with a match of everything before it in front, once or in each copy. The
 * end matches nothing.
 */
export function attacksOn(pattern: string, flags: string): Attack[] {
  const unicode = flags.includes("u")
  const sets = flags.includes("v")
  const ast = new RegExpParser().parsePattern(pattern, undefined, undefined, { unicode, unicodeSets: sets })
  const repetitions: AST.Quantifier[] = []
  visitRegExpAST(ast, { onQuantifierEnter: (node) => void (node.max > 20 && repetitions.push(node)) })
  const found = new Map<string, Attack>()
  for (const node of repetitions) {
    const start = before(node, flags)
    for (const pump of samples(node.element, flags)) {
      for (const end of ["\0", "\n"]) {
        for (const attack of [
          { start, pump, end },
          { start: "", pump: start + pump, end },
        ]) {
          if (attack.pump !== "") found.set(JSON.stringify(attack), attack)
        }
      }
    }
  }
  return [...found.values()]
}

/** Returns a text that matches everything before a node. */
function before(node: AST.Node, flags: string): string {
  const { parent } = node
  if (!parent) return ""
  if (parent.type !== "Alternative") return before(parent, flags)
  const earlier = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element))
  return before(parent, flags) + earlier.map((element) => samples(element, flags)[0] ?? "").join("")
}

const ALPHABET = [..."aA0 \t\n-_.:/*'\"\\<>{}[]()=,;#@$%&+!?|~^`é“\u0301\u200c\u2028"].concat(
  Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
)
const MOST_SAMPLES = 5

/** Returns some texts that a node matches, different ones if it has alternatives. */
function samples(node: AST.Node, flags: string): string[] {
  switch (node.type) {
    case "Character":
      return [String.fromCodePoint(node.value)]
    case "CharacterClass":
    case "CharacterSet":
    case "ExpressionCharacterClass": {
      const own = new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/g, ""))
      return [...new Set(ALPHABET)].filter((char) => own.test(char)).slice(0, MOST_SAMPLES)
    }
    case "Quantifier": {
      const times = Math.min(Math.max(node.min, 1), 3)
      return samples(node.element, flags).map((sample) => sample.repeat(times))
    }
    case "Group":
    case "CapturingGroup":
      return node.alternatives.flatMap((each) => samples(each, flags)).slice(0, MOST_SAMPLES)
    case "Alternative": {
      const parts = node.elements.map((element) => samples(element, flags))
      const choices = Math.min(MOST_SAMPLES, Math.max(1, ...parts.map((part) => part.length)))
      return Array.from({ length: choices }, (_, choice) =>
        parts.map((part) => (part.length > 0 ? part[choice % part.length] : "")).join(""),
      )
    }
    default:
      return [""]
  }
}

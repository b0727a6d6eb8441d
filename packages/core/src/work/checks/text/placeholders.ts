import type { Node, Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

const COMMENTS = ["comment", "line_comment", "block_comment"]

/**
 * Finds comments that stand for omitted code. Ignores comments that were already in the previous text, because they are
 * intentional.
 */
export function checkPlaceholders(tree: Tree, before: string | undefined): Fault[] {
  return tree.rootNode.descendantsOfType(COMMENTS).flatMap((node) => {
    const comment = node.text
    if (before?.includes(comment)) return []
    const stands = isStub(node) || (isPlaceholder(comment) && !isPartOfLonger(node))
    return stands ? [placeholder(node.startPosition.row + 1, comment)] : []
  })
}

const FUNCTION =
  /^(?:(?:generator_)?function(?:_declaration|_expression|_definition|_item)?|method(?:_definition|_declaration)?|arrow_function)$/
const STUB =
  /^(?:todo|fixme)?[\s:-]*(?:(?:your|the|add|insert|put|write|actual|real)\b.{0,40}\b(?:here|later)|implement\w*(?: (?:me|this|it|here|later|goes here|pending)\b.{0,40})?|(?:to be|not|needs to be) implemented(?: yet)?)[.!\s]*$/i

/** Returns true if a function contains nothing but a comment that promises code. */
function isStub({ text, parent }: Node): boolean {
  const words = text.replace(/^[\s/*#]+|[\s*/]+$/g, "")
  if (!STUB.test(words) || !FUNCTION.test(parent?.parent?.type ?? "")) return false
  return parent?.namedChildren.every(({ type }) => COMMENTS.includes(type) || type === "pass_statement") ?? false
}

/** Finds placeholders in `#` comments, for languages without a grammar. */
export function checkHashPlaceholders(text: string, before: string | undefined): Fault[] {
  const lines = text.split("\n").map((line) => line.trim())
  const isExplanation = (line = "") => line.startsWith("#") && !isPlaceholder(line)
  return lines.flatMap((line, index) => {
    const isOne = line.startsWith("#") && isPlaceholder(line) && !before?.includes(line)
    if (!isOne || isExplanation(lines[index - 1]) || isExplanation(lines[index + 1])) return []
    return [placeholder(index + 1, line)]
  })
}

function placeholder(line: number, comment: string): Fault {
  const message = `"${oneLine(comment)}" is a placeholder for missing content. Write the content out in full, because the file is saved as is.`
  return faultAt(line, "placeholder", message)
}

/** Returns true if a comment belongs to a longer explanation or to commented-out code. */
function isPartOfLonger(node: Node): boolean {
  const { previousSibling, nextSibling } = node
  return [previousSibling, nextSibling].some(
    (other) =>
      other !== null &&
      COMMENTS.includes(other.type) &&
      (other.endPosition.row === node.startPosition.row - 1 || other.startPosition.row === node.endPosition.row + 1) &&
      !isPlaceholder(other.text),
  )
}

const MAX_CHARS = 120

const THING =
  "(?:code|codes|styles?|css|rules?|html|markup|scripts?|functions?|methods?|class(?:es)?|components?|imports?|routes?|handlers?|tests?|logic|implementations?|contents?|file|page|document|template|sections?|properties|fields|definitions|configuration)"
const LEFT_OUT = "(?:unchanged|omitted|as before|as is|same as before|the same|stays? here|goes? here|remains? here)"

/** Matches "the rest of the code", "your existing styles", "all other functions". */
const SUBJECT = new RegExp(
  `^(?:(?:the|your|all|and|keep|with|include|insert|add|of|any) ){0,3}(?:rest of|rest|remaining|remainder of|existing|previous|other|original|unchanged)(?: (?:the|your|this|of|existing|original|css|html|js|page|app))* ${THING}\\b`,
)
const VERB = new RegExp(`\\b(?:(?:stays?|remains?|is|are|kept|left) )?${LEFT_OUT}$`)
const ALL_OF_IT =
  /^(?:(?:the )?(?:rest|remainder)|everything else|nothing else) (?:(?:of (?:it|the file|this file) )?)(?:stays|remains|is|unchanged)/

/** Returns true if a comment only marks an omission: `... existing code ...`, `rest of the file stays unchanged`. */
function isPlaceholder(comment: string): boolean {
  if (comment.length > MAX_CHARS) return false
  const inner = comment.replaceAll(/[/*#<>!(){}[\]"'`=;:,-]+/g, " ").replaceAll("…", "...")
  const words = inner.replaceAll(".", " ").replaceAll(/\s+/g, " ").trim().toLowerCase()
  const hasDots = /^\s*\.{3}|\.{3}\s*$/.test(inner)
  if (SUBJECT.test(words)) return VERB.test(words) || (hasDots && words.split(" ").length <= 7)
  return ALL_OF_IT.test(words) && VERB.test(words)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}

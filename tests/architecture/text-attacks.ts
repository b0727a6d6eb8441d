import { parseSync, Visitor } from "oxc-parser"
import { attacksOn } from "./attacks.ts"

/** A text of any length, made of copies of a piece that may slow a parser down. */
export interface TextAttack {
  name: string
  text(chars: number): string
}

const WORDS = [
  ...["a", "é", "0", " ", "\t", "\n", "\n\n", "\r\n", "\r", "\0", "\x1b", "\x1b[", "\x1b]0;", "\ud800", '"', "'", "`"],
  ...[
    "```",
    '"""',
    "\\",
    '\\"',
    "/",
    "//",
    "/*",
    "<",
    "</",
    "<!--",
    "<a ",
    "<a>",
    "</a>",
    "&",
    "&amp;",
    "(",
    ")",
    "[",
    "]",
  ],
  ...[
    "{",
    "}",
    '{"a":',
    '["',
    "<<<<<<< ",
    "=======",
    ">>>>>>> ",
    "+",
    "-",
    "*",
    "_",
    "_a__",
    "**a",
    ".",
    ",",
    ":",
    ";",
  ],
  ...[
    "=",
    "|",
    "#",
    "$",
    "${",
    "@",
    "%",
    "~",
    "^",
    "!",
    "?",
    "a=1\n",
    "- a\n",
    "> ",
    "a: ",
    "http://a",
    "*a_ ",
    "[a](",
    "..",
    "../",
  ],
]
const NESTED = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ['{"a":', "}"],
  ["<b>", "</b>"],
  ["<ul><li>", "</ul>"],
  ["*", "*"],
] as const
/** Limits on how many of a parser's own words are tried alone and in pairs. */
const MAX_OWN = 60
const MAX_PAIRED = 6

/** Returns attacks on any parser of text, and attacks made of words from this parser's source. */
export function textAttacks(own: readonly string[]): TextAttack[] {
  const copies = (piece: string, chars: number) => piece.repeat(Math.ceil(chars / piece.length))
  const repeated = (piece: string) => ({ name: JSON.stringify(piece), text: (chars: number) => copies(piece, chars) })
  const words = [...new Set([...own.slice(0, MAX_OWN), ...WORDS])]
  const pairs = own
    .slice(0, MAX_PAIRED)
    .flatMap((one) => [...own.slice(0, MAX_PAIRED), '"', "{"].map((other) => [one, other] as const))
  return [
    ...words.flatMap((word) => [word, `${word}a `, `${word}\n`].map(repeated)),
    ...pairs.flatMap(([one, other]) => [
      repeated(`${one}${other}`),
      repeated(`${one} ${other}\n`),
      {
        name: JSON.stringify([one, "…", other]),
        text: (chars: number) => copies(one, chars / 2) + copies(other, chars / 2),
      },
      { name: JSON.stringify([one, other, "…"]), text: (chars: number) => `${one}\n${copies(`${other}\n`, chars)}` },
    ]),
    ...NESTED.map(([begin, end]) => ({
      name: `nested ${begin}`,
      text: (chars: number) => copies(begin, chars / 2) + copies(end, chars / 2),
    })),
    {
      name: "lists in lists around empty lines",
      text: (chars) => `${"<ul><li>".repeat(50)}<pre>${"\n".repeat(chars)}x`,
    },
    { name: "different words", text: (chars) => counted(chars, (nth) => `w${nth} `) },
    { name: "different lines", text: (chars) => counted(chars, (nth) => `w${nth}: "${nth}"\n`) },
    { name: "deeper lines", text: (chars) => counted(chars, (nth) => `${" ".repeat(nth % 200)}- a\n`) },
    { name: "longer runs", text: (chars) => counted(chars, (nth) => `${"`".repeat(nth % 400)}a`) },
  ]
}

function counted(chars: number, piece: (nth: number) => string): string {
  const pieces: string[] = []
  let length = 0
  for (let nth = 0; length < chars; nth++) {
    const next = piece(nth)
    pieces.push(next)
    length += next.length
  }
  return pieces.join("")
}

/** Parameter of a function, with its type as written in the source. */
interface Parameter {
  name: string
  type: string
  isOptional: boolean
}

export interface ExportedFunction {
  name: string
  parameters: Parameter[]
}

/**
 * Returns a module's exported functions, and words from its source: short strings, and texts that its regular
 * expressions repeat.
 */
export function readModule(file: string, text: string): { functions: ExportedFunction[]; words: string[] } {
  const { program } = parseSync(file, text)
  const words = new Set<string>()
  new Visitor({
    Literal(node) {
      if ("regex" in node) {
        for (const { pump } of attacksOn(node.regex.pattern, node.regex.flags).slice(0, 4)) words.add(pump)
      } else if (typeof node.value === "string" && node.value.length <= 20 && !node.value.includes("./"))
        words.add(node.value)
    },
  }).visit(program)
  words.delete("")
  const functions = program.body.flatMap((node): ExportedFunction[] => {
    if (node.type !== "ExportNamedDeclaration" || node.declaration?.type !== "FunctionDeclaration") return []
    const { id, params } = node.declaration
    return [{ name: id?.name ?? "", parameters: params.map((parameter) => parameterOf(parameter, text)) }]
  })
  return { functions, words: [...words] }
}

type Node = { type: string; start: number; end: number }

function parameterOf(node: object, text: string): Parameter {
  const { type, left } = node as { type: string; left?: Node }
  const named = (type === "AssignmentPattern" ? left : node) as Node & {
    name?: string
    optional?: boolean
    typeAnnotation?: Node
  }
  const annotation = named.typeAnnotation
  return {
    name: named.name ?? "",
    type: annotation ? text.slice(annotation.start + 1, annotation.end).trim() : "",
    isOptional: type === "AssignmentPattern" || named.optional === true,
  }
}

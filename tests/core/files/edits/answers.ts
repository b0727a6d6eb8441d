import type { EditBlock } from "@switchyard/core/files/edits/edit-blocks"

/** A model's answer and the edits in it. */
export interface LabelledAnswer {
  name: string
  answer: string
  edits: { block: EditBlock; problem?: string }[]
  unreadable: number
}

const OLD = ["const a = 1", "", "  return a"]
const NEW = ["const a = 2", "  return `a`"]

const PATHS = [
  "src/a.ts",
  "./b/c.py",
  "Makefile",
  ".gitignore",
  "a b.ts",
  "see and/or",
  "# title.md",
  "- list.md",
  "`q.go`",
  "x".repeat(250),
  "größe.ts",
  "`a b.ts`",
]
const USABLE: Record<string, string | undefined> = {
  ...{ "src/a.ts": "src/a.ts", "./b/c.py": "./b/c.py", Makefile: "Makefile", ".gitignore": ".gitignore" },
  ...{
    "`q.go`": "q.go",
    "größe.ts": "größe.ts",
    "`a b.ts`": "a b.ts",
    "# title.md": "title.md",
    "- list.md": "list.md",
  },
}

/** Texts between the path and the block. `keepsPath` is true if the path still belongs to the block. */
const BETWEEN: [name: string, text: string, keepsPath: boolean][] = [
  ["nothing", "", true],
  ["a blank line", "\n", true],
  ["a fence", "```ts\n", true],
  ["a sentence", "Here it is, as asked:\n", false],
]

/** Old and new lines of a block, in different forms. */
const BODIES: [name: string, old: string[], replaced: string[]][] = [
  ["a change", OLD, NEW],
  ["a new file", [], NEW],
  ["a deletion", OLD, []],
  ["a fence within", ["```js", "x", "```"], ["````", "y", "````"]],
  ["markers in prose", ["say <<<< EDIT here"], ["==== REPLACEMENT", ">>>> END"]],
]

type Ending = "ended" | "cut in the new lines" | "cut in the old lines"
const ENDINGS: Ending[] = ["ended", "cut in the new lines", "cut in the old lines"]

/** Returns 720 answers, each path with each possible surrounding, and the edits that a reader finds in them. */
export function labelledAnswers(): LabelledAnswer[] {
  return PATHS.flatMap((path, at) =>
    BETWEEN.flatMap(([betweenName, between, keepsPath]) =>
      BODIES.flatMap(([bodyName, old, replaced], bodyAt) =>
        ENDINGS.map((ending, endingAt): LabelledAnswer => {
          const size = 4 + ((at + bodyAt + endingAt) % 6)
          const eol = (at + endingAt) % 3 === 1 ? "\r\n" : "\n"
          const text = `First I looked.\n\n${path}\n${between}${blockText({ size, old, replaced, ending })}`
          const found = keepsPath ? USABLE[path] : undefined
          const newLines = ending === "cut in the old lines" ? [] : replaced
          const block = found === undefined ? [] : [{ path: found, oldLines: old, newLines }]
          const problem = ending === "ended" ? {} : { problem: "The block has no end marker." }
          return {
            name: `${path.slice(0, 20)}, ${betweenName}, ${bodyName}, ${ending}`,
            answer: text.replaceAll("\n", eol),
            edits: block.map((one) => ({ block: one, ...problem })),
            unreadable: found === undefined ? 1 : 0,
          }
        }),
      ),
    ),
  )
}

function blockText({
  size,
  old,
  replaced,
  ending,
}: {
  size: number
  old: string[]
  replaced: string[]
  ending: Ending
}) {
  const marker = (sign: string, word: string) => `${sign.repeat(size)} ${word}`
  const lines = [marker("<", "EDIT"), ...old]
  if (ending !== "cut in the old lines") lines.push(marker("=", "REPLACE"), ...replaced)
  if (ending === "ended") lines.push(marker(">", "EDIT END"), "", "That is all.")
  return lines.join("\n")
}

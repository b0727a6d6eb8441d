import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { attacksOn } from "./attacks.ts"

const ROOT = join(import.meta.dirname, "../..")

const GIT_ERRORS = "runner/src/git/plumbing/git-errors.ts"
const QUESTION = "500 characters of a question"
const LINE = "300 characters of a line"
const PATH = "260 characters of a line"
const SHORT = "16 KB of git's output"

interface Literal {
  file: string
  line: number
  pattern: string
  flags: string
}

/** Expressions that take quadratic time, with the reason why their texts are short or our own. */
const BOUNDED: [file: string, expression: RegExp, why: string][] = [
  [GIT_ERRORS, /Unable to create '(?<lock>[^\n]+\.lock)': File exists/, SHORT],
  [GIT_ERRORS, /'refs\/heads\/[^\n]*' exists; cannot create/, SHORT],
  [GIT_ERRORS, /[Rr]epository '?[^\n]*'? (not found|does not exist)/, SHORT],
  [GIT_ERRORS, /transport '[^\n]*' not allowed/, SHORT],
  ["core/src/files/edits/edit-paths.ts", /[ \t]*\((?:new|new file|created|updated|modified)\)$/i, PATH],
  ["functions/src/http/api-description.ts", /(?:^|[^a-z0-9]+)([a-z0-9])/gi, "the ids are our own"],
  ["functions/src/http/studio.ts", /<script(?<attributes>[^>]*)>(?<text>[\s\S]*?)<\/script>/gi, "the page is our own"],
  [
    "demo-model/src/chat-edits.ts",
    /\bcreate\s+(?:a file\s+|the file\s+)?`?([\w./-]+\.\w+)`?\s+(?:with|containing|that says)\s+["“]([\s\S]+?)["”]\s*\.?$/i,
    QUESTION,
  ],
  [
    "demo-model/src/chat.ts",
    /\bwhere(?:'s| is| are| was)?\b[^`\w]*`?([\w$.]+)`?\s*(?:\(\))?\s*(?:defined|declared|implemented|\?|$)/i,
    QUESTION,
  ],
  [
    "demo-model/src/chat-shown.ts",
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const|let|var|def|struct|fn|func)\s+[\w$]+.*$/,
    LINE,
  ],
  ["demo-model/src/chat.ts", /<script[^>]*\bsrc="([^"]+)"/, LINE],
  ["demo-model/src/without-types.ts", /^[^\S\n]*\0(?:[\0\s]*\0)?[^\S\n]*\n/gm, "the recipes are our own"],
  ["demo-model/src/provider.ts", /\s*\S+/g, "the answers are our own"],
]

function literals(): Literal[] {
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: ROOT }).flatMap((file) => {
    const found: Literal[] = []
    const text = readFileSync(join(ROOT, file), "utf8")
    new Visitor({
      Literal(node) {
        if (!("regex" in node)) return
        const line = text.slice(0, node.start).split("\n").length
        found.push({ file: file.slice("packages/".length), line, ...node.regex })
      },
    }).visit(parseSync(file, text).program)
    return found
  })
}

/** Returns the CPU time in microseconds that an expression takes for a text, without the process's other threads. */
function costOf(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage()
  if (expression.global) text.replaceAll(expression, "")
  else expression.exec(text)
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/**
 * CPU time in microseconds of one pass over a text, per character. Some systems count CPU time in steps of 10 ms, so
 * the measurement takes many passes.
 */
const PASS = measurePass()

function measurePass(): number {
  const text = "a".repeat(10_000)
  let [spent, chars] = [0, 0]
  while (spent < 100_000) {
    const before = process.threadCpuUsage()
    for (let pass = 0; pass < 100; pass++) /^(?:[^x]|y)*$/.exec(text)
    const { user, system } = process.threadCpuUsage(before)
    spent += user + system
    chars += 100 * text.length
  }
  return spent / chars
}

/** Returns the first attack, from short to long, that takes an expression longer than 300 passes over the text. */
function slowAttack({ pattern, flags }: Literal): string | undefined {
  for (const times of [23, 400, 2000, 8000]) {
    for (const attack of attacksOn(pattern, flags)) {
      const text = attack.start + attack.pump.repeat(times) + attack.end
      const tooMuch = 300 * Math.max(50, PASS * text.length)
      // Other load on the machine is unlikely to disturb three measurements in a row.
      const isSlow = () => costOf(new RegExp(pattern, flags), text) > tooMuch
      if (isSlow() && isSlow() && isSlow()) return JSON.stringify({ ...attack, times })
    }
  }
}

describe("a regular expression of the product", () => {
  const all = literals()

  it("is found", () => expect(all.length).toBeGreaterThan(200))

  it("takes no more than its text's length, unless the text is short or our own", () => {
    const named = ({ file, pattern, flags }: Literal) => `${file} /${pattern}/${flags}`
    const bounded = BOUNDED.map(([file, { source, flags }]) => named({ file, line: 0, pattern: source, flags }))
    const slow = all.flatMap((literal) => {
      const attack = slowAttack(literal)
      return attack ? [{ name: named(literal), line: literal.line, attack }] : []
    })
    expect(slow.filter(({ name }) => !bounded.includes(name))).toEqual([])
    // An expression that was removed or is no longer slow needs no exception.
    const names = slow.map(({ name }) => name)
    expect(bounded.filter((name) => !names.includes(name))).toEqual([])
  })

  it.each([
    ["(a+)+b", ""],
    ["```(?:json)?\\s*\\n([\\s\\S]*?)\\n\\s*```", "i"],
    ["\\/+$", ""],
    ["^[\\s>*_-]*(progress|next)[\\s*_]*:[\\s*_]*(.+?)[\\s*_]*$", "i"],
    ["'refs/[^\\n]*' exists", ""],
  ])("would be found to be slow: /%s/%s", (pattern, flags) => {
    expect(slowAttack({ file: "", line: 0, pattern, flags })).toBeDefined()
  })
})

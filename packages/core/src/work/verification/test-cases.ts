import { HASHES, SLASHES, withoutComments } from "../../text/comments.ts"

/** A test in a test file, with the apparent strength of its assertions. */
export interface TestCase {
  name: string
  /** Sum of the weights of the assertions: 2 for an exact assertion, 1 for a loose one, 0 for a trivial one. */
  strength: number
  /** Number of ways to bypass assertions, such as bare returns and swallowed errors. */
  escapes: number
  /** Texts of the assertions, without whitespace. */
  assertions: string[]
}

/** Patterns for the tests and assertions of a language. They are applied to text without comments. */
interface Language {
  /** Start of a test, with its name in a named group. */
  start: RegExp
  /** Start of an assertion. */
  assertion: RegExp
  /** Parts that make an assertion accept more than one value. */
  loose: RegExp
  comment: RegExp
}

const LOOSE_MATCHERS =
  /\.(?:toBe(?:Truthy|Falsy|Defined|InstanceOf|TypeOf|GreaterThan\w*|LessThan\w*|OneOf)|toMatch(?!InlineSnapshot|Snapshot)\w*|toContain\w*|toHave(?:Property|BeenCalled)\b|toSatisfy|to\.be\.(?:ok|true|a|an|above|below)|to\.exist|to\.(?:contain|include|match))|\.not\b|\btoThrow\(\s*\)|\b(?:anything|any|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo)\(|\bassert(?:\.ok|\.match|\.not\w+|\.doesNot\w+|\.isTrue|\.isOk|\.exists)?\s*\((?![^\n]*[=!]==)|\bt\.(?:truthy|true|ok|pass|not\w*)\(/

const JAVASCRIPT: Language = {
  start:
    /(?<![\w.$])(?:[xf])?(?:it|test|specify)(?:\.\w{1,40}){0,4}(?:\s?\([^()]{0,2000}\))?\s{0,100}\(\s{0,100}(["'`])(?<name>(?:\\.|(?!\1)[^\\\n]){0,300})\1/g,
  assertion:
    /(?<![\w.$])(?:expect\b(?!\.(?:any|anything|\w+Containing|stringMatching|closeTo|not|extend)\b)|assert\b)[\w.]*\s*\(|(?<![\w.$])t\.(?!test|skip|todo|plan|after|before|mock|diagnostic)\w+\(|\.should\b/g,
  loose: LOOSE_MATCHERS,
  comment: SLASHES,
}
const PYTHON: Language = {
  start: /^[ \t]*(?:async\s+)?def\s+(?<name>test\w*)\s*\(/gm,
  assertion: /^[ \t]*assert\b|\bself\.(?:assert\w+|fail)\s*\(|\bpytest\.(?:raises|fail)\s*\(|\bassert_that\s*\(/gm,
  loose:
    /\bassert(?:True|False|IsNotNone|In|NotIn|NotEqual|IsInstance|Greater\w*|Less\w*|AlmostEqual\w*|Regex|IsNot)\b|^\s*assert\b(?![^\n]*(?:==| is (?!not\b)))/,
  comment: HASHES,
}
const JVM: Language = {
  start:
    /(?:@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)(?:(?!@\w{0,13}Test\b|\[(?:Fact|Theory|Test))[\s\S]){0,300}?\b(?<name>\w+)\s*\(\s*(?:\)|\w)[^;{]*\{/g,
  assertion: /\b(?:assert\w*|fail|verify|expectThrows)\s*\(|\bAssert(?:ions)?\.\w+\s*\(|\.Should\(\)|\bshould\w+\(/g,
  loose:
    /\bassert(?:True|False|NotNull|NotEquals|NotSame|InstanceOf)\b|\bAssert\.(?:True|False|NotNull|NotEqual|IsTrue|IsNotNull|Contains|IsType)\b|\.is(?:NotNull|True|NotEqualTo|NotEmpty|InstanceOf)\(/,
  comment: SLASHES,
}
const LANGUAGES: Record<string, Language> = {
  js: JAVASCRIPT,
  py: PYTHON,
  go: {
    start: /^func\s+(?<name>(?:Test|Fuzz|Example)\w*)\s*\(/gm,
    assertion: /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:require|assert|is|qt)\.\w+\(/g,
    loose: /\.(?:True|False|NotNil|NotEmpty|NotEqual|Contains|Greater\w*|Less\w*|IsType|InDelta)\(/,
    comment: SLASHES,
  },
  rs: {
    start:
      /#\[(?:\w{1,40}::){0,4}test\b[^\]]{0,100}\](?:(?!#\[(?:\w{1,40}::){0,4}test\b)[\s\S]){0,300}?\bfn\s{1,20}(?<name>\w+)/g,
    assertion: /\b(?:debug_)?assert\w*!|\bpanic!|#\[should_panic/g,
    loose: /\bassert!\s*\((?![^\n]*==)|\bassert_ne!/,
    comment: SLASHES,
  },
  rb: {
    start:
      /^[ \t]*(?:(?:x|f)?(?:it|specify|test)\s{0,20}\(?\s{0,20}(["'])(?<name>(?:\\.|(?!\1)[^\\\n]){0,300})\1|def\s+(?<method>test_\w+))/gm,
    assertion: /\bexpect\s*[({]|\b(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\bshould\b/g,
    loose:
      /\bbe_(?:truthy|falsey|a|an|nil|present)\b|\bnot_to\b|\binclude\b|\bassert\s|\brefute\w*|\bassert_not\w+|\bassert_(?:includes|match|kind_of)\b/,
    comment: HASHES,
  },
  php: {
    start:
      /\bfunction\s+(?<name>test\w*)\s*\(|#\[Test\](?:(?!#\[Test\])[\s\S]){0,200}?\bfunction\s{1,20}(?<method>\w+)/g,
    assertion: /(?:->|::)assert\w+\s*\(|\bexpect\s*\(|->expectException\w*\(/g,
    loose:
      /assert(?:True|False|NotNull|NotEquals|NotSame|Contains|InstanceOf|NotEmpty|IsArray|IsString)\b|->toBe(?:Truthy|Instance\w*)/,
    comment: SLASHES,
  },
  java: JVM,
  kt: JVM,
  cs: JVM,
  swift: {
    start: /\bfunc\s+(?<name>test\w*)\s*\(|@Test(?:(?!@Test)[\s\S]){0,200}?\bfunc\s{1,20}(?<method>\w+)/g,
    assertion: /\bXCT(?:Assert\w*|Fail)\s*\(|#(?:expect|require)\b/g,
    loose: /XCTAssert(?:True|False|NotNil|NotEqual|(?:Greater|Less)\w{0,40})?\s{0,20}\(/,
    comment: SLASHES,
  },
  exs: {
    start: /^[ \t]*test\s+(["'])(?<name>(?:\\.|(?!\1)[^\\\n]){0,300})\1/gm,
    assertion: /\b(?:assert|refute)\w*\b/g,
    loose: /\brefute\b|\bassert\b(?![^\n]*==)/,
    comment: HASHES,
  },
}

/** Name for the part of a file before its first test, or for the whole file if it has no tests. */
const WHOLE = ""
const MAX_CHARS = 400_000
const MAX_ASSERTION_CHARS = 300

/**
 * Returns the tests of a file. Assertions outside of tests are listed under an empty name. Returns no tests for unknown
 * languages.
 */
export function testCasesIn(path: string, text: string): TestCase[] {
  const language = languageOf(path)
  if (!language || text.length > MAX_CHARS) return []
  const code = withoutComments(text, language.comment)
  const starts = [...code.matchAll(language.start)].map(({ index, groups }) => ({
    index,
    name: groups?.name ?? groups?.method ?? WHOLE,
  }))
  const parts = [{ index: 0, name: WHOLE }, ...starts]
  return parts.map(({ index, name }, at) => caseOf(name, code.slice(index, parts[at + 1]?.index), language))
}

function languageOf(path: string): Language | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1)
  return LANGUAGES[/^[cm]?[jt]sx?$/.test(extension) ? "js" : extension === "kts" ? "kt" : extension]
}

function caseOf(name: string, body: string, { assertion, loose }: Language): TestCase {
  const starts = [...body.matchAll(assertion)].map(({ index }) => index)
  const assertions = starts.map((start, at) => statement(body.slice(start, starts[at + 1])))
  const weights = assertions.map((text) => (isTrivial(text) ? 0 : loose.test(text) ? 1 : 2))
  return {
    name,
    strength: weights.reduce((sum: number, weight) => sum + weight, 0),
    escapes: [...body.matchAll(ESCAPE)].length,
    assertions: assertions.map((text) => text.replaceAll(/\s+/g, "")),
  }
}

/** Returns the assertion at the start of a text, up to the end of its statement outside of all brackets. */
function statement(text: string): string {
  let depth = 0
  for (const [at, char] of [...text.slice(0, MAX_ASSERTION_CHARS)].entries()) {
    if ("([{".includes(char)) depth++
    if (")]}".includes(char)) depth--
    if (depth < 0 || (depth === 0 && (char === ";" || (char === "\n" && !/^\s*\./.test(text.slice(at + 1)))))) {
      return text.slice(0, at).trim()
    }
  }
  return text.slice(0, MAX_ASSERTION_CHARS).trim()
}

/** Returns true if an assertion can't fail, because it asserts a constant or compares a value with itself. */
function isTrivial(text: string): boolean {
  return CONSTANT.test(text) || SAME.test(text)
}

const CONSTANT = /^[\w.!]*\s{0,20}\(?\s{0,20}(?:true|True|1|!0|not False)\s{0,20}(?:\)[\s\S]*|,\s{0,20}["'`f][\s\S]*)?$/
const SAME =
  /^[\w.!]*\s*\(\s*([^\s(),]+)\s*\)\.(?:to\.|not\.)*\w+\(\s*\1\s*\)|^[\w.!]*\s*\(\s*([^\s(),]+)\s*,\s*\2\s*[,)]|^assert\s+(\S+)\s*==\s*\3\s*$/

/** Matches bare returns, conditions that are never true, and swallowed errors. */
const ESCAPE =
  /\breturn\b[ \t]*(?:;|\n|\}|$)|\bif\s{0,20}\(?\s{0,20}(?:false|False|0)\s{0,20}\)?\s{0,20}[:{]|\bcatch\s{0,20}(?:\([^)]{0,100}\))?\s{0,20}\{\s{0,200}\}|\bexcept\b[^:\n]{0,80}:\s{0,200}(?:pass|\.\.\.)|\brescue\b[^\n]{0,200}\n\s{0,200}(?:nil\s{1,200})?end|\brecover\(\)/g

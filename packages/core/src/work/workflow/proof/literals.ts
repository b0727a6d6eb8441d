/** A literal part of a request that the result must contain, such as a quoted text, an address or a colour. */
export interface Literal {
  /** Literal as written in the request. */
  shown: string
  kind: "text" | "name" | "address" | "colour" | "quantity" | "path" | "port"
  /** Clause of the request that contains the literal. */
  clause: string
}

/**
 * Maximum number of literals to search for. A request with more literals is a specification that only a reader can
 * check.
 */
const MAX_LITERALS = 40
/** Maximum length of a clause, which limits the time for searching it. */
const MAX_CLAUSE_CHARS = 600
const NEAR_CHARS = 40

/**
 * Finds the literal parts of a request that the result must contain. Leaves out parts that don't belong in the result:
 * examples, references to similar products, error messages, and things to remove or avoid.
 */
export function literalsIn(request: string): Literal[] {
  const found = clausesOf(request).flatMap((clause) =>
    FINDERS.flatMap(({ kind, pattern, isWanted }) =>
      [...clause.matchAll(pattern)].flatMap((match) => {
        const shown = match.slice(1).find((group) => group !== undefined) ?? match[0]
        const before = clause.slice(0, match.index)
        const after = clause.slice(match.index + match[0].length)
        const around = { before, after, near: before.slice(-NEAR_CHARS) }
        return mayBeWanted(around) && isWanted(shown, around) ? [{ shown, kind, clause }] : []
      }),
    ),
  )
  const unique = new Map(found.map((literal) => [literal.shown, literal]))
  return [...unique.values()].slice(0, MAX_LITERALS)
}

interface Around {
  before: string
  after: string
  /** The last words before the literal. */
  near: string
}

/**
 * Splits a request into clauses. Quoted text isn't split. Code blocks and long lines, such as those of a log, are
 * dropped.
 */
function clausesOf(request: string): string[] {
  const text = request.replaceAll(/```[^`]*(?:```|$)/g, "\n").replaceAll("’", "'")
  const clauses: string[] = []
  let clause = ""
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (/["“”„]/.test(char)) isQuoted = !isQuoted
    const isEnd =
      char === "\n" || (!isQuoted && (char === ";" || (/[.!?]/.test(char) && /\s/.test(text[at + 1] ?? " "))))
    if (char === "\n") isQuoted = false
    if (!isEnd) clause += char
    else {
      clauses.push(clause)
      clause = ""
    }
  }
  return [...clauses, clause].filter((one) => one.trim() !== "" && one.length <= MAX_CLAUSE_CHARS)
}

const UNWANTED =
  /\b(?:not|don't|doesn't|never|no|without|avoid|remove[sd]?|removing|delete[sd]?|drop|rid of|instead of|rather than|except|no longer|unlike|hide|stop)\b/i
const REPORTED =
  /\b(?:error|errors|exception|bug|crash(?:es)?|fails?|failing|broken|wrong|fix|currently|warning|complains?|traceback|console says|typo)\b/i
const EXAMPLE =
  /\b(?:like|similar to|such as|inspired by|as in|e\.g\.|for example|for instance|see|based on|copy of|clone of|style of|compare|according to|documented|docs|or)[\s:,(]*(?:the |a |an |at |on )?$/i
const REPLACED =
  /\b(?:replace[sd]?|replacing|change[sd]?|changing|rename[sd]?|turn|switch|convert|move|translate|correct)\b/i
const REPLACEMENT = /(?:\b(?:to|with|into|by|say|says|read|reads|as)|=|:|→|->)\s*(?:the |a |an )?(?:\w+ )?["'“„`(]*$/i

/** Returns false if the words around the literal mean that the result needn't contain it. */
function mayBeWanted({ before, after, near }: Around): boolean {
  if (UNWANTED.test(before) || REPORTED.test(before)) return false
  if (EXAMPLE.test(near.replace(/["'“„`(]{1,3}$/, ""))) return false
  if (REPLACED.test(before) && !REPLACEMENT.test(near)) return false
  return !/^["'”`)]*\s*(?:error|exception|warning|is (?:wrong|missing|broken)|should (?:be|become|not)|must (?:be|not)|instead)\b/i.test(
    after,
  )
}

/**
 * Words before a text or name that the result must contain. `TEXTS` count only before a capital letter or a digit,
 * because a word in lower case may be quoted for other reasons.
 */
const NAMES =
  /\b(?:called|named|names?|titled?|titles|heading|headline|label(?:l?ed)?|says?|saying|reads?|reading|prints?|printing|returns?|placeholder|caption|slogan|tagline|subtitle|tooltip|class|function|component|id|key)\b[^"'“„`]{0,20}["'“„`(]*$/i
const TEXTS =
  /\b(?:header|labels|texts?|buttons?|links?|shows?|showing|displays?|displaying|writes?|answers?|responds?|contains?|containing|messages?|footer|columns?|options?|tabs?|menu|items?|field|route|to|with|and|or)\b[^"'“„`]{0,20}["'“„`(]*$/i
const NAMED_AFTER =
  /^["'”`]*\s*(?:button|link|heading|title|label|tab|menu|page|section|field|column|checkbox|option|placeholder|message|badge|banner|footer|header)\b/i

function isNamed(text: string, { near, after }: Around): boolean {
  // The result doesn't contain templates or keys verbatim.
  if (/[<>{}…*%$\\|]|\.\.\.|-like$|-style$/i.test(text) || !/\p{L}{2}/u.test(text)) return false
  if (/^[a-z]/.test(after)) return false
  if (NAMES.test(near)) return true
  return /^[\p{Lu}\d]/u.test(text) && (TEXTS.test(near) || NAMED_AFTER.test(after) || text.includes(" "))
}

const FINDERS: { kind: Literal["kind"]; pattern: RegExp; isWanted: (text: string, around: Around) => boolean }[] = [
  {
    kind: "text",
    pattern:
      /"([^"\n]{2,120})"|“([^“”\n]{2,120})”|„([^“”„\n]{2,120})[“”]|«([^«»\n]{2,120})»|(?<![\w)])'([^'\n]{2,80})'(?!\w)/g,
    isWanted: (text, around) => !isOtherKind(text) && isNamed(text, around),
  },
  {
    kind: "name",
    pattern:
      /\b(?:function|class|component|method|module|hook|interface|type|constant|variable|table)s? (?:called|named) ([A-Za-z_$][\w$]{2,60})(?=[.,;:!?)]|$| (?:that|which|to|for|with|and|in|on|of)\b)/gi,
    isWanted: (text) => !CALLED_HOW.test(text),
  },
  {
    kind: "name",
    pattern: /`((?:[A-Za-z_$][\w$]{0,60}\.)?[A-Za-z_$][\w$]{2,60}(?:\([^`\n]{0,80}\))?)`/g,
    // Any other word in backticks may be a value or a command.
    isWanted: (text, { near }) => text.endsWith(")") || /[a-z\d][A-Z]|\w_\w/.test(text) || NAMES.test(near),
  },
  {
    kind: "address",
    pattern: /https?:\/\/[^\s"'<>()`“”]{3,300}/g,
    isWanted: (text, { before }) =>
      !/[{}*…]|\.\.\./.test(text) &&
      !/\b(?:docs|documentation|reference|like|inspired|clone|copy|look at|guide|article|repository|issue|from|here|read)\b/i.test(
        before,
      ),
  },
  {
    kind: "colour",
    pattern: /(?<![\w/&#])#(?:[\da-f]{8}|[\da-f]{6}|[\da-f]{3})(?![\w-])/gi,
    isWanted: (text, { before, after }) => text.length > 4 || COLOURED.test(`${before} ${after}`),
  },
  {
    kind: "quantity",
    pattern:
      /(?<![\w.,:#/-])\d{1,9}(?:\.\d{1,4})? ?(?:px|rem|em|vh|vw|pt|ms|seconds?|minutes?|hours?|days?|%|KB|MB|GB|kg|km|cm|mm|€|EUR|USD|euros?|dollars?)(?![\w-])|[$€£]\d{1,9}(?:\.\d{1,4})?(?![\w.])/g,
    isWanted: (_text, { near }) =>
      !/\b(?:about|around|approximately|roughly|within|under|below|over|above|than|most|least|up to|every few|between|to|last|past|~)\s*$/i.test(
        near,
      ),
  },
  {
    kind: "path",
    pattern:
      /(?<![\w./@:-])(?:[\w@.-]{1,60}\/){0,8}[\w@-][\w@.-]{0,60}\.(?:html?|css|scss|jsx?|tsx?|mjs|cjs|json|py|go|rs|java|rb|php|md|ya?ml|toml|sql|sh|txt|csv|svg|vue|svelte)(?![\w-]|\/|\.\w)/g,
    isWanted: (text) => text.includes("/") || !/^[A-Z]\w*\.js$|^\w+\.js$/.test(text) || FILE_NAMES.test(text),
  },
  {
    kind: "path",
    pattern: /(?<![\w./:<@-])\/[a-z][\w-]{0,40}(?:\/[\w:{}-]{1,40}){0,6}(?![\w.]*\.\w)/gi,
    isWanted: (_text, { near }) =>
      /\b(?:GET|POST|PUT|PATCH|DELETE|route|routes|endpoint|endpoints|path|url|page|pages|under|at|and|to|serves?|,)\s*["'`(]*$/i.test(
        near,
      ),
  },
  { kind: "port", pattern: /\bport (\d{2,5})\b/gi, isWanted: () => true },
  { kind: "port", pattern: /\blocalhost:(\d{2,5})\b/gi, isWanted: () => true },
]

/** Words that aren't a name although they follow “called”, as in “a function called twice”. */
const CALLED_HOW =
  /^(?:when\w*|after|before|once|every|each|twice|only|during|inside|outside|within|again|from|with|by|via|upon|the|\w+ly)$/i
const COLOURED = /colou?r|background|theme|accent|border|text|shade|gradient|fill|palette|button|header/i
/** Script names that are files, as opposed to libraries such as `three.js`. */
const FILE_NAMES = /^(?:app|index|main|server|script|scripts|game|utils?|config|store|api|router|test|worker|sw)\.js$/

/** Returns true if a quoted text is an address, colour, path or quantity, because these have their own finders. */
function isOtherKind(text: string): boolean {
  return /^(?:https?:\/\/|\/|#[\da-f]{3,8}$)|^[\w./@-]+\.\w{1,5}$/i.test(text)
}

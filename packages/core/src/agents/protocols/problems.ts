import { isoTime } from "../../time.ts"
import type { Problem, ProblemKind } from "../clis/schema.ts"

/**
 * Error that a CLI has reported. It is only taken from error fields and stderr, never from the output of models or
 * tools.
 */
export interface ReportedError {
  message: string
  /** HTTP status of the model API, if the CLI passed it on. */
  status?: number | null
  /** The CLI's own classification of the error, if it has one. */
  kind?: ProblemKind
  /** Error code of the model API. It is classified together with the message. */
  code?: string
  resetsAt?: string | null
}

/** Classifies a reported error by the CLI's own classification, or else by the HTTP status, or else by the text. */
export function problemFrom({ message, status, kind, code = "", resetsAt }: ReportedError): Problem {
  const text = withAsciiQuotes(`${code} ${message}`)
  const resets_at = resetsAt ?? resetTime(text)
  return {
    kind: kind ?? kindByStatus(text, status ?? null) ?? kindByText(text) ?? "unknown",
    message: message.trim() || "The agent failed without an error message.",
    ...(resets_at && { resets_at }),
  }
}

/** Returns the problem shown in stderr, for failures that have no other explanation. Undefined if there is none. */
export function problemInStderr(text: string): Problem | undefined {
  const lines = withAsciiQuotes(text)
    .split(/\r?\n/)
    .filter((line) => /\S/.test(line))
  for (const line of lines.slice(-STDERR_LINES).reverse()) {
    const kind = isErrorLine(line) ? kindByText(line, isError) : undefined
    if (kind) return { kind, message: line.trim() }
  }
  return undefined
}

/** False for code, diffs, commands, the output of tests and tools, and errors of APIs other than the model's. */
function isErrorLine(line: string): boolean {
  if (COMMAND.test(line)) return false
  return !/^(?:\s|[-+#>"'✓]|\/\/|const |test |pass |fail |diff |commit |logger\.|npm err|curl: |fatal: |remote: |docker: |pip: )|\d ?% used/i.test(
    line,
  )
}

/** False for file names, commands and quotations, and for words that only name a handler, a page or a flag. */
function isError(line: string, { index, 0: found }: RegExpExecArray): boolean {
  const before = line.slice(0, index)
  const after = line.slice(index + found.length)
  const isAfterOption = /(?:^|\s)--?[a-z]/i.test(before)
  if (isAfterOption || /^[\w./-]+:\d+:/.test(before) || isQuoted(before)) return false
  const isName = /^\.\w/.test(after) || line[index - 1] === "/"
  const isAttribute =
    /^ (?!(?:reached|exceeded|for|of|on|in|until|to|has|is|was|and|or|please|with|by|at|before|sending|while|found|error)\b)[a-z]+/.test(
      after,
    )
  return !isName && !isAttribute
}

/** Start of a shell command, as printed by shells and scripts. */
const COMMAND =
  /^(?:\$ )?(?:sudo |env )?(?:\.{0,2}\/[^\s:]+|echo|printf|e?grep|rg|ag|sed|awk|find|git|npm|npx|node|python3?|pytest|cargo|make|bash|sh|xargs|time|timeout \d\S*) /

/**
 * True if the match is within quotation marks, unless the line is an error in JSON. An apostrophe doesn't begin a
 * quotation.
 */
function isQuoted(before: string): boolean {
  if (/"error"\s*:/.test(before)) return false
  return ['"', "`", "'"].some((mark) => before.replace(/\w'\w/g, "").split(mark).length % 2 === 0)
}

const STDERR_LINES = 20

function kindByStatus(text: string, status: number | null): ProblemKind | undefined {
  if (status === null) return undefined
  if (status === 429) return kindOfRefusal(text)
  if (BILLING.test(text) || status === 402) return "billing"
  if ((status === 401 || status === 403) && QUOTA.test(text)) return "quota_exhausted"
  if (status === 401 || status === 403 || KEY.test(text)) return "auth"
  if (status === 404) return "model_not_found"
  if (TIMEOUT_STATUS.has(status)) return "timeout"
  if (status >= 500) return "overloaded"
  return undefined
}

/** HTTP statuses that mean a timeout. 408 and 504 are standard HTTP; the others are Cloudflare's. */
const TIMEOUT_STATUS: ReadonlySet<number> = new Set([408, 504, 522, 524])

/** Classifies a 429. It may mean a limit per minute, a limit per day, or that a payment is missing. */
function kindOfRefusal(text: string): ProblemKind {
  if (BILLING.test(text)) return "billing"
  if (/overloaded|capacity exceeded/i.test(text)) return "overloaded"
  if (/per.?day\b|PerDay|\([RT]PD\)/i.test(text)) return "quota_exhausted"
  if (/per.?min(?:ute)?(?![a-z])|PerMinute|\([RT]PM\)/i.test(text) || PACE.test(text)) return "rate_limited"
  // A quota that is available again in less than a minute is a rate limit.
  if (/(?:try again|retry) (?:in|after) [\d.]+m?s\b/i.test(text)) return "rate_limited"
  return QUOTA.test(text) ? "quota_exhausted" : "rate_limited"
}

/**
 * Billing errors. Each phrase must end at the end of a word, because many of these words also occur in names with
 * underscores.
 */
const BILLING =
  /credit.?balance\b.{0,40}(?:too low|insufficient)|insufficient.?(?:credits?|funds|balance)|out of credits?(?![a-z])|credits? (?:is |are |has been |have been )?exhausted|billing.?(?:hard.?)?limit.?(?:has been )?(?:exceeded|reached)|payment required|requires billing|billing.?(?:disabled|not.?active)|usage.?not.?included|arrearage|account (?:has been |is )?(?:suspended|disabled|deactivated)|account.?deactivated|account associated with .{0,40}deactivated|with your chatgpt plan, upgrade|account is in good standing/i
/**
 * Alibaba's messages for too many tokens per minute. The text mentions a quota; only the link in it names the actual
 * limit.
 */
const PACE = /allocated quota exceeded, please increase your quota limit|error-code#(?:token|rate)-limit/i
const QUOTA =
  /hit your (?:\w{1,20} )?limit|(?:usage|session|daily|weekly|monthly|\d.?hour).limits?(?![a-z])|quota (?:has been )?exceeded|exceeded your current quota|exhausted your (?:daily quota|capacity)|insufficient.?quota|daily quota|free tier .{0,40}exhausted|FreeTierOnly/i
const KEY =
  /\b(?:invalid|incorrect|missing) (?:x-)?api.key|api key (?:not valid|expired)|api_key_invalid|not logged in|missing environment variable: `\w*key`|invalid bearer token|token (?:has |was )?(?:been )?(?:expired|revoked)|sign(?:ing)? in again/i

const patterns: [ProblemKind, RegExp][] = [
  ["billing", BILLING],
  ["rate_limited", PACE],
  ["quota_exhausted", QUOTA],
  [
    "rate_limited",
    /(?:(?:error|\bstatus|\bhttp|\bcode)\W{0,3}|\()429\b|\b429 (?:too many|status|rate|resource|\{)|throttl(?:ed|ing)|(?<![a-z])rate.?limit(?:ed|s)?(?:.?exceeded)?(?![a-z])(?! reset)|too many requests|resource.(?:has been )?exhausted/i,
  ],
  ["auth", KEY],
  [
    "auth",
    /\b401 unauthorized\b|\b(?:status|error:?) (?:401|403)\b|authentication[_ ](?:failed|error)|please set an auth method/i,
  ],
  [
    "session_not_found",
    /no conversation found|no saved session|session not found|no rollout found|invalid session identifier/i,
  ],
  [
    "model_not_found",
    /\bmodel\b.{0,80}(?:does not exist|not found)|models\/[\w.:-]{1,200} is not found|issue with the selected model/i,
  ],
  ["overloaded", /\b529\b|overloaded|high demand|at capacity|temporarily unavailable|\b(?:status|error:?) 50[0-4]\b/i],
  [
    "network",
    /econnre\w+|enotfound|etimedout|eai_again|epipe|fetch failed|und_err|stream disconnected|error sending request|connection (?:was )?(?:dropped|refused|reset|error|closed)|socket hang up|unable to connect|premature close|\bterminated\b/i,
  ],
  // Agents print this for any failure, along with the actual error, so check more specific patterns first.
  ["overloaded", /\binternal (?:server )?error/i],
  ["timeout", /timed? ?out|deadline.?(?:exceeded|expired)/i],
]

function kindByText(
  text: string,
  accepts: (text: string, found: RegExpExecArray) => boolean = () => true,
): ProblemKind | undefined {
  return patterns.find(([, pattern]) => {
    const found = pattern.exec(text)
    return found !== null && accepts(text, found)
  })?.[0]
}

/** Replaces the typographic apostrophes that some providers use. */
function withAsciiQuotes(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'")
}

/**
 * Parses "…regain access on 2026-12-01 at 00:00 UTC". Ignores invalid times, and times without a date, because they are
 * ambiguous.
 */
function resetTime(text: string): string | null {
  const found = /\b(\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/.exec(text)
  return isoTime(found ? Date.parse(`${found[1]}T${found[2]}:00.000Z`) : undefined)
}

import type { Problem, ProblemKind } from "./schema.ts"

/** A CLI's report of a failure. Only error fields and standard error come here, never text of the model or a tool. */
export interface Told {
  message: string
  /** HTTP status of the model's API, where the CLI passes it on. */
  status?: number | null
  /** The CLI's own class of the error, if it has one. */
  kind?: ProblemKind
  /** The name that the model's API gives the error; read with the message. */
  code?: string
  resetsAt?: string | null
}

/** Structure first: the CLI's own class, then the status; the words come last. */
export function problemFrom({ message, status, kind, code = "", resetsAt }: Told): Problem {
  const text = plain(`${code} ${message}`)
  const resets_at = resetsAt ?? resetTime(text)
  return {
    kind: kind ?? byStatus(text, status ?? null) ?? byText(text) ?? "unknown",
    message: message.trim() || "The agent failed without a reason.",
    ...(resets_at && { resets_at }),
  }
}

/** The problem that standard error names where nothing else explains a failure; undefined for the chatter that it is mostly. */
export function problemInStderr(text: string): Problem | undefined {
  const lines = plain(text)
    .split(/\r?\n/)
    .filter((line) => /\S/.test(line))
  for (const line of lines.slice(-STDERR_LINES).reverse()) {
    const kind = byText(line)
    if (kind) return { kind, message: line.trim() }
  }
  return undefined
}

const STDERR_LINES = 20

function byStatus(text: string, status: number | null): ProblemKind | undefined {
  if (status === null) return undefined
  if (status === 429 && QUOTA.test(text)) return "quota_exhausted"
  if (status === 429) return BILLING.test(text) ? "billing" : "rate_limited"
  if (BILLING.test(text) || status === 402) return "billing"
  if (status === 401 || status === 403 || KEY.test(text)) return "auth"
  if (status === 404) return "model_not_found"
  if (status >= 500) return "overloaded"
  return undefined
}

/** Words end where letters do: many of these stand in names with underscores, too. */
const BILLING =
  /credit.?balance\b.{0,40}(?:too low|insufficient)|insufficient.?(?:credits?|funds)|out of credits?(?![a-z])|credits? (?:is |are |has been |have been )?exhausted|billing.?(?:hard.?)?limit.?(?:exceeded|reached)|payment required|requires billing|billing_disabled|account (?:has been |is )?(?:suspended|disabled|deactivated)/i
const QUOTA =
  /hit your (?:usage |session |weekly )?limit|(?:usage|session|daily|weekly|monthly).limits?(?![a-z])|quota (?:has been )?exceeded|exceeded your current quota|exhausted your daily quota|insufficient.?quota|daily quota/i
const KEY =
  /\b(?:invalid|incorrect|missing) (?:x-)?api.key|api key not valid|api_key_invalid|not logged in|missing environment variable: `\w*key`/i

const patterns: [ProblemKind, RegExp][] = [
  ["billing", BILLING],
  ["quota_exhausted", QUOTA],
  [
    "rate_limited",
    /\b429\b|(?<![a-z])rate.?limit(?:ed|s)?(?:.?exceeded)?(?![a-z])(?! reset)|too many requests|resource.(?:has been )?exhausted/i,
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
    /\bmodel\b.{0,80}(?:does not exist|not found)|models\/\S+ is not found|issue with the selected model/i,
  ],
  ["overloaded", /\b529\b|overloaded|high demand|\b(?:status|error:?) 50[0-4]\b/i],
  [
    "network",
    /econnre\w+|enotfound|etimedout|fetch failed|und_err|stream disconnected|connection (?:dropped|refused|reset|error)|\bterminated\b/i,
  ],
  // Agents say this of whatever went wrong; what it was stands beside it.
  ["overloaded", /\binternal (?:server )?error/i],
  ["timeout", /timed? ?out/i],
]

function byText(text: string): ProblemKind | undefined {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0]
}

/** Providers write apostrophes as typographers do. */
function plain(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'")
}

/** "…regain access on 2026-12-01 at 00:00 UTC": a time of day alone says too little to be believed. */
function resetTime(text: string): string | undefined {
  const found = /\b(\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/.exec(text)
  return found ? `${found[1]}T${found[2]}:00.000Z` : undefined
}

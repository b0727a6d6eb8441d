import fc from "fast-check"

/** A request of the corpus. */
export interface Case {
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** Texts that commonly break parsers. */
const NASTY = [
  ...[
    "",
    " ",
    ".",
    "..",
    "../..",
    "/",
    "\\",
    "a//b",
    "%",
    "%zz",
    "%ff",
    "%00",
    "%2e%2e%2f",
    "~",
    "C:\\x",
    "\0",
    "\u202e",
  ],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "null", "undefined", "NaN", "true", "-1", "0", "1e309"],
  ...["\ufeff", "\ud800", "\udfff", "🦊", "e\u0301", "\u2028", "\r\nX-Evil: 1", "'; DROP TABLE records; --", "{{7*7}}"],
  ...[
    "9".repeat(400),
    "x".repeat(300),
    "d/".repeat(600),
    "🦊".repeat(5000),
    "a.txt",
    "default",
    "sub/new.txt",
    "groq/",
  ],
]
const nasty = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 12 }),
)

const FIELDS = [
  ...["user_prompt", "api_key", "mutable_prompt", "prompt_overrides", "workspace_id", "model", "recursion_limit"],
  ...["task_description", "coding_agent", "project_path", "override_prompt", "terminal_rows", "consent", "name"],
  ...["path", "content", "from_path", "to_path", "overwrite", "__proto__", "constructor", "extra"],
]
const USUAL = {
  user_prompt: "A page",
  task_description: "Try it.",
  coding_agent: "nobody",
  path: "new.txt",
  content: "text",
  from_path: "a.txt",
  to_path: "b/c.txt",
}

const anyJson = fc.jsonValue({ maxDepth: 3 })
const anyField = fc.oneof(nasty, anyJson, fc.double(), fc.bigInt().map(Number), fc.constant(null))
const fields = fc.oneof(
  // Valid except for one or two texts, so that the request passes the first check.
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), nasty, { minKeys: 1, maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), anyField, { maxKeys: 3 }) },
)
const text = fc.oneof(
  { weight: 8, arbitrary: fields.map((some) => JSON.stringify({ ...USUAL, ...some })) },
  fields.map((some) => JSON.stringify(some)),
  fields.map((some) => JSON.stringify(some).slice(0, -1)),
  anyJson.map((any) => JSON.stringify(any)),
  fc.constantFrom(
    "",
    "{",
    "nul",
    "[".repeat(20_000),
    '{"a":'.repeat(20_000),
    "\ufeff{}",
    '{"path":"a","path":7}',
    "1e999",
  ),
)
const body = fc.oneof(
  { weight: 12, arbitrary: text.map((said) => Buffer.from(said)) },
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
)

const encoded = nasty.map((said) => (said.isWellFormed() ? encodeURIComponent(said).slice(0, 3000) : "%ED%A0%80"))
const component = fc.oneof(
  { weight: 6, arbitrary: encoded },
  fc.constantFrom("%", "%zz", "%ff%fe", "%00", "..", "%2F", "&&", "=", "+"),
)
/** Generates query strings with an endpoint's parameters, and sometimes with an unknown parameter. */
function queryOf(names: readonly string[]): fc.Arbitrary<string> {
  const pairOf = (name: string) => fc.tuple(fc.constant(name), component)
  const own = names.length > 0 ? fc.array(fc.oneof(...names.map(pairOf)), { maxLength: 3 }) : fc.constant([])
  const other = pairOf("x").map((pair) => [pair])
  return fc.oneof({ weight: 12, arbitrary: own }, other).map((pairs) => pairs.map(toQuery).join("&"))
}

/** A positive `wait` is valid, but slows the test down. */
function toQuery([name, said]: [string, string]): string {
  return `${name}=${name === "wait" && Number(said) > 0 ? "-1" : said}`
}

const HEADERS = [
  "x-workspace-id",
  "x-api-key",
  "last-event-id",
  "idempotency-key",
  "accept",
  "cookie",
  "range",
  "origin",
]
const header = nasty.map((said) => said.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").slice(0, 1000))
const types = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json") },
  fc.constantFrom("application/json; charset=utf-16", "text/plain", "", "a/b/c;;="),
)
const headers = fc
  .tuple(types, fc.array(fc.tuple(fc.constantFrom(...HEADERS), header), { maxLength: 1 }))
  .map(([type, pairs]) => ({ ...Object.fromEntries(pairs), ...(type && { "content-type": type }) }))

/** Generates requests for an endpoint. Most of them are invalid. */
export function corpus(
  { method, path, parameters }: { method: string; path: string; parameters: readonly string[] },
  options: { knownId: string; numRuns: number; seed: number },
): Case[] {
  const parameter = fc.oneof(
    component.filter((said) => said !== ""),
    fc.constant(options.knownId),
  )
  const filled = parameter.map((said) => path.replace(/:\w+/g, () => said))
  const bodies = method === "GET" ? fc.constant(Buffer.alloc(0)) : body
  return fc
    .sample(fc.record({ path: filled, query: queryOf(parameters), headers, body: bodies }), options)
    .map(({ query, ...parts }) => ({ ...parts, path: `${parts.path}?${query}` }))
}

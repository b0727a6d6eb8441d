import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import type { ProblemKind } from "@switchyard/core/agents/clis/schema"

/** A refusal of a vendor's API, as its documentation or its users report it. */
export interface DryApi {
  name: string
  /** Programs that use this API. */
  clis: BuiltInCli[]
  status: number
  headers(now: number): Record<string, string>
  /** Returns a JSON document or the lines of a stream. */
  body(now: number): object | string
  /** Expected problem. If the limit ends at a time of day, only the existence of that time is checked. */
  expected: { kind: ProblemKind; resetsInS?: number; resetsAtMidnight?: boolean }
}

const seconds = (ms: number) => Math.floor(ms / 1000)
const none = () => ({})
const isoIn = (now: number, ms: number) => new Date(now + ms).toISOString().replace(/\.\d+Z/, "Z")

/** Returns the headers of a Claude plan's limit: both of its windows, and the reached one. */
function planOf(claim: "five_hour" | "seven_day", resetsInS: number) {
  const [met, other] = claim === "five_hour" ? ["5h", "7d"] : ["7d", "5h"]
  return (now: number) => {
    const prefix = "anthropic-ratelimit-unified"
    const reset = String(seconds(now) + resetsInS)
    return {
      [`${prefix}-status`]: "rejected",
      [`${prefix}-reset`]: reset,
      [`${prefix}-representative-claim`]: claim,
      [`${prefix}-${met}-status`]: "rejected",
      [`${prefix}-${met}-reset`]: reset,
      [`${prefix}-${met}-utilization`]: "1.0",
      [`${prefix}-${other}-status`]: "allowed",
      [`${prefix}-${other}-reset`]: String(seconds(now) + 86_400),
      [`${prefix}-${other}-utilization`]: "0.41",
      [`${prefix}-fallback-percentage`]: "0.5",
      [`${prefix}-overage-status`]: "rejected",
      [`${prefix}-overage-disabled-reason`]: "org_level_disabled",
      "retry-after": String(resetsInS),
      "x-should-retry": "true",
    }
  }
}

const anthropic = (type: string, message: string) => () => ({
  type: "error",
  error: { type, message },
  request_id: "req_011CT0000000000000000000",
})

const openai = (type: string, code: string | null, message: string) => () => ({
  error: { message, type, param: null, code },
})

const codexPlan = (resetsInS: number) => (now: number) => ({
  error: {
    type: "usage_limit_reached",
    message: "The usage limit has been reached",
    plan_type: "plus",
    resets_at: seconds(now) + resetsInS,
    eligible_promo: null,
    resets_in_seconds: resetsInS,
  },
})

const codexWindows = (resetsInS: number) => (now: number) => ({
  "x-codex-active-limit": "premium",
  "x-codex-plan-type": "plus",
  "x-codex-primary-used-percent": "100",
  "x-codex-secondary-used-percent": "80",
  "x-codex-primary-window-minutes": "300",
  "x-codex-secondary-window-minutes": "10080",
  "x-codex-primary-reset-after-seconds": String(resetsInS),
  "x-codex-secondary-reset-after-seconds": "316705",
  "x-codex-primary-reset-at": String(seconds(now) + resetsInS),
  "x-codex-secondary-reset-at": String(seconds(now) + 316_705),
  "x-codex-credits-has-credits": "False",
  "x-codex-credits-balance": "0",
  "x-codex-credits-unlimited": "False",
})

/** Returns a stream that begins like an answer and then fails. */
function failedResponse(code: string, message: string) {
  const response = { id: "resp_1", object: "response", created_at: 0, status: "in_progress", output: [] }
  const failed = { ...response, status: "failed", error: { code, message } }
  return () =>
    [
      `event: response.created\ndata: ${JSON.stringify({ type: "response.created", response })}\n\n`,
      `event: response.failed\ndata: ${JSON.stringify({ type: "response.failed", response: failed })}\n\n`,
    ].join("")
}

const QUOTA = "You exceeded your current quota, please check your plan and billing details."

function google(quotaId: string, retryDelay: string | null) {
  const metric = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
  const dimensions = { location: "global", model: "gemini-2.5-pro" }
  const violation = { quotaMetric: metric, quotaId, quotaDimensions: dimensions, quotaValue: "50" }
  const type = (name: string) => ({ "@type": `type.googleapis.com/google.rpc.${name}` })
  const help = {
    description: "Learn more about Gemini API quotas",
    url: "https://ai.google.dev/gemini-api/docs/rate-limits",
  }
  return () => ({
    error: {
      code: 429,
      message: `${QUOTA} For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: ${metric}, limit: 50${retryDelay === null ? "" : `\nPlease retry in ${retryDelay.replace("s", ".2s")}.`}`,
      status: "RESOURCE_EXHAUSTED",
      details: [
        { ...type("QuotaFailure"), violations: [violation] },
        { ...type("Help"), links: [help] },
        ...(retryDelay === null ? [] : [{ ...type("RetryInfo"), retryDelay }]),
      ],
    },
  })
}

export const dryApis: DryApi[] = [
  {
    name: "plan-five-hours",
    clis: ["claude"],
    status: 429,
    headers: planOf("five_hour", 8722),
    body: anthropic("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    expected: { kind: "quota_exhausted", resetsInS: 8722 },
  },
  {
    name: "plan-week",
    clis: ["claude"],
    status: 429,
    headers: planOf("seven_day", 301_234),
    body: anthropic("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    expected: { kind: "quota_exhausted", resetsInS: 301_234 },
  },
  {
    name: "rate-limit",
    clis: ["claude"],
    status: 429,
    headers: (now) => ({
      "retry-after": "17",
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "12",
      "anthropic-ratelimit-requests-reset": isoIn(now, 2000),
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": isoIn(now, 17_000),
      "anthropic-ratelimit-output-tokens-limit": "8000",
      "anthropic-ratelimit-output-tokens-remaining": "8000",
      "anthropic-ratelimit-output-tokens-reset": isoIn(now, 0),
      "x-should-retry": "true",
    }),
    body: anthropic(
      "rate_limit_error",
      "This request would exceed the rate limit for your organization (0f3b) of 30,000 input tokens per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits.",
    ),
    expected: { kind: "rate_limited", resetsInS: 17 },
  },
  {
    name: "overloaded",
    clis: ["claude"],
    status: 529,
    headers: () => ({ "x-should-retry": "true" }),
    body: anthropic("overloaded_error", "Overloaded"),
    expected: { kind: "overloaded" },
  },
  {
    name: "no-credit",
    clis: ["claude"],
    status: 400,
    headers: () => ({ "x-should-retry": "false" }),
    body: anthropic(
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    expected: { kind: "billing" },
  },
  {
    name: "plan-limit",
    clis: ["codex"],
    status: 429,
    headers: codexWindows(13_873),
    body: codexPlan(13_872),
    expected: { kind: "quota_exhausted", resetsInS: 13_872 },
  },
  {
    name: "not-included",
    clis: ["codex"],
    status: 429,
    headers: none,
    body: () => ({
      error: {
        type: "usage_not_included",
        message: "To use Codex with your ChatGPT plan, upgrade to Plus.",
        plan_type: "free",
      },
    }),
    expected: { kind: "billing" },
  },
  {
    name: "insufficient-quota",
    clis: ["codex", "qwen"],
    status: 429,
    headers: none,
    body: openai(
      "insufficient_quota",
      "insufficient_quota",
      `${QUOTA} For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.`,
    ),
    expected: { kind: "quota_exhausted" },
  },
  {
    name: "rate-limit",
    clis: ["codex", "qwen"],
    status: 429,
    headers: () => ({
      "retry-after": "4",
      "retry-after-ms": "3542",
      "x-ratelimit-limit-tokens": "30000",
      "x-ratelimit-remaining-tokens": "1771",
      "x-ratelimit-reset-tokens": "3.542s",
    }),
    body: openai(
      "tokens",
      "rate_limit_exceeded",
      "Rate limit reached for gpt-5.5 in organization org-0000 on tokens per min (TPM): Limit 30000, Used 28229, Requested 3542. Please try again in 3.542s. Visit https://platform.openai.com/account/rate-limits to learn more.",
    ),
    expected: { kind: "rate_limited", resetsInS: 4 },
  },
  {
    name: "requests-of-a-day",
    clis: ["codex"],
    status: 429,
    headers: none,
    body: openai(
      "requests",
      "rate_limit_exceeded",
      "Rate limit reached for gpt-5.5 in organization org-0000 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.",
    ),
    expected: { kind: "quota_exhausted" },
  },
  {
    name: "rate-limit-in-stream",
    clis: ["codex"],
    status: 200,
    headers: () => ({ "content-type": "text/event-stream" }),
    body: failedResponse(
      "rate_limit_exceeded",
      "Rate limit reached for gpt-5.5 in organization org-0000 on tokens per min (TPM): Limit 30000, Used 28229, Requested 3542. Please try again in 3.542s.",
    ),
    expected: { kind: "rate_limited" },
  },
  {
    name: "quota-in-stream",
    clis: ["codex"],
    status: 200,
    headers: () => ({ "content-type": "text/event-stream" }),
    body: failedResponse("insufficient_quota", QUOTA),
    expected: { kind: "quota_exhausted" },
  },
  {
    name: "overloaded",
    clis: ["codex"],
    status: 503,
    headers: none,
    body: openai(
      "service_unavailable_error",
      "server_is_overloaded",
      "Our servers are currently overloaded. Please try again later.",
    ),
    expected: { kind: "overloaded" },
  },
  {
    name: "quota-of-a-minute",
    clis: ["gemini"],
    status: 429,
    headers: none,
    body: google("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "34s"),
    expected: { kind: "rate_limited", resetsInS: 34 },
  },
  {
    name: "quota-of-a-day",
    clis: ["gemini"],
    status: 429,
    headers: none,
    body: google("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "34s"),
    expected: { kind: "quota_exhausted", resetsAtMidnight: true },
  },
  {
    name: "exhausted",
    clis: ["gemini"],
    status: 429,
    headers: none,
    body: () => ({
      error: { code: 429, message: "Resource has been exhausted (e.g. check quota).", status: "RESOURCE_EXHAUSTED" },
    }),
    expected: { kind: "rate_limited" },
  },
  {
    name: "overloaded",
    clis: ["gemini"],
    status: 503,
    headers: none,
    body: () => ({
      error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
    }),
    expected: { kind: "overloaded" },
  },
  {
    name: "dashscope-requests",
    clis: ["qwen"],
    status: 429,
    headers: none,
    body: openai(
      "limit_requests",
      "limit_requests",
      "You have exceeded your current request limit. For details, see: https://help.aliyun.com/zh/model-studio/error-code#rate-limit",
    ),
    expected: { kind: "rate_limited" },
  },
  {
    name: "dashscope-tokens-worded-as-a-quota",
    clis: ["qwen"],
    status: 429,
    headers: none,
    body: openai(
      "insufficient_quota",
      "insufficient_quota",
      `${QUOTA} For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit`,
    ),
    expected: { kind: "rate_limited" },
  },
  {
    name: "dashscope-tokens",
    clis: ["qwen"],
    status: 429,
    headers: none,
    body: openai(
      "insufficient_quota",
      "insufficient_quota",
      "Allocated quota exceeded, please increase your quota limit. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit",
    ),
    expected: { kind: "rate_limited" },
  },
  {
    name: "coding-plan-five-hours",
    clis: ["qwen"],
    status: 429,
    headers: none,
    body: openai("insufficient_quota", "insufficient_quota", "hour allocated quota exceeded."),
    expected: { kind: "quota_exhausted" },
  },
  {
    name: "coding-plan-week",
    clis: ["qwen"],
    status: 429,
    headers: none,
    body: openai("insufficient_quota", "insufficient_quota", "week allocated quota exceeded."),
    expected: { kind: "quota_exhausted", resetsAtMidnight: true },
  },
  {
    name: "arrears",
    clis: ["qwen"],
    status: 400,
    headers: none,
    body: openai("Arrearage", "Arrearage", "Access denied, please make sure your account is in good standing."),
    expected: { kind: "billing" },
  },
  {
    name: "free-tier",
    clis: ["qwen"],
    status: 403,
    headers: none,
    body: openai(
      "AllocationQuota.FreeTierOnly",
      "AllocationQuota.FreeTierOnly",
      'The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the "use free tier only" mode in the management console.',
    ),
    expected: { kind: "quota_exhausted" },
  },
  {
    name: "rate-limit",
    clis: ["vibe"],
    status: 429,
    headers: () => ({ "ratelimitbysize-reset": "23", "x-ratelimit-remaining-tokens-minute": "0" }),
    body: () => ({
      object: "error",
      message: "Rate limit exceeded",
      type: "rate_limited",
      param: null,
      code: "1300",
      raw_status_code: 429,
    }),
    expected: { kind: "rate_limited" },
  },
  {
    name: "capacity",
    clis: ["vibe"],
    status: 429,
    headers: none,
    body: () => ({
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      param: null,
      code: "3505",
      raw_status_code: 429,
    }),
    expected: { kind: "overloaded" },
  },
]

/** Returns the refusal of this name for a program. Throws if there is none. */
export function dryApi(cli: BuiltInCli, name: string): DryApi {
  const found = dryApis.find((api) => api.name === name && api.clis.includes(cli))
  if (!found) throw new Error(`${cli} meets no ${name}.`)
  return found
}

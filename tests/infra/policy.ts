import type { Synth } from "./synth/synth.ts"
import { one } from "./synth/synth.ts"

/** A request to IAM. Context keys are spelled like IAM's. A key that AWS doesn't send is absent. */
export interface Request {
  action: string
  resource: string
  context?: Record<string, string | string[]>
}

interface Condition {
  test: string
  variable: string
  values: string[]
}

export interface Statement {
  Effect: "Allow" | "Deny"
  Action: string | string[]
  Resource: string | string[]
  Condition?: Condition[]
}

/**
 * True if the role's permissions allow this request by the rules of IAM's reference. Throws for an unknown kind of
 * condition.
 */
export function allows(synth: Synth, role: string, request: Request): boolean {
  const policies = one(synth, "Role", role).inlinePolicies ?? []
  return permits(
    policies.flatMap(({ policy }: { policy: string }) => JSON.parse(policy).Statement),
    request,
  )
}

/** Like `allows`, for statements. */
export function permits(statements: Statement[], request: Request): boolean {
  const effects = statements.filter((statement) => applies(statement, request)).map(({ Effect }) => Effect)
  return effects.includes("Allow") && !effects.includes("Deny")
}

function applies(
  { Action, Resource, Condition = [] }: Statement,
  { action, resource, context = {} }: Request,
): boolean {
  const isMeant =
    [Action].flat().some((pattern) => isLike(action, pattern)) &&
    [Resource].flat().some((pattern) => matches(resource, pattern, context))
  return isMeant && Condition.every((condition) => holds(condition, context))
}

function holds({ test, variable, values }: Condition, context: NonNullable<Request["context"]>): boolean {
  const given = context[variable]
  if (test === "Null") return values.includes(String(given === undefined))
  const isOne = (value: string) => values.some((pattern) => matches(value, pattern, context))
  // In IAM, ForAllValues is also true for no values.
  if (test === "ForAllValues:StringLike") return [given ?? []].flat().every(isOne)
  if (test === "StringLike" || test === "StringEquals") return given !== undefined && isOne(String(given))
  throw new Error(`How does IAM test ${test}?`)
}

/** A pattern with a variable that the request lacks matches nothing. A variable's value is not a pattern. */
function matches(text: string, pattern: string, context: NonNullable<Request["context"]>): boolean {
  const parts = pattern.split(/\$\{([^}]+)\}/)
  const values = parts.map((part, index) => (index % 2 === 0 ? likeSource(part) : escaped(context[part])))
  return values.every((value) => value !== undefined) && new RegExp(`^${values.join("")}$`, "s").test(text)
}

const isLike = (text: string, pattern: string) => new RegExp(`^${likeSource(pattern)}$`, "s").test(text)
const likeSource = (pattern: string) => RegExp.escape(pattern).replaceAll("\\*", ".*").replaceAll("\\?", ".")
const escaped = (value: string | string[] | undefined) => (typeof value === "string" ? RegExp.escape(value) : undefined)

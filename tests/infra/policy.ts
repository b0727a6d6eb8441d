import type { Synth } from "./synth/synth.ts"
import { one } from "./synth/synth.ts"

/** A request as IAM sees it. Keys of its context are as IAM spells them; what AWS doesn't send isn't there. */
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

/** Whether a role of these permissions may do this, by the rules of IAM's own reference. Throws for a condition that isn't known here. */
export function allows(synth: Synth, role: string, request: Request): boolean {
  const policies = one(synth, "Role", role).inlinePolicies ?? []
  return permits(
    policies.flatMap(({ policy }: { policy: string }) => JSON.parse(policy).Statement),
    request,
  )
}

/** The same for statements. */
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
  // Of none, all are: so IAM has it, too.
  if (test === "ForAllValues:StringLike") return [given ?? []].flat().every(isOne)
  if (test === "StringLike" || test === "StringEquals") return given !== undefined && isOne(String(given))
  throw new Error(`How does IAM test ${test}?`)
}

/** A pattern with a variable that the request hasn't matches nothing. What a variable holds is no pattern. */
function matches(text: string, pattern: string, context: NonNullable<Request["context"]>): boolean {
  const parts = pattern.split(/\$\{([^}]+)\}/)
  const values = parts.map((part, index) => (index % 2 === 0 ? likeSource(part) : escaped(context[part])))
  return values.every((value) => value !== undefined) && new RegExp(`^${values.join("")}$`, "s").test(text)
}

const isLike = (text: string, pattern: string) => new RegExp(`^${likeSource(pattern)}$`, "s").test(text)
const likeSource = (pattern: string) => RegExp.escape(pattern).replaceAll("\\*", ".*").replaceAll("\\?", ".")
const escaped = (value: string | string[] | undefined) => (typeof value === "string" ? RegExp.escape(value) : undefined)

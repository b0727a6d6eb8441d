import { of, type Resource, type Synth } from "./synth/synth.ts"

/** Returns each role's trust and permissions, with the names of our resources in place of their ARNs. */
export function granted(synth: Synth) {
  return Object.fromEntries(
    of(synth, "Role")
      .map(
        ({ name, inputs }) =>
          [name, { is: trusted(inputs.assumeRolePolicy), may: permissions(inputs).sort() }] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function trusted(policy: string | object): string {
  const { Statement } = typeof policy === "string" ? JSON.parse(policy) : policy
  return Statement.map(({ Principal }: { Principal: Record<string, string> | { identifiers: string[] }[] }) =>
    Array.isArray(Principal) ? Principal.flatMap(({ identifiers }) => identifiers) : Object.values(Principal),
  )
    .flat(2)
    .join()
}

function permissions({ inlinePolicies = [], managedPolicyArns = [] }: Resource["inputs"]): string[] {
  const statements = inlinePolicies.flatMap(({ policy }: { policy: string }) => JSON.parse(policy).Statement)
  const inline = statements.flatMap(({ Effect, Action, Resource, Condition = [] }: Statement) =>
    [Action]
      .flat()
      .flatMap((action) =>
        [Resource]
          .flat()
          .map(
            (resource) => `${Effect === "Allow" ? "" : `${Effect} `}${action} ${named(resource)}${given(Condition)}`,
          ),
      ),
  )
  return [...inline, ...managedPolicyArns]
}

interface Statement {
  Effect: string
  Action: string | string[]
  Resource: string | string[]
  Condition?: { variable: string; values: string[] }[]
}

function given(conditions: NonNullable<Statement["Condition"]>): string {
  return conditions.map(({ variable, values }) => ` if ${variable} is ${values.map(named).join(" or ")}`).join("")
}

function named(arn: string): string {
  return arn
    .replace(/^arn:aws:dynamodb:.*:table\/switchyard-\w+-RecordsTable-\w+/, "table")
    .replace(/^arn:aws:s3:::switchyard-\w+-blobsbucket-\w+/, "bucket")
    .replace(/^arn:aws:lambda:.*:function:switchyard-\w+-(\w+)-\w+(:live)?$/, "$1$2")
    .replace(/^arn:aws:logs:.*:log-group:/, "")
    .replace(/^arn:aws:(ecs|ecr|iam):.*?:(?=[a-z-]+\/)/, "")
}

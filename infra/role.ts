/// <reference path="../.sst/platform/config.d.ts" />

interface Statement {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

/** Creates a role with exactly these permissions. */
export function createRole(
  name: string,
  given: { name?: $util.Input<string>; trusts: $util.Input<string>; statements: Statement[] },
): aws.iam.Role {
  const statements = given.statements.map((one) => ({ effect: "Allow", ...one }))
  return new aws.iam.Role(name, {
    ...(given.name !== undefined && { name: given.name }),
    assumeRolePolicy: given.trusts,
    inlinePolicies: statements.length > 0 ? [{ name: "inline", policy: policyOf(statements) }] : [],
  })
}

function policyOf(statements: Statement[]): $util.Output<string> {
  return aws.iam.getPolicyDocumentOutput({ statements }).json
}

/** Returns the policy that lets principals assume a role. */
export function assumedBy({
  principals,
  actions,
  conditions,
}: {
  principals: Record<string, $util.Input<string>>
  actions: string[]
  conditions: Record<string, Record<string, $util.Input<string> | string[]>>
}): $util.Output<string> {
  return $jsonStringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: actions, Principal: principals, Condition: conditions }],
  })
}

/** Returns both paths of an endpoint for teams, which other systems call agents. */
export function teamPaths<S extends string>(suffix: S) {
  return [`/api/v1/teams${suffix}`, `/agents${suffix}`] as const
}

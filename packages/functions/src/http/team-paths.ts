/** Both paths of an endpoint for teams, which others call agents. */
export function teamPaths<S extends string>(suffix: S) {
  return [`/api/v1/teams${suffix}`, `/agents${suffix}`] as const
}

import { type EndpointDetails, endpointsOf } from "./routing.ts"

/** Returns both paths of an endpoint for teams, which other systems call agents. */
export function teamPaths<S extends string>(suffix: S) {
  return [`/api/v1/teams${suffix}`, `/agents${suffix}`] as const
}

const endpoint = endpointsOf("teams")

/** Describes an endpoint for teams at both of its paths, by method. */
export const teamEndpoint = {
  get: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.get(path, details)),
  post: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.post(path, details)),
  delete: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.delete(path, details)),
}

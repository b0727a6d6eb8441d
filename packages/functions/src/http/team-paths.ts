import { type EndpointDetails, endpointsOf } from "./routing.ts"

/**
 * Returns both paths of a team endpoint. The second path serves clients of other systems, which call a team an agent.
 */
export function teamPaths<S extends string>(suffix: S) {
  return [`/api/v1/teams${suffix}`, `/agents${suffix}`] as const
}

const endpoint = endpointsOf("teams")

/** Describes a team endpoint at both of its paths, by method. */
export const teamEndpoint = {
  get: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.get(path, details)),
  post: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.post(path, details)),
  delete: <S extends string, D extends EndpointDetails>(suffix: S, details: D) =>
    teamPaths(suffix).map((path) => endpoint.delete(path, details)),
}

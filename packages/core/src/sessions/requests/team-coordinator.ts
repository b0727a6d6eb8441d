import { CliId } from "../../agents/clis/clis.ts"
import { AppError } from "../../errors.ts"
import type { NewTeam } from "../../work/teams/request-schema.ts"
import type { TeamCoordinator } from "../../work/teams/schema.ts"
import { type AgentRequestDeps, requireAgentConsent } from "./agent-request.ts"

/** Returns the model named in a request, and the program named to coordinate instead of a model, if any. */
export function splitCoordinator({ model, coordinator }: Pick<NewTeam, "model" | "coordinator">) {
  const isProgram = model?.includes("/") && programOf(model).cli !== undefined
  if (!isProgram) return { model: model ?? undefined, coordinator: coordinator ?? undefined }
  if (coordinator && coordinator !== model)
    throw new AppError("invalid_request", "model and coordinator name two different coordinators.")
  return { model: undefined, coordinator: model ?? undefined }
}

/**
 * Returns the program with this name. Throws `task_invalid` if the program is unknown, and `consent_required` if it
 * needs consent that wasn't given.
 */
export async function parseCoordinator(
  deps: AgentRequestDeps,
  owner: string,
  named: string,
  {
    repository,
    permission_mode: mode,
    consent,
    ...options
  }: Pick<NewTeam, "permission_mode" | "consent"> & { repository: string | null; signal: AbortSignal },
): Promise<TeamCoordinator> {
  const { name, model } = programOf(named)
  const chosen = await deps.agentAccounts.choose(owner, name, options)
  await requireAgentConsent(deps, owner, { cli: chosen.cli, mode, repository, consent }, options)
  const { cli, account, reasoning } = chosen
  return { cli, account, reasoning, model: model ?? chosen.model, mode }
}

/** Parses a name, or a name and a model such as `claude-code/opus`. */
function programOf(named: string): { name: string; cli: CliId | undefined; model: string | undefined } {
  const [first = "", ...rest] = named.split("/")
  const name = first === "claude-code" ? "claude" : first
  return { name, cli: CliId.safeParse(name).data, model: rest.join("/") || undefined }
}

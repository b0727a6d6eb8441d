import { cliOf } from "../../agents/added/cli-of.ts"
import { BuiltInCli, type CliId } from "../../agents/clis/clis.ts"
import { AppError } from "../../errors.ts"
import { keyIssuer } from "../../models/key-forms.ts"
import { modelProviders, providerIds } from "../../models/providers/providers.ts"
import { demoModelName } from "../../models/providers/scripted.ts"
import { defaultModel, installedProvider, isInstalled, type ModelsConfig } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { hasOwnersKey, ownersDefaultModel } from "../../people/accounts/model-keys.ts"
import type { NewTeam } from "../../work/teams/request-schema.ts"
import type { TeamCoordinator } from "../../work/teams/schema.ts"
import { type AgentRequestDeps, requireAgentConsent } from "./agent-request.ts"

/**
 * Returns a request's model and its coordinating program, because `model` may name either of them. If the request also
 * has a coordinator, a Claude Code model in `model` is for the workers.
 */
export function splitCoordinator({ model, coordinator }: Pick<NewTeam, "model" | "coordinator">) {
  const isProgram = model?.includes("/") && programOf(model).cli !== undefined
  if (!isProgram) return { model: model ?? undefined, coordinator: coordinator ?? undefined }
  if (coordinator && coordinator !== model && /^claude(-code)?\//.test(model ?? "")) return { model, coordinator }
  if (coordinator && coordinator !== model)
    throw new AppError("invalid_request", "model and coordinator name two different coordinators.")
  return { model: undefined, coordinator: model ?? undefined }
}

/**
 * Returns the program with this name. Throws `task_invalid` if the program is unknown, and `consent_required` if it
 * needs a consent that wasn't given.
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

interface ModelDeps extends Pick<AgentRequestDeps, "agentAccounts"> {
  accounts: Accounts
  models: ModelsConfig
}

/**
 * Returns the model for the workers of a coordinating program, if the request doesn't name one. This is the default
 * model of the program's company if there is a key for it, or else the model that the program itself provides.
 * Undefined for the installation's default, or if the workers need no model. Throws `invalid_request` if only the demo
 * model is available, because it can't do the work.
 */
export async function workersModel(
  deps: ModelDeps,
  owner: string,
  named: string,
  {
    coding_agents,
    worker_commands,
    apiKey,
    ...options
  }: Pick<NewTeam, "coding_agents" | "worker_commands"> & { apiKey: string | undefined; signal: AbortSignal },
): Promise<string | undefined> {
  const { models, agentAccounts } = deps
  const { name, model } = programOf(named)
  const { cli } = await agentAccounts.choose(owner, name, options)
  if (cli === "mock") return undefined
  const company = providerIds.find((id) => id === cliOf(cli).company)
  const own = company && modelProviders[company].defaultModel
  if (own && apiKey !== undefined && keyIssuer(apiKey) === company) return own
  if (defaultModel(models, apiKey) !== demoModelName) return undefined
  const hasKey =
    company && (installedProvider(models, company).hasKey || (await hasOwnersKey(deps, owner, company, options)))
  if (own && hasKey) return own
  if (apiKey === undefined && (await ownersDefaultModel(deps, owner, options)) !== demoModelName) return undefined
  if (cli === "claude" && isInstalled(models, "claude-code"))
    return model === undefined ? (modelProviders["claude-code"].defaultModel ?? undefined) : `claude-code/${model}`
  if (coding_agents.length + worker_commands.length > 0) return undefined
  const message = `${named} coordinates this team, but there is no model for its workers. Name it in coordinator, and a model whose provider has an API key in model, or name programs in coding_agents.`
  throw new AppError("invalid_request", message, { missing: "model" })
}

/** Parses the name of a program, or a program and a model such as `claude-code/opus`. */
function programOf(named: string): { name: string; cli: CliId | undefined; model: string | undefined } {
  const [first = "", ...rest] = named.split("/")
  const name = first === "claude-code" ? "claude" : first
  return { name, cli: BuiltInCli.safeParse(name).data, model: rest.join("/") || undefined }
}

import { ModelList, ProviderList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"

type Provider = ProviderList["providers"][number]

/** Lists the model providers, or a provider's models with the names that `run --model` accepts. */
export async function models(cli: Cli, provider: string | undefined): Promise<void> {
  if (provider === undefined) showProviders(cli, await cli.api.ask("GET /v1/models", ProviderList, {}))
  else showModels(cli, await cli.api.ask("GET /v1/models/{provider}", ModelList, { path: { provider } }))
}

function showProviders({ terminal }: Cli, { default_model, providers }: ProviderList) {
  if (terminal.json) return terminal.printJson({ default_model, providers })
  const widest = (texts: string[]) => Math.max(...texts.map((text) => text.length))
  const ids = widest(providers.map(({ id }) => id))
  const sources = widest(providers.map(sourceOf))
  for (const provider of providers) {
    const parts = [provider.id.padEnd(ids), sourceOf(provider).padEnd(sources), noteOf(provider)]
    terminal.print(parts.join("  ").trimEnd())
  }
  terminal.notice(`Runs that don't specify a model use ${default_model}.`)
}

function showModels({ terminal }: Cli, { models, complete }: ModelList) {
  if (terminal.json) return terminal.printJson({ models, complete })
  for (const { name } of models) terminal.print(name)
  if (!complete) terminal.notice("This server can't ask the provider for its models. --model accepts others too.")
}

function sourceOf({ id, key, account, needs_key, ready }: Provider): string {
  if (id === "claude-code") return "its own login"
  if (key === "request") return "your key"
  if (key === "saved") return "your saved key"
  if (key === "environment") return "server's key"
  if (key === "account") return `account ${account}`
  if (!needs_key) return ready ? "no key needed" : "not set up"
  return "no key"
}

/** Returns a provider's default model if the provider can be used. Otherwise, explains how to set a key. */
function noteOf({ key, needs_key, ready, default_model, variable }: Provider): string {
  if (ready || key === "request") return default_model ?? ""
  if (!needs_key) return `set ${variable} on the server`
  return `send one with --api-key, or set ${variable} on the server`
}

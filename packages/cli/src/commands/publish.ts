import { PublishedApp, SessionApp } from "@switchyard/core/sessions/apps/schema"
import { formatCount } from "@switchyard/core/text/format"
import * as z from "zod"
import { ANSWER_MS } from "../api/requests.ts"
import type { Cli } from "../cli.ts"
import { CliError } from "../errors/errors.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

interface PublishOptions extends WorkspaceChoice {
  name?: string
}

/** Publishes a session's page. If it is already published, replaces it. Writes only the page's address to stdout. */
export async function publish(cli: Cli, { name, ...choice }: PublishOptions): Promise<void> {
  const { api, terminal } = cli
  const path = { id: await workspaceOf(cli, choice) }
  const plan = await api.ask("GET /api/v1/sessions/{id}/app", SessionApp, { path })
  if (plan.reason !== null) throw new CliError(plan.reason)
  const body = { name: name ?? plan.app?.name ?? plan.suggested_name }
  const app = await api.ask("POST /api/v1/sessions/{id}/app", PublishedApp, { path, body, waitMs: ANSWER_MS })
  if (terminal.json) {
    terminal.printJson(app)
    return
  }
  terminal.print(app.url ?? app.name)
  terminal.notice(`Version ${app.version} is published: ${formatCount(app.file_count, "file")}.`)
  if (plan.opaque) terminal.notice("Apps share one host on this server, so the app can't store data.")
}

/** Takes a published app offline. Its link stops working. */
export async function unpublish(cli: Cli, name: string): Promise<void> {
  await cli.api.ask("DELETE /api/v1/apps/{name}", z.unknown(), { path: { name } })
  if (cli.terminal.json) cli.terminal.printJson({ name })
  else cli.terminal.notice(`${name} was unpublished.`)
}

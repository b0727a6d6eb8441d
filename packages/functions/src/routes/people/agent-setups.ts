import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import type { AgentSetup } from "@switchyard/core/agents/setup/read-setup"
import { AgentSetupView, type AllowedSetups } from "@switchyard/core/agents/setup/schema"
import { setupSources } from "@switchyard/core/agents/setup/sources"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const AgentSetups = z.object({ setups: z.array(AgentSetupView) }).openapi("AgentSetups")
const SetupConsent = z
  .object({ digest: z.string().length(64).describe("The digest that was shown") })
  .openapi("AgentSetupConsent")

export const routes = {
  list: endpoint.get("/api/v1/agent-setups", {
    summary: "List your own instructions, skills and commands for agents' programs",
    description:
      "Read from the home of the server's user, on a server without login. An agent gets them after your consent to exactly this content. Requires the scope `admin`.",
    responses: answers(
      AgentSetups,
      "One setup for each program that has one, with its content's names, sizes and hashes",
    ),
  }),
  allow: endpoint.put("/api/v1/agent-setups/{cli}", {
    summary: "Consent to your own setup for a program",
    description:
      "Agents of this program get the setup from their next turn on, in every mode. If its content changes, they get nothing until you consent again. To withdraw the consent, delete it under `/api/v1/consents`. Requires the scope `admin`.",
    request: { params: z.object({ cli: BuiltInCli }), body: jsonBody(SetupConsent) },
    responses: answers(AgentSetupView, "The setup"),
  }),
}

/** Serves a person's own setup for agents' programs, and their consents to it. */
export function agentSetupRoutes({ agents, setupConsents, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  const read = (cli: BuiltInCli): Promise<AgentSetup> => {
    if (agents?.readSetup) return agents.readSetup(cli)
    throw new AppError("invalid_request", "Only a server without login on your own machine can read your setup.")
  }
  return createRoutes()
    .openapi(routes.list, async (c) => {
      const allowed = await setupConsents.allowedFor(principal(c).owner, options)
      const programs = BuiltInCli.options.filter((cli) => setupSources[cli])
      const setups = await Promise.all(programs.map(async (cli) => viewOf(cli, await read(cli), allowed)))
      return c.json({ setups: setups.filter(({ state, omitted }) => state !== "empty" || omitted.length > 0) }, 200)
    })
    .openapi(routes.allow, async (c) => {
      const { cli } = c.req.valid("param")
      const { digest } = c.req.valid("json")
      const setup = await read(cli)
      if (setup.digest !== digest) {
        throw new AppError("invalid_request", "Your setup has changed since it was shown. Look at it again.", { cli })
      }
      const items = setup.items.map(({ kind, name, path }) => (kind === "server" ? `MCP server ${name}` : path))
      await setupConsents.give(principal(c).owner, { cli, digest, items }, options)
      return c.json(viewOf(cli, setup, { [cli]: digest }), 200)
    })
}

function viewOf(cli: BuiltInCli, { digest, items, omitted }: AgentSetup, allowed: AllowedSetups): AgentSetupView {
  const before = allowed[cli]
  const state = before === digest ? "allowed" : before !== undefined ? "changed" : items.length > 0 ? "new" : "empty"
  return { cli, title: clis[cli].title, digest, state, items, omitted }
}

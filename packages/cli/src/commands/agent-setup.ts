import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { AgentSetupView } from "@switchyard/core/agents/setup/schema"
import * as z from "zod"
import type { Cli } from "../cli.ts"
import { Refused } from "../errors/errors.ts"

const AgentSetups = z.object({ setups: z.array(AgentSetupView) })

/** Shows what agents would get of the person's own setup, and what they won't get. */
export async function showSetups(cli: Cli): Promise<void> {
  for (const setup of await readSetups(cli)) show(cli, setup)
}

/** Shows a program's setup, and consents to it if `consent` is set. */
export async function allowSetup(cli: Cli, program: BuiltInCli, { consent }: { consent?: boolean }): Promise<void> {
  const setup = (await readSetups(cli)).find((each) => each.cli === program)
  if (!setup || setup.items.length === 0) throw new Refused(404, "not_found", "You have no setup for this program.")
  show(cli, setup)
  if (!consent) {
    throw new Refused(409, "consent_required", "Agents will get exactly this. Add --consent to allow it.")
  }
  const { digest } = setup
  const path = { cli: program }
  await cli.api.ask("PUT /api/v1/agent-setups/{cli}", AgentSetupView, { path, body: { digest } })
  cli.terminal.notice(`Agents of ${setup.title} get this setup from now on.`)
}

async function readSetups({ api }: Cli): Promise<AgentSetupView[]> {
  return (await api.ask("GET /api/v1/agent-setups", AgentSetups, {})).setups
}

const STATES = {
  empty: "nothing that agents could get",
  new: "agents don't get it",
  allowed: "agents get it",
  changed: "has changed since your consent, so agents don't get it",
}

function show({ terminal }: Cli, setup: AgentSetupView): void {
  const { cli, title, state, digest, items, omitted } = setup
  const lines = [
    `${cli}  ${title}  ${STATES[state]}  ${digest.slice(0, 12)}`,
    ...items.map(({ kind, name, path, leads_to, detail, files, size_bytes, sha256 }) => {
      const link = leads_to === undefined ? path : `${path} → ${leads_to}`
      const where = detail === undefined ? link : `${name} in ${path}: ${detail}`
      return `  ${kind}  ${where}  ${files === 1 ? "" : `${files} files, `}${size_bytes} bytes  ${sha256.slice(0, 12)}`
    }),
    ...omitted.map(({ path, reason }) => `  left out  ${path}: ${reason}`),
  ]
  terminal.show(setup, ...lines)
}

import type { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import * as z from "zod"
import { ConsentList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"

export async function listConsents(cli: Cli): Promise<void> {
  for (const consent of (await cli.api.ask("GET /api/v1/consents", ConsentList, {})).consents) show(cli, consent)
}

/** Withdraws a consent. Fails if there is no consent with this ID. */
export async function withdrawConsent({ terminal, api }: Cli, id: string): Promise<void> {
  await api.ask("DELETE /api/v1/consents/{id}", z.unknown(), { path: { id } })
  terminal.show({ id, withdrawn: true }, "The consent was withdrawn.")
}

function show({ terminal }: Cli, consent: Consent): void {
  const { id, kind, repository, session_id, given_at, files = [], cli } = consent
  const what = {
    commands: "runs commands without asking",
    checks: "runs the built project in checks",
    server: "starts the built project's server without a sandbox",
    start_files: `starts programs: ${files.join(", ")}`,
    setup: `gives your own setup to agents: ${files.join(", ")}`,
  }[kind]
  const where = session_id ?? cli ?? repository ?? (kind === "checks" ? "all sessions" : "the sessions' own files")
  terminal.show(consent, [id, where, given_at, what].join("  "))
}

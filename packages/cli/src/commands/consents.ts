import type { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"

export async function listConsents(cli: Cli): Promise<number> {
  for (const consent of await cli.api.consents({ signal: cli.interrupts.first })) show(cli, consent)
  return EXIT.done
}

/** Withdraws a consent. Fails if none has this id. */
export async function withdrawConsent({ terminal, api, interrupts }: Cli, id: string): Promise<number> {
  await api.withdrawConsent(id, { signal: interrupts.first })
  if (terminal.json) terminal.printJson({ id, withdrawn: true })
  else terminal.print("The consent was withdrawn.")
  return EXIT.done
}

function show({ terminal }: Cli, consent: Consent): void {
  const { id, kind, repository, given_at, files = [] } = consent
  const what = {
    commands: "commands without asking",
    checks: "checks run the built project",
    start_files: `starts programs: ${files.join(", ")}`,
  }[kind]
  if (terminal.json) terminal.printJson(consent)
  else
    terminal.print(
      [id, repository ?? (kind === "checks" ? "all sessions" : "the sessions' own files"), given_at, what].join("  "),
    )
}

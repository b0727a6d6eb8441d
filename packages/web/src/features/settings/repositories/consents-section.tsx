import { cliTitle } from "@switchyard/core/agents/clis/titles"
import { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"
import { dayOf } from "../../../ui/time.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"

export function ConsentsSection() {
  const { list, withdraw } = useConsents()
  return (
    <CrudSection
      title="Consents"
      hint="You've allowed these actions on the server."
      list={list}
      entries={list.data?.consents}
      empty="No consents yet."
      keyOf={({ id }) => id}
      nameOf={(consent) => `the consent for ${nameOf(consent)}`}
      row={(consent) => <EntryText name={nameOf(consent)} facts={factsOf(consent)} />}
      removal={{
        action: "Withdraw",
        text: (consent) => `${actionOf(consent)}. New work will need your consent again. Active runs will continue.`,
        remove: ({ id }, options) => withdraw.mutate(id, options),
        mutation: withdraw,
      }}
    />
  )
}

function nameOf({ kind, repository, session_id, cli }: Consent): string {
  if (cli) return cliTitle(cli)
  if (session_id) return `session ${session_id}`
  return repository ?? (kind === "checks" ? "all sessions" : "sessions without a repository")
}

function factsOf(consent: Consent): string {
  return `${actionOf(consent)} · granted on ${dayOf(consent.given_at)}`
}

function actionOf({ kind, files = [], digest = "" }: Consent): string {
  return {
    commands: "Agents run commands without asking",
    checks: "Checks can install, test and start projects",
    server: "The session's server starts without a sandbox",
    setup: `Agents use your own setup in ${files.join(", ")} (${digest.slice(0, 12)})`,
    start_files: `Agents start programs listed in ${files.join(", ")} (${digest.slice(0, 12)})`,
  }[kind]
}

const KEY = ["consents"]
const Consents = z.object({ consents: z.array(Consent) })
const Withdrawn = z.object({ id: z.string() })

/** Returns the user's consents to running things on the server's machine, and a way to withdraw them. */
function useConsents() {
  const list = useResponse(KEY, "GET /api/v1/consents", { response: Consents })
  const withdraw = useChange(
    (api, id: string) => api.call("DELETE /api/v1/consents/{id}", { path: { id }, response: Withdrawn }),
    KEY,
  )
  return { list, withdraw }
}

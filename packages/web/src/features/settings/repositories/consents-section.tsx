import { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ErrorNotice, UnloadedList } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"

export function ConsentsSection() {
  const { list, withdraw } = useConsents()
  const toast = useToast()
  return (
    <section aria-labelledby="consents" className="mt-10 border-t border-line pt-5">
      <h2 id="consents" className="mb-1 text-lg">
        Consents
      </h2>
      <p className="mb-3 text-ink-2">What you allowed to run on the server's machine.</p>
      <ErrorNotice error={withdraw.error} className="mb-3" />
      {!list.data && <UnloadedList list={list} lines={2} />}
      {list.data?.consents.length === 0 && <p className="text-ink-3">You have given none.</p>}
      <ul>
        {list.data?.consents.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-3">
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="font-semibold break-all">{nameOf(one)}</p>
              <p className="text-sm break-words text-ink-3">{factsOf(one)}</p>
            </div>
            <Button
              size="sm"
              aria-label={`Withdraw the consent for ${nameOf(one)}: ${factsOf(one)}`}
              disabled={withdraw.isPending}
              onClick={() =>
                withdraw.mutate(one.id, { onSuccess: () => toast("Withdrawn for what begins now.", "ok") })
              }
            >
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf({ kind, repository }: Consent): string {
  return repository ?? (kind === "checks" ? "All sessions" : "The sessions' own files")
}

function factsOf({ kind, files = [], digest = "", given_at }: Consent): string {
  const what = {
    commands: "Agents that ask nothing run commands",
    checks: "Checks run what was built",
    start_files: `Agents' programs start what these files name: ${files.join(", ")} (${digest.slice(0, 12)})`,
  }
  return `${what[kind]} · given on ${dayOf(given_at)}`
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

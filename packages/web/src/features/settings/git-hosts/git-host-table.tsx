import type { GitHost } from "@switchyard/core/people/git-hosts/schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"
import { kindNames } from "./kind-names.ts"
import type { GitHostActions } from "./use-git-hosts.ts"

/** The git hosts that the user has a token for. */
export function GitHostTable({ hosts, remove }: { hosts: GitHost[]; remove: GitHostActions["remove"] }) {
  const toast = useToast()
  const [doomed, setDoomed] = useState<string | null>(null)
  const close = () => {
    setDoomed(null)
    remove.reset()
  }
  if (hosts.length === 0) return <NoHosts />
  return (
    <>
      <ul className="border-b border-line">
        {hosts.map((one) => (
          <li
            key={one.host}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-3 first:border-t-0 first:pt-0"
          >
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-semibold break-all">{one.host}</span>
                <span className="text-sm text-ink-2">{kindNames[one.kind]}</span>
              </p>
              <p className="text-sm break-words text-ink-3">{factsOf(one)}</p>
            </div>
            <Button size="sm" aria-label={`Delete the token for ${one.host}`} onClick={() => setDoomed(one.host)}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {doomed && (
        <ConfirmDialog
          title={`Delete the token for ${doomed}?`}
          action="Delete"
          busy={remove.isPending}
          failure={remove.error && <Notice tone="err">{remove.error.message}</Notice>}
          onClose={close}
          onConfirm={() => {
            const onSuccess = () => {
              toast(`Deleted the token for ${doomed}.`)
              close()
            }
            remove.mutate(doomed, { onSuccess })
          }}
        >
          Sessions in private repositories of this host can no longer fetch or push. The token itself stays valid:
          revoke it on {doomed}, too.
        </ConfirmDialog>
      )}
    </>
  )
}

function NoHosts() {
  return (
    <div>
      <p className="font-semibold">No tokens yet</p>
      <p className="mt-1 text-ink-2">
        With one, agents work in private repositories of a host, and their work becomes a pull request. Agents never see
        it.
      </p>
    </div>
  )
}

function factsOf({ username, rotated_at, scheme }: GitHost): string {
  const user = username === null ? [] : [`as ${username}`]
  return [...user, ...(scheme === "http" ? ["over http"] : []), `token of ${dayOf(rotated_at)}`].join(" · ")
}

import type { AccountView, Provider } from "@switchyard/core/people/accounts/schema"
import type { AccountUsage } from "@switchyard/core/people/usage/schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { StatusIcon } from "../../../ui/status-icon.tsx"
import { dayOf } from "../../../ui/time.ts"
import { AccountMeters, useAccountUsages } from "../../usage/account-limits.tsx"
import { AccountDialog } from "./account-dialog.tsx"
import type { AccountActions } from "./use-accounts.ts"

interface Props {
  accounts: AccountView[]
  providers: Provider[]
  remove: AccountActions["remove"]
  change: AccountActions["change"]
}

/** The accounts, each with its agent. */
export function AccountTable({ accounts, providers, remove, change }: Props) {
  const toast = useToast()
  const [doomed, setDoomed] = useState<AccountView | null>(null)
  const [edited, setEdited] = useState<AccountView | null>(null)
  const close = () => {
    setDoomed(null)
    remove.reset()
  }
  const usages = useAccountUsages()
  if (accounts.length === 0) return <NoAccounts providers={providers} />
  const providerOf = ({ provider }: AccountView) => providers.find(({ type }) => type === provider)
  return (
    <>
      <ul className="border-b border-line">
        {accounts.map((account) => (
          <li
            key={account.name}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-3 first:border-t-0 first:pt-0"
          >
            <StatusIcon state={account.ready ? "done" : "error"} label={account.ready ? "Ready" : "Not ready"} />
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-semibold break-all">{account.name}</span>
                <span className="text-sm text-ink-2">{providerOf(account)?.name ?? account.provider}</span>
              </p>
              <p className="text-sm break-words text-ink-3">{factsOf(account).join(" · ")}</p>
              <Quota usage={usages.data?.find(({ account_name }) => account_name === account.name)} />
            </div>
            <div className="flex gap-3 max-md:w-full max-md:pl-7">
              <Button size="sm" aria-label={`Edit ${account.name}`} onClick={() => setEdited(account)}>
                Edit
              </Button>
              <Button size="sm" aria-label={`Delete ${account.name}`} onClick={() => setDoomed(account)}>
                Delete
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {edited && (
        <AccountDialog
          account={edited}
          provider={providerOf(edited)}
          change={change}
          onClose={() => {
            setEdited(null)
            change.reset()
          }}
        />
      )}
      {doomed && (
        <ConfirmDialog
          title={`Delete ${doomed.name}?`}
          action="Delete"
          busy={remove.isPending}
          failure={
            remove.error && (
              <Notice tone="err" className="mb-3">
                {remove.error.message}
              </Notice>
            )
          }
          onClose={close}
          onConfirm={() =>
            remove.mutate(doomed.name, {
              onSuccess: () => {
                toast(`Deleted ${doomed.name} and its ${doomed.has_login ? "log-in" : "key"}.`)
                close()
              },
            })
          }
        >
          {doomed.has_key ? "Its key is deleted from the server. " : ""}
          {doomed.has_login ? "Its log-in is deleted from the server. " : ""}New tasks that use it are refused. An agent
          working with it finishes its turn.
        </ConfirmDialog>
      )}
    </>
  )
}

/** The limits that its provider has told; nothing while they are loaded. */
function Quota({ usage }: { usage: AccountUsage | undefined }) {
  if (!usage) return null
  const isKnown = usage.windows.length > 0 || usage.limited_until !== null
  if (!isKnown) return <p className="text-sm text-ink-3">No reading of its limits</p>
  return (
    <div className="max-w-96">
      <AccountMeters usage={usage} />
    </div>
  )
}

/** Some agents work without an account. */
function NoAccounts({ providers }: { providers: Provider[] }) {
  const usable = providers.filter(({ server_key }) => server_key).map(({ name }) => name)
  return (
    <div>
      <p className="font-semibold">No accounts yet</p>
      <p className="mt-1 text-ink-2">
        {usable.length === 0
          ? "Agents need one: the server has no keys of its own."
          : `Works without an account: ${list.format(usable)}.`}
      </p>
    </div>
  )
}

const list = new Intl.ListFormat("en", { type: "conjunction" })

function factsOf({ role, model, reasoning, base_url, has_key, has_login, ready, created_at }: AccountView): string[] {
  const held = has_key ? "with its key" : "with its agent's own log-in"
  const key = has_key || has_login ? held : ready ? "needs no key" : "without a key"
  const more = [
    role === "VERIFICATION" && "reviews others' work",
    model && `model ${model}`,
    reasoning && `reasoning ${reasoning}`,
    base_url && `at ${base_url}`,
  ]
  return [key, ...more.filter((one): one is string => Boolean(one)), `since ${dayOf(created_at)}`]
}

import type { AccountView, Provider } from "@switchyard/core/people/accounts/schema"
import type { AccountUsage } from "@switchyard/core/people/usage/schema"
import { useState } from "react"
import { paths } from "../../../session/context/routes.ts"
import { Button } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { Notice, UnloadedSection } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { dayOf } from "../../../ui/time.ts"
import { AccountMeters, useAccountUsages } from "../../usage/account-limits.tsx"
import { FallbackSection } from "../limits/fallback-section.tsx"
import { EntryList, EntryText, NoEntries } from "../list/entry-list.tsx"
import { AccountDialog } from "./account-dialog.tsx"
import { NewAccountForm } from "./new-account-form.tsx"
import { type AccountActions, useAccounts } from "./use-accounts.ts"

/** Agents' credentials: the saved accounts, and a form for a new one. */
export function AccountsSection() {
  const { list, create, remove, change } = useAccounts()
  if (!list.data) return <UnloadedSection list={list} lines={4} />
  const { accounts, providers } = list.data
  return (
    <div className="flex flex-col gap-8 border-t border-line pt-5">
      <section aria-labelledby="accounts-list">
        <h2 id="accounts-list" className="unseen">
          Saved accounts
        </h2>
        {list.error && <Notice tone="err">The latest list can't be loaded. {list.error.message}</Notice>}
        <AccountTable accounts={accounts} providers={providers} remove={remove} change={change} />
        {accounts.length > 0 && (
          <TextLink href={paths.usage()} className="mt-3 inline-block text-sm">
            See what they used
          </TextLink>
        )}
      </section>
      {accounts.length > 0 && <FallbackSection accounts={accounts.map(({ name }) => name)} />}
      <NewAccountForm providers={providers} create={create} />
    </div>
  )
}

interface Props {
  accounts: AccountView[]
  providers: Provider[]
  remove: AccountActions["remove"]
  change: AccountActions["change"]
}

function AccountTable({ accounts, providers, remove, change }: Props) {
  const [edited, setEdited] = useState<AccountView | null>(null)
  const usages = useAccountUsages()
  if (accounts.length === 0) return <NoAccounts providers={providers} />
  const providerOf = ({ provider }: AccountView) => providers.find(({ type }) => type === provider)
  return (
    <>
      <EntryList
        entries={accounts}
        keyOf={({ name }) => name}
        row={(account) => (
          <>
            <StatusIcon state={account.ready ? "done" : "error"} label={account.ready ? "Ready" : "Not ready"} />
            <EntryText
              name={account.name}
              more={<span className="text-sm text-ink-2">{providerOf(account)?.name ?? account.provider}</span>}
              facts={factsOf(account).join(" · ")}
            >
              <Quota usage={usages.data?.find(({ account_name }) => account_name === account.name)} />
            </EntryText>
          </>
        )}
        buttons={(account) => (
          <Button size="sm" aria-label={`Edit ${account.name}`} onClick={() => setEdited(account)}>
            Edit
          </Button>
        )}
        removal={{
          action: "Delete",
          nameOf: ({ name }) => name,
          question: ({ name, has_key, has_login }) => ({
            title: `Delete ${name}?`,
            text: `${has_key ? "Its key is deleted from the server. " : ""}${has_login ? "Its log-in is deleted from the server. " : ""}New tasks that use it are refused. An agent working with it finishes its turn.`,
          }),
          done: ({ name, has_login }) => `Deleted ${name} and its ${has_login ? "log-in" : "key"}.`,
          remove: ({ name }, options) => remove.mutate(name, options),
          mutation: remove,
        }}
      />
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
    </>
  )
}

/** Limits reported by the provider; nothing while they are loading. */
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

/** Shown without accounts. Some agents work without one. */
function NoAccounts({ providers }: { providers: Provider[] }) {
  const usable = providers.filter(({ server_key }) => server_key).map(({ name }) => name)
  return (
    <NoEntries title="No accounts yet">
      {usable.length === 0
        ? "Agents need one: the server has no keys of its own."
        : `Works without an account: ${list.format(usable)}.`}
    </NoEntries>
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

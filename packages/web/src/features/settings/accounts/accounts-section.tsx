import type { AccountView, Provider } from "@switchyard/core/people/accounts/schema"
import type { AccountUsage } from "@switchyard/core/people/usage/schema"
import { paths } from "../../../session/context/routes.ts"
import { StatusIcon } from "../../../ui/icons.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { dayOf } from "../../../ui/time.ts"
import { AccountMeters, useAccountUsages } from "../../usage/account-limits.tsx"
import { FallbackSection } from "../limits/fallback-section.tsx"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { AccountDialog } from "./account-dialog.tsx"
import { NewAccountForm } from "./new-account-form.tsx"
import { useAccounts } from "./use-accounts.ts"

/** Agents' credentials: the saved accounts, and the order in which they take over. */
export function AccountsSection() {
  const { list, create, remove, change } = useAccounts()
  const usages = useAccountUsages()
  const { accounts = [], providers = [] } = list.data ?? {}
  const providerOf = ({ provider }: AccountView) => providers.find(({ type }) => type === provider)
  return (
    <>
      {list.data && list.error && <Notice tone="err">Couldn't refresh the list. {list.error.message}</Notice>}
      <CrudSection
        title="Accounts"
        isPage
        hint={
          <>
            Keys are encrypted and never shown again. See <TextLink href={paths.usage()}>usage by account</TextLink>.
          </>
        }
        list={list}
        entries={list.data?.accounts}
        empty={emptyText(providers)}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
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
        add="Add account"
        edit="Edit"
        form={(account, close) =>
          account ? (
            <AccountDialog account={account} provider={providerOf(account)} change={change} onClose={close} />
          ) : (
            <NewAccountForm providers={providers} create={create} onClose={close} />
          )
        }
        removal={{
          action: "Delete",
          text: ({ has_key, has_login }) =>
            `${has_key ? "The account's key will be deleted from the server. " : ""}${has_login ? "The account's login will be deleted from the server. " : ""}New tasks can't use the account. Agents already using it can finish their turn.`,
          remove: ({ name }, options) => remove.mutate(name, options),
          mutation: remove,
        }}
      />
      {accounts.length > 0 && <FallbackSection accounts={accounts.map(({ name }) => name)} />}
    </>
  )
}

/** Limits reported by the provider; nothing while they are loading. */
function Quota({ usage }: { usage: AccountUsage | undefined }) {
  if (!usage) return null
  const isKnown = usage.windows.length > 0 || usage.limited_until !== null
  if (!isKnown) return <p className="text-sm text-ink-3">Limits unknown</p>
  return (
    <div className="max-w-96">
      <AccountMeters usage={usage} />
    </div>
  )
}

/** Some agents work without an account. */
function emptyText(providers: Provider[]): string {
  const usable = providers.filter(({ server_key }) => server_key).map(({ name }) => name)
  const others = usable.length === 0 ? "Agents need an account" : `No account needed for ${names.format(usable)}`
  return `No accounts yet. ${others}.`
}

const names = new Intl.ListFormat("en", { type: "conjunction" })

function factsOf({ role, model, reasoning, base_url, has_key, has_login, ready, created_at }: AccountView): string[] {
  const held = has_key ? "API key" : "agent's own login"
  const key = has_key || has_login ? held : ready ? "no key needed" : "no key"
  const more = [
    role === "VERIFICATION" && "reviewer",
    model && `model ${model}`,
    reasoning && `${reasoning} effort`,
    base_url && `at ${base_url}`,
  ]
  return [key, ...more.filter((one): one is string => Boolean(one)), `added on ${dayOf(created_at)}`]
}

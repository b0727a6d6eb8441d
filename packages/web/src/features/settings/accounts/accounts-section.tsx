import { Link } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import { Notice } from "../../../ui/notice.tsx"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { FallbackSection } from "../limits/fallback-section.tsx"
import { AccountTable } from "./account-table.tsx"
import { NewAccountForm } from "./new-account-form.tsx"
import { useAccounts } from "./use-accounts.ts"

/** The credentials of agents: the saved accounts, and a form for a new one. */
export function AccountsSection() {
  const { list, create, remove, change } = useAccounts()
  if (!list.data) {
    return (
      <div className="border-t border-line pt-5">
        <UnloadedList list={list} lines={4} />
      </div>
    )
  }
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
          <Link href={paths.usage()} className="mt-3 inline-block text-sm text-accent underline underline-offset-2">
            See what they used
          </Link>
        )}
      </section>
      {accounts.length > 0 && <FallbackSection accounts={accounts.map(({ name }) => name)} />}
      <NewAccountForm providers={providers} create={create} />
    </div>
  )
}

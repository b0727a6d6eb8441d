import { keyedProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { useState } from "react"
import { type Decoded, flag, list as listOf, object, oneOf, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useToast } from "../../session/context/studio.ts"
import { type ModelProvider, useModelProviders } from "../../session/models/use-model-providers.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { StatusIcon } from "../../ui/icons.tsx"
import { ErrorNotice, UnloadedList } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { dayOf } from "../../ui/time.ts"
import { useSaveKey } from "./use-save-key.ts"

const SavedKey = object({ provider: oneOf(...keyedProviders), saved_at: text, tested: flag, accounts: listOf(text) })
const SavedKeys = object({ keys: listOf(SavedKey) })
type SavedKey = Decoded<typeof SavedKey>

/** The providers, and what each one's key is used for. */
export function KeyList() {
  const { providers, known, error, refetch } = useModelProviders()
  const saved = useResponse(["keys"], "GET /api/v1/keys", { response: SavedKeys })
  const [doomed, setDoomed] = useState<ModelProvider | null>(null)
  if (!known) return <UnloadedList list={{ error, isPending: !error, refetch }} />
  if (!saved.data) return <UnloadedList list={saved} />
  const savedKeyOf = (id: string) => saved.data.keys.find(({ provider }) => provider === id)
  const rows = providers.filter(({ id }) => keyedProviders.some((one) => one === id))
  return (
    <>
      <ul>
        {rows.map((provider) => {
          const savedKey = savedKeyOf(provider.id)
          return (
            <li
              key={provider.id}
              className="flex items-center gap-3 border-t border-line py-3 first:border-t-0 max-md:min-h-14"
            >
              <StatusIcon state={provider.ready ? "done" : "idle"} label={provider.ready ? "Ready" : "Not ready"} />
              <div className="min-w-0 flex-1">
                <p className="font-semibold">{provider.name}</p>
                <p className="text-sm wrap-anywhere text-ink-3">{factsOf(provider, savedKey)}</p>
              </div>
              {(savedKey || provider.own) && (
                <Button size="sm" aria-label={`Remove ${provider.name} key`} onClick={() => setDoomed(provider)}>
                  Remove
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      <p className="border-t border-line pt-3 text-sm text-ink-3">
        Keys used only by coding agents are in <TextLink href={paths.settings("accounts")}>Accounts</TextLink>.
      </p>
      {doomed && <RemoveDialog provider={doomed} savedKey={savedKeyOf(doomed.id)} onClose={() => setDoomed(null)} />}
    </>
  )
}

interface RemoveProps {
  provider: ModelProvider
  savedKey: SavedKey | undefined
  onClose(): void
}

function RemoveDialog({ provider: { id, name }, savedKey, onClose }: RemoveProps) {
  const { remove } = useSaveKey()
  const toast = useToast()
  const accounts = savedKey?.accounts ?? []
  const confirm = () =>
    remove.mutate(
      { provider: id as ProviderId, isSaved: savedKey !== undefined },
      {
        onSuccess: (removed) => {
          const more = removed.length > 0 ? ` Also deleted ${accountsText(removed)}.` : ""
          toast(`Removed the ${name} key.${more}`, "ok")
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      title={`Remove the ${name} key?`}
      action="Remove"
      busy={remove.isPending}
      failure={<ErrorNotice error={remove.error} className="mb-3" />}
      onConfirm={confirm}
      onClose={onClose}
    >
      {accounts.length > 0 && (
        <p className="mb-2">This also deletes {accountsText(accounts)}, set up with the same key.</p>
      )}
      <p>Active runs keep using the key until they end. To block it everywhere, revoke it with the provider.</p>
    </ConfirmDialog>
  )
}

function accountsText(names: string[]): string {
  const all = new Intl.ListFormat("en", { type: "conjunction" }).format(names)
  return `${names.length === 1 ? "account" : "accounts"} ${all}`
}

/** Says where a provider's key comes from, and what uses it. */
function factsOf(
  { own, key, account, ready, needs_key, variable }: ModelProvider,
  saved: SavedKey | undefined,
): string {
  if (own) return "Used for models · kept until you close this tab"
  if (saved) {
    const uses = ["models", ...(saved.accounts.length > 0 ? [accountsText(saved.accounts)] : [])]
    return [
      `Used for ${uses.join(" and ")}`,
      `saved ${dayOf(saved.saved_at)}`,
      ...(saved.tested ? [] : ["not tested"]),
    ].join(" · ")
  }
  if (key === "environment") return "Used for models · from the server's environment"
  if (key === "account") return `Used for models · from account ${account}`
  if (needs_key) return "No key"
  return ready ? "No key needed" : `To use a local model server, set ${variable}`
}

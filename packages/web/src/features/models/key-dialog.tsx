import { CLI_TITLES, cliTitle } from "@switchyard/core/agents/clis/titles"
import { keyedProviders, modelProviders } from "@switchyard/core/models/providers/providers"
import { paths } from "../../session/context/routes.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { KeyForm } from "./key-form.tsx"

interface Props {
  /** Provider or coding agent that needs the key. Any other ID asks for any key. */
  keyFor: string
  /** True if an action failed because of a missing key. */
  missing?: boolean
  onClose(): void
}

/** Asks for an API key over the current page. */
export function KeyDialog({ onClose, keyFor, missing = false }: Props) {
  const provider = keyedProviders.find((one) => one === keyFor) ?? null
  const agent = Object.hasOwn(CLI_TITLES, keyFor) ? cliTitle(keyFor) : null
  const needs = provider ? modelProviders[provider].name : agent
  return (
    <Dialog title={agent ? `API key for ${agent}` : "Add an API key"} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {missing && (
          <Notice tone="need">
            This action needs an API key{needs ? ` for ${needs}` : ""}, but the server doesn't have one. Add yours and
            try again.
          </Notice>
        )}
        <KeyForm provider={provider} agent={agent && keyFor} onSaved={onClose} />
        <p className="border-t border-line pt-3 text-sm text-ink-3">
          {agent ? "Accounts can also have their own login, model or API base URL. " : "Manage your keys: "}
          <TextLink href={paths.settings(agent ? "accounts" : "model")} onClick={onClose}>
            {agent ? "Accounts" : "Keys and models"}
          </TextLink>
        </p>
      </div>
    </Dialog>
  )
}

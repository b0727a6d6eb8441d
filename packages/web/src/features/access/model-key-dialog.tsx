import { keyedProviders, modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { useEffect, useRef, useState } from "react"
import { Dialog } from "../../ui/dialog.tsx"
import { SelectField } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

interface Props {
  /** The provider selected at first. */
  provider: string
  /** True if an action failed because of a missing key. */
  missing?: boolean
  onClose(): void
}

/** Asks for a provider's API key. */
export function ModelKeyDialog({ onClose, provider: first, missing = false }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const [provider, setProvider] = useState<ProviderId>(() => keyedProviders.find((one) => one === first) ?? "groq")
  // By default, a dialog focuses its first button, which here is the one that closes it.
  useEffect(() => content.current?.querySelector("input")?.focus(), [])
  return (
    <Dialog title="Model key" onClose={onClose}>
      <div ref={content} className="flex flex-col gap-4">
        {missing && (
          <Notice tone="need">This needs an API key; the server doesn't have one. Add yours and try again.</Notice>
        )}
        <SelectField
          label="Provider"
          hint="The key is sent only with runs of this provider's models."
          value={provider}
          options={keyedProviders.map((one) => [one, modelProviders[one].name])}
          onChange={(chosen) => setProvider(keyedProviders.find((one) => one === chosen) ?? provider)}
        />
        <ModelKeyForm key={provider} provider={provider} onSaved={onClose} />
      </div>
    </Dialog>
  )
}

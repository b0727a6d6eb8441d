import { keyedProviders, modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { useEffect, useId, useRef, useState } from "react"
import { Dialog } from "../../ui/dialog.tsx"
import { fieldClass } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

interface Props {
  /** The provider that it is about at first. */
  provider: string
  /** Whether an action failed for lack of a key. */
  missing?: boolean
  onClose(): void
}

/** Asks for a provider's API key. */
export function ModelKeyDialog({ onClose, provider: first, missing = false }: Props) {
  const id = useId()
  const content = useRef<HTMLDivElement>(null)
  const [provider, setProvider] = useState<ProviderId>(() => keyedProviders.find((one) => one === first) ?? "groq")
  // A dialog focuses its first button by default, which here is the one that closes it.
  useEffect(() => content.current?.querySelector("input")?.focus(), [])
  return (
    <Dialog title="Model key" onClose={onClose}>
      <div ref={content} className="flex flex-col gap-4">
        {missing && (
          <Notice tone="need">This needs an API key; the server doesn't have one. Add yours and try again.</Notice>
        )}
        <div>
          <label htmlFor={id} className="mb-1 block text-sm font-semibold">
            Provider
          </label>
          <select
            id={id}
            value={provider}
            onChange={(event) => setProvider(keyedProviders.find((one) => one === event.target.value) ?? provider)}
            className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
          >
            {keyedProviders.map((one) => (
              <option key={one} value={one}>
                {modelProviders[one].name}
              </option>
            ))}
          </select>
          <p className="mt-1 text-sm text-ink-3">The key is sent only with runs of this provider's models.</p>
        </div>
        <ModelKeyForm key={provider} provider={provider} onSaved={onClose} />
      </div>
    </Dialog>
  )
}

import { cliTitle } from "@switchyard/core/agents/clis/titles"
import { keyedProviders, modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { recognizeKey } from "@switchyard/core/models/recognize-key"
import { useState } from "react"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useModelProviders } from "../../session/models/use-model-providers.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { errorText } from "../../ui/error-text.ts"
import { SelectField } from "../../ui/field.tsx"
import { Form } from "../../ui/form.tsx"
import { KeyField } from "../../ui/key-field.tsx"
import { placeOf } from "./key-place.ts"
import { isUntested, useSaveKey } from "./use-save-key.ts"

interface Props {
  /** Provider that the key is expected to belong to. */
  provider?: ProviderId | null
  /** Agent that needs the key. */
  agent?: string | null
  onSaved?(): void
}

/** Takes a pasted key of any provider, tests it and saves it. */
export function KeyForm({ provider: expected = null, agent: needed = null, onSaved }: Props) {
  const { config } = useStudio()
  const { providers } = useModelProviders()
  const { save } = useSaveKey()
  const toast = useToast()
  const [key, setKey] = useState("")
  const [chosen, setChosen] = useState<ProviderId | null>(expected)
  // A server without login belongs to the person who started it.
  const [remembers, setRemembers] = useState(config.auth_mode === "open")
  const [isShared, setShared] = useState(true)
  const [fault, setFault] = useState<string | null>(null)

  const found = recognizeKey(key)
  const agentOf = (id: ProviderId) => providers.find((one) => one.id === id)?.agent ?? null
  const place = placeOf(found, { chosen, needed, agentOf })
  const { provider, agent } = place
  const remembered = remembers || needed !== null || provider === null
  const agentName = agent && cliTitle(agent)
  const asks = key !== "" && found.type === "ambiguous" && needed === null

  const submit = (test: boolean) => {
    const wrong = key === "" ? "Paste a key first." : place.fault
    setFault(wrong)
    if (wrong || save.isPending) return
    const isForAgent = needed !== null || provider === null || (remembered && agentName !== null && isShared)
    save.mutate(
      { provider, agent: isForAgent ? agent : null, key, remembered, test },
      {
        onSuccess: (names) => {
          setKey("")
          toast(savedText(provider, { remembered, names }), "ok")
          onSaved?.()
        },
      },
    )
  }

  return (
    <Form aria-label="Add a key" onSubmit={() => submit(true)} noValidate className="flex flex-col gap-4">
      <KeyField
        label="API key"
        value={key}
        onChange={(text) => {
          setKey(text)
          setFault(null)
          save.reset()
        }}
        placeholder="Paste a key"
        hint={key === "" ? "Switchyard detects the provider from the key." : place.recognized}
        error={fault ?? (save.error ? errorText(save.error) : null)}
      />
      {asks && (
        <SelectField
          label="Provider"
          hint="Several providers use this key format."
          value={chosen ?? ""}
          options={[["", "Choose a provider"], ...keyedProviders.map((id) => [id, modelProviders[id].name] as const)]}
          onChange={(id) => setChosen(keyedProviders.find((one) => one === id) ?? null)}
        />
      )}
      {provider && agentName && needed === null && remembered && (
        <Checkbox
          label={`Also use this key for ${agentName}`}
          hint="Adds an agent account that uses this key."
          value={isShared}
          onChange={setShared}
        />
      )}
      {provider && needed === null && (
        <Checkbox
          label="Remember this key"
          hint="Encrypts and saves the key on the server. If off, the key is forgotten when you close this tab."
          value={remembers}
          onChange={setRemembers}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={key === "" || save.isPending}>
          {save.isPending ? "Testing the key…" : "Save key"}
        </Button>
        {isUntested(save.error) && <Button onClick={() => submit(false)}>Save without testing</Button>}
      </div>
    </Form>
  )
}

function savedText(provider: ProviderId | null, { remembered, names }: { remembered: boolean; names: string[] }) {
  const [account] = names
  if (provider === null) return `Key saved to account ${account}.`
  const { name } = modelProviders[provider]
  if (!remembered) return `Using the ${name} key until you close this tab.`
  return account ? `${name} key saved and added to account ${account}.` : `${name} key saved.`
}

import { describeKey, foreignIssuer, keyReceiver, whyNoApiKey } from "@switchyard/core/models/key-forms"
import { modelProviders, type ProviderId } from "@switchyard/core/models/providers/providers"
import { useState } from "react"
import { afterKeyRemoved, afterKeySaved } from "../../api/model-choice.ts"
import { useBrowser, useStudio, useToast } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Form } from "../../ui/form.tsx"
import { SecretField } from "../../ui/secret-field.tsx"

/** Adds, replaces or removes this browser's key for a provider. */
export function ModelKeyForm({ provider, onSaved }: { provider: ProviderId; onSaved?(): void }) {
  const { keys, browser, config } = useStudio()
  const { save: saveChoice } = useModel()
  const toast = useToast()
  const has = useBrowser((state) => state.keyed.includes(provider))
  const [key, setKey] = useState("")
  const [remember, setRemember] = useState(() => keys.remembers(provider))
  const [error, setError] = useState<string | null>(null)
  const { name, keyForm } = modelProviders[provider]

  const save = () => {
    const wrong = keyFault(key, provider)
    setError(wrong)
    if (wrong) return
    keys.save(provider, key, remember)
    saveChoice(afterKeySaved(browser.getState().model, config.default_model, provider))
    setKey("")
    toast(remember ? `${name} key saved in this browser.` : `${name} key saved until you close this tab.`, "ok")
    onSaved?.()
  }

  const forget = () => {
    keys.save(provider, "", false)
    saveChoice(afterKeyRemoved(browser.getState().model, provider))
    setRemember(false)
    toast(`${name} key removed.`, "ok")
  }

  return (
    <Form aria-label={`${name} key`} onSubmit={save} noValidate className="flex flex-col gap-4">
      <SecretField
        label={has ? "Replace the key" : "API key"}
        value={key}
        onChange={(text) => {
          setKey(text)
          setError(null)
        }}
        autoComplete="off"
        placeholder={has ? "Replaces the saved key" : keyForm && `${keyForm.prefix}…`}
        error={error}
      />
      <Checkbox
        label="Remember it in this browser"
        hint="Stored in this browser until you remove it; anyone using this profile can read it. Otherwise it's forgotten when you close the tab."
        value={remember}
        onChange={setRemember}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={key.trim() === ""}>
          Save key
        </Button>
        {has && <Button onClick={forget}>Remove saved key</Button>}
      </div>
    </Form>
  )
}

/** Returns what is visibly wrong with a key, without trying it; null if nothing is. */
function keyFault(text: string, provider: ProviderId): string | null {
  const key = text.trim()
  if (key === "") return "Paste a key first."
  if (!/^[\x21-\x7e]+$/.test(key)) return "A key can't contain spaces or line breaks."
  const notKey = whyNoApiKey(key)
  if (notKey !== undefined) return notKey
  // Only the server knows the address of local models, so it checks the key for them.
  const issuer = modelProviders[provider].kind === "own_server" ? undefined : foreignIssuer(key, keyReceiver(provider))
  return issuer ? `This is ${describeKey(issuer)}. Add it under its own provider.` : null
}
